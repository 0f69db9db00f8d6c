// Dst as the checker knows it: who has read and written its rows, and which of them hold something.
#pragma once

#include <array>
#include <cstdint>

#include "check/shadow.hpp"
#include "emu/observe/footprint.hpp"

namespace kerr::check {

class DstRows {
 public:
  static constexpr uint32_t kRows = 1024;
  using Rows = emu::Footprint::Rows;

  /// A row is two bytes of the shadow: eight rows are one of its granules.
  Shadow& shadow() { return shadow_; }
  static constexpr uint64_t address(uint32_t row) { return uint64_t{2} * row; }
  static constexpr uint32_t row(uint64_t address) { return static_cast<uint32_t>(address / 2); }

  /// What earlier programs have left in valid rows is of no use to the next one.
  void program_begins() { ++program_; }
  /// `cleared`: the rows are invalid now: zeros, until something makes them valid.
  void written(Rows rows, bool cleared) {
    for (uint32_t r = rows.first; r < rows.first + rows.count && r < kRows; ++r) by_[r] = cleared ? kCleared : program_;
  }
  /// The first eight of `rows`: whether one of `valid` (bits) was not written by this program. Before the first
  /// program nobody knows.
  bool undefined(Rows rows, uint8_t valid) const {
    if (program_ == 0) return false;
    for (uint32_t k = 0; k < rows.count && k < 8 && rows.first + k < kRows; ++k) {
      if ((valid >> k & 1) != 0 && by_[rows.first + k] != program_ && by_[rows.first + k] != kAny) return true;
    }
    return false;
  }
  /// Rows were written, and nobody knows which.
  void forget() {
    shadow_ = Shadow(2 * kRows);
    by_.fill(kAny);
  }

 private:
  static constexpr uint32_t kAny = ~0u, kCleared = ~0u - 1;

  Shadow shadow_{2 * kRows};
  std::array<uint32_t, kRows> by_{};  // the program that wrote the row last
  uint32_t program_ = 0;
};

}  // namespace kerr::check
