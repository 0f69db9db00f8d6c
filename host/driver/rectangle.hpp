// Sets of tiles as multicast rectangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host {

/// Tensix tiles first.x..last.x by first.y..last.y in translated coordinates, first <= last; without columns 8 and 9,
/// which receive no multicast (docs/hardware/noc.md 3.5).
struct Rectangle {
  arch::NocCoord first;
  arch::NocCoord last;

  /// Whether columns 8 and 9 lie between its corners.
  bool spans_gap() const { return first.x < 8 && last.x > 9; }
  /// How many receive a multicast.
  uint32_t tiles() const { return (last.x - first.x + (spans_gap() ? -1u : 1u)) * (last.y - first.y + 1u); }
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

/// Cuts a set of tiles into rectangles that hold exactly these tiles: greedy from the smallest (y, x), right, then down
/// (docs/hardware/fast-dispatch.md 16.2). Duplicates count once.
enum class Gap { Splits, IsSpanned };  ///< what columns 8 and 9 do
std::vector<Rectangle> cover(std::span<const arch::NocCoord> tiles, Gap gap = Gap::Splits);

/// Tiles that are worth a multicast each, and those that are not.
struct LargeRectangles {
  std::vector<Rectangle> rectangles;   ///< the largest first
  std::vector<arch::NocCoord> others;  ///< in the order they were given in
};
/// Rectangles of cover(tiles, Gap::IsSpanned): the largest if it has at least `fewest_of_first` tiles, then those with
/// at least `fewest_of_next`.
LargeRectangles large_rectangles(std::span<const arch::NocCoord> tiles, uint32_t fewest_of_first,
                                 uint32_t fewest_of_next);

}  // namespace kerr::host
