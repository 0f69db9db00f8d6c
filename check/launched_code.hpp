// What runs on a tile whose host tells nothing: by its launch messages, and by code that is known.
// docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "arch/memory_map.hpp"
#include "arch/messages.hpp"
#include "check/code_library.hpp"
#include "check/finding.hpp"

namespace kerr::check {

class LaunchedCode {
 public:
  /// `library`: may be null.
  explicit LaunchedCode(std::shared_ptr<const CodeLibrary> library) : library_(std::move(library)) {}

  /// Firmware has taken this launch message.
  void launched(std::span<const uint8_t> l1, const arch::LaunchMessage& message, Cycle now);
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
  const CodeLibrary::Entry* entry_at(std::span<const uint8_t> l1, uint32_t address);

  std::shared_ptr<const CodeLibrary> library_;
  std::array<std::deque<Text>, arch::kHarts> kernels_;
  std::vector<Text> firmware_;
  // By address: what was found there, and a hash of the bytes that were looked at.
  struct Found {
    size_t hash = 0;
    const CodeLibrary::Entry* entry = nullptr;
  };
  std::unordered_map<uint32_t, Found> found_;
  bool has_looked_ = false;
};

}  // namespace kerr::check
