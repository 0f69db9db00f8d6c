// Which rows of Dst, as they are stored, an observer is told of.
#pragma once

#include "emu/observe/footprint.hpp"
#include "emu/tensix/state/dst.hpp"

namespace kerr::emu::tensix {

/// `count` logical rows from `first` on, of the 32-bit view if `wide`. Rows that do not lie together are not told one
/// by one: `scattered`.
inline void place_rows(Footprint& f, const DstAddressing& addressing, unsigned first, unsigned count, bool wide) {
  constexpr unsigned kBlock = 8;
  const auto row = [](unsigned n) { return static_cast<uint16_t>(n); };
  if (addressing.remap_addrs || addressing.swizzle_32b || first + count > Dst::kRows) {
    f.scattered = true;
  } else if (!wide && !addressing.high_half) {
    f.rows[0] = {row(first), row(count)};
  } else if (first % kBlock + count <= kBlock) {
    const unsigned high = addressing.row_32(first);
    f.rows[0] = {row(high), row(count)};
    if (wide) f.rows[1] = {row(high + Dst::kLowHalf), row(count)};
  } else if (first % kBlock == 0 && count % kBlock == 0 && wide) {
    f.rows[0] = {row(addressing.row_32(first)), row(2 * count)};
  } else {
    f.scattered = true;
  }
}

}  // namespace kerr::emu::tensix
