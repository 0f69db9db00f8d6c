// Which print of which kernel an instruction belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "arch/host_notes.hpp"
#include "image/image.hpp"
#include "isa/print.hpp"

namespace kerr::prints {

/// The prints of an image.
class PrintTable {
 public:
  struct Entry {
    uint32_t address = 0;  // of the first of its instructions
    uint32_t id = 0;
    isa::Print print;
    std::string source;  // "reader.cpp:70"
  };

  explicit PrintTable(std::shared_ptr<const image::Image> image);

  const std::vector<Entry>& entries() const { return entries_; }
  /// The print whose first instruction is at `address` of the image.
  const Entry* at(uint32_t address) const;
  const image::Image& image() const { return *image_; }

 private:
  std::shared_ptr<const image::Image> image_;
  std::vector<Entry> entries_;  // by address
};

/// Code that prints, by who runs it (notes of the host stack), and code that may lie anywhere. Filled between windows,
/// and only read by tiles that run.
class KnownCode {
 public:
  /// Code of somebody who tells nothing: found by its bytes.
  void add(std::shared_ptr<const image::Image> image);
  void noted(const arch::note::Note& note);

  /// The print whose first instruction, with this number, is at `pc` of a hart. `tile`: translated.
  const PrintTable::Entry* find(int chip, arch::NocCoord tile, arch::Hart hart, uint32_t pc, uint32_t id,
                                std::span<const uint8_t> l1) const;

 private:
  struct Range {
    uint32_t address = 0, bytes = 0, image_address = 0;
    std::shared_ptr<const PrintTable> table;
    friend bool operator==(const Range&, const Range&) = default;
  };
  static constexpr size_t kMostRanges = 64;  // of a hart

  void put(int chip, arch::NocCoord tile, arch::Hart hart, const arch::note::Code& code);
  std::shared_ptr<const PrintTable> table_of(const std::shared_ptr<const image::Image>& image);

  using Tile = std::pair<int, arch::NocCoord>;                          // with its chip
  std::map<Tile, std::array<std::deque<Range>, arch::kHarts>> ranges_;  // newest first
  std::map<const image::Image*, std::shared_ptr<const PrintTable>> tables_;
  std::vector<std::shared_ptr<const PrintTable>> anywhere_;
};

}  // namespace kerr::prints
