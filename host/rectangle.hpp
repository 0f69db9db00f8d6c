// Sets of tiles as multicast rectangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host {

/// Tiles first.x..last.x by first.y..last.y in translated coordinates, first <= last.
struct Rectangle {
  arch::NocCoord first;
  arch::NocCoord last;

  uint32_t tiles() const { return (last.x - first.x + 1u) * (last.y - first.y + 1u); }
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

/// Cuts a set of tiles into rectangles that hold exactly these tiles: greedy from the smallest (y, x), right, then down
/// (docs/hardware/fast-dispatch.md 16.2). The gap at columns 8 and 9 always splits. Duplicates count once.
std::vector<Rectangle> cover(std::span<const arch::NocCoord> tiles);

}  // namespace kerr::host
