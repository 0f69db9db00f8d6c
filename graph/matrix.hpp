// Matrices on the host: row-major bf16, and the tiled form that the device works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kerr::graph {

struct Matrix {
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::uint16_t> values;  // rows * columns bf16, row-major

  std::uint16_t at(std::uint32_t row, std::uint32_t column) const { return values[std::size_t{row} * columns + column]; }
};

/// Uniform in [-1, 1), rounded to bf16; the same for a seed on every host.
Matrix random_matrix(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed);

/// Tiles of 32 x 32, row-major over tiles; in a tile four faces of 16 x 16, left to right, top to bottom. What lies outside the
/// matrix is zero. Result: tile_rows * tile_columns * 2048 bytes.
std::vector<std::byte> to_tiles(const Matrix& matrix, std::uint32_t tile_rows, std::uint32_t tile_columns);

/// The upper left rows x columns of such tiles. `tiles` holds at least enough whole tile rows of `tile_columns` tiles.
Matrix from_tiles(std::span<const std::byte> tiles, std::uint32_t tile_columns, std::uint32_t rows, std::uint32_t columns);

/// Of the values' bytes; the same on every host.
std::uint64_t hash(const Matrix& matrix);

}  // namespace kerr::graph
