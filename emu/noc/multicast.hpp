// Which nodes a multicast names.   docs/hardware/noc.md 3.5, 3.6
#pragma once

#include <cstdint>

#include "arch/grid.hpp"

namespace kerr::emu {

/// Corners in the own numbering of the NoC, after translation. A start behind its end wraps round the edge of the grid.
struct Rectangle {
  arch::NocCoord start;
  arch::NocCoord end;

  constexpr bool wraps() const { return start.x > end.x || start.y > end.y; }
  constexpr bool contains(arch::NocCoord own) const {
    return in_span(start.x, end.x, own.x) && in_span(start.y, end.y, own.y);
  }

 private:
  static constexpr bool in_span(int from, int to, int at) {
    return from <= to ? from <= at && at <= to : at <= to || from <= at;
  }
};

/// NOC_BRCST_EXCLUDE: tiles that a rectangle leaves out. Coordinates are the NoC's own, untranslated. Not for wrapping
/// rectangles.
struct Exclusion {
  uint32_t word = 0;

  constexpr bool any() const { return (word & 0xFF) != 0 || (word >> 22 & 1) != 0; }
  constexpr bool leaves_out(const Rectangle& rectangle, arch::NocCoord own) const {
    if (skipped(word & 3, word >> 2 & 3, own.x - rectangle.start.x)) return true;
    if (skipped(word >> 4 & 3, word >> 6 & 3, own.y - rectangle.start.y)) return true;
    if (!(word >> 22 & 1)) return false;
    const int x = word >> 8 & 63;
    const int y = word >> 14 & 63;
    return (word >> 20 & 1 ? own.x >= x : own.x <= x) && (word >> 21 & 1 ? own.y >= y : own.y <= y);
  }

 private:
  static constexpr bool skipped(unsigned keep, unsigned skip, int position) {
    return keep != 0 && skip != 0 && static_cast<unsigned>(position) % (keep + skip) >= keep;
  }
};

}  // namespace kerr::emu
