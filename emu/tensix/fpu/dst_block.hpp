// The rows of Dst that one instruction updates, as the arithmetic wants them.   docs/hardware/tensix-math.md 2
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emu/tensix/math/fpu_mode.hpp"
#include "emu/tensix/state/dst.hpp"

namespace kerr::emu::tensix {

/// 1, 4 or 8 logical rows inside an aligned block of eight. Rows that were invalid start as zero; all become valid when
/// the block goes. The cells lie in Dst itself, unless remapped or swizzled addressing scatters the rows: then they are
/// copied out and back.
class DstBlock {
 public:
  DstBlock(Dst& dst, const DstAddressing& addressing, bool wide, unsigned row, unsigned rows)
      : dst_(dst), wide_(wide), rows_(rows), in_place_(!addressing.remap_addrs && !addressing.swizzle_32b) {
    for (unsigned r = 0; r < rows; ++r) {
      physical_[r] = static_cast<std::uint16_t>(wide ? addressing.row_32(row + r) : addressing.row_16(row + r));
      if (!dst.valid(physical_[r])) zero(physical_[r]);
      if (!in_place_) copy_out(r);
    }
  }
  ~DstBlock() {
    for (unsigned r = 0; r < rows_; ++r) {
      if (!in_place_) copy_back(r);
      dst_.set_valid(physical_[r], true);
    }
  }
  DstBlock(const DstBlock&) = delete;
  DstBlock& operator=(const DstBlock&) = delete;

  math::DstRows rows() {
    if (!in_place_) return {high_.data(), wide_ ? low_.data() : nullptr};
    return {dst_.row(physical_[0]), wide_ ? dst_.row(physical_[0] + Dst::kLowHalf) : nullptr};
  }
  std::uint16_t* high(unsigned r) { return rows().high + r * Dst::kColumns; }
  std::uint16_t* low(unsigned r) { return rows().low + r * Dst::kColumns; }

 private:
  void zero(unsigned physical) {
    std::fill_n(dst_.row(physical), Dst::kColumns, 0);
    if (wide_) std::fill_n(dst_.row(physical + Dst::kLowHalf), Dst::kColumns, 0);
  }
  void copy_out(unsigned r) {
    std::copy_n(dst_.row(physical_[r]), Dst::kColumns, &high_[r * Dst::kColumns]);
    if (wide_) std::copy_n(dst_.row(physical_[r] + Dst::kLowHalf), Dst::kColumns, &low_[r * Dst::kColumns]);
  }
  void copy_back(unsigned r) {
    std::copy_n(&high_[r * Dst::kColumns], Dst::kColumns, dst_.row(physical_[r]));
    if (wide_) std::copy_n(&low_[r * Dst::kColumns], Dst::kColumns, dst_.row(physical_[r] + Dst::kLowHalf));
  }

  static constexpr unsigned kMostRows = 8;
  Dst& dst_;
  bool wide_;
  unsigned rows_;
  bool in_place_;
  std::array<std::uint16_t, kMostRows> physical_;
  std::array<std::uint16_t, kMostRows * Dst::kColumns> high_;
  std::array<std::uint16_t, kMostRows * Dst::kColumns> low_;
};

}  // namespace kerr::emu::tensix
