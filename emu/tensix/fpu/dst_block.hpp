// The rows of Dst that one instruction updates, as the arithmetic wants them.   docs/hardware/tensix-math.md 2
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emu/math/fpu_mode.hpp"
#include "emu/tensix/state/dst.hpp"

namespace kerr::emu::tensix {

/// 1, 4 or 8 logical rows inside an aligned block of eight. Rows that were invalid become valid and zero. The cells lie
/// in Dst itself, unless remapped or swizzled addressing scatters the rows: then they are copied out and back.
class DstBlock {
 public:
  [[gnu::always_inline]] DstBlock(Dst& dst, const DstAddressing& addressing, bool wide, unsigned row, unsigned rows)
      : dst_(dst),
        addressing_(addressing),
        row_(row),
        rows_(rows),
        wide_(wide),
        in_place_(!addressing.remap_addrs && !addressing.swizzle_32b) {
    if (in_place_) {
      first_ = physical(0);
      if (!dst.all_valid_of_group(first_, rows)) make_valid();
    } else {
      make_valid();
      for_each_copied_row([](uint16_t* in_dst, uint16_t* copy) { std::copy_n(in_dst, Dst::kColumns, copy); });
    }
  }
  ~DstBlock() {
    if (in_place_) return;
    for_each_copied_row([](uint16_t* in_dst, uint16_t* copy) { std::copy_n(copy, Dst::kColumns, in_dst); });
  }
  DstBlock(const DstBlock&) = delete;
  DstBlock& operator=(const DstBlock&) = delete;

  math::DstRows rows() {
    if (!in_place_) return {high_.data(), wide_ ? low_.data() : nullptr};
    return {dst_.row(first_), wide_ ? dst_.row(first_ + Dst::kLowHalf) : nullptr};
  }
  uint16_t* high(unsigned r) { return rows().high + r * Dst::kColumns; }
  uint16_t* low(unsigned r) { return rows().low + r * Dst::kColumns; }

 private:
  unsigned physical(unsigned r) const { return wide_ ? addressing_.row_32(row_ + r) : addressing_.row_16(row_ + r); }

  [[gnu::noinline]] void make_valid() {
    for (unsigned r = 0; r < rows_; ++r) {
      const unsigned p = physical(r);
      if (dst_.valid(p)) continue;
      std::fill_n(dst_.row(p), Dst::kColumns, 0);
      if (wide_) std::fill_n(dst_.row(p + Dst::kLowHalf), Dst::kColumns, 0);
      dst_.set_valid(p, true);
    }
  }

  template <class F>
  void for_each_copied_row(F f) {
    for (unsigned r = 0; r < rows_; ++r) {
      f(dst_.row(physical(r)), &high_[r * Dst::kColumns]);
      if (wide_) f(dst_.row(physical(r) + Dst::kLowHalf), &low_[r * Dst::kColumns]);
    }
  }

  static constexpr unsigned kMostRows = 8;
  Dst& dst_;
  const DstAddressing addressing_;
  const unsigned row_, rows_;
  const bool wide_, in_place_;
  unsigned first_ = 0;
  std::array<uint16_t, kMostRows * Dst::kColumns> high_;
  std::array<uint16_t, kMostRows * Dst::kColumns> low_;
};

}  // namespace kerr::emu::tensix
