// Where the elements of a matrix stand in tiles of 32 x 32: row-major over tiles; in a tile four faces of 16 x 16, left to right,
// top to bottom.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kerr::graph {

inline constexpr std::uint32_t kTile = 32, kFace = 16;
inline constexpr std::size_t kTileValues = kTile * kTile;

/// Of element (row, column) of a tile.
constexpr std::size_t place_in_tile(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t face = row / kFace * 2 + column / kFace;
  return face * kFace * kFace + row % kFace * kFace + column % kFace;
}

/// Calls visit(row, column, count, place) for each run of at most 16 elements that is contiguous in both forms.
template <class Visit>
void for_each_run(std::uint32_t rows, std::uint32_t columns, std::uint32_t tile_columns, Visit&& visit) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; column += kFace) {
      const std::size_t tile = std::size_t{row / kTile} * tile_columns + column / kTile;
      visit(row, column, std::min(kFace, columns - column), tile * kTileValues + place_in_tile(row % kTile, column % kTile));
    }
  }
}

}  // namespace kerr::graph
