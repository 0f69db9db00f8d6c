// What runs on a tile whose host tells nothing: by its launch messages, and by code that is known.
// docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "arch/memory_map.hpp"
#include "check/code_library.hpp"
#include "check/finding.hpp"

namespace kerr::check {

class LaunchedCode {
 public:
  /// `library`: may be null.
  explicit LaunchedCode(std::shared_ptr<const CodeLibrary> library) : library_(std::move(library)) {}

  /// Firmware has seen GO: looks at the launch message.
  void launched(std::span<const uint8_t> l1, Cycle now);
  /// Kernel and frames of a site of this tile that has none.
  void name(Site& site) const;

 private:
  struct Text {
    Cycle since = 0;
    uint32_t address = 0, bytes = 0;  // bytes 0: not known
    const CodeLibrary::Entry* entry = nullptr;
  };
  static constexpr size_t kMostTexts = 64;  // of a hart

  void find_firmware(std::span<const uint8_t> l1);

  std::shared_ptr<const CodeLibrary> library_;
  std::array<std::deque<Text>, arch::kHarts> kernels_;
  std::vector<Text> firmware_;
  bool has_looked_ = false;
};

}  // namespace kerr::check
