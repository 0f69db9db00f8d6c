#include "graph/matrix.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "graph/bf16.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint32_t kTile = 32, kFace = 16;
constexpr std::size_t kTileValues = kTile * kTile;

// Where element (row, column) of a tile stands in it.
constexpr std::size_t place_in_tile(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t face = row / kFace * 2 + column / kFace;
  return face * kFace * kFace + row % kFace * kFace + column % kFace;
}

// Calls visit(row, column, count, place) for each run of at most 16 elements that is contiguous in both forms.
template <class Visit>
void for_each_run(std::uint32_t rows, std::uint32_t columns, std::uint32_t tile_columns, Visit&& visit) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; column += kFace) {
      const std::size_t tile = std::size_t{row / kTile} * tile_columns + column / kTile;
      visit(row, column, std::min(kFace, columns - column), tile * kTileValues + place_in_tile(row % kTile, column % kTile));
    }
  }
}

// SplitMix64: small, and the same everywhere.
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

}  // namespace

Matrix random_matrix(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed) {
  Matrix matrix{rows, columns, std::vector<std::uint16_t>(std::size_t{rows} * columns)};
  for (std::uint16_t& value : matrix.values) {
    const auto integer = static_cast<std::int32_t>(next(seed) >> 40) - (1 << 23);  // 24 bits: exact in a float
    value = float_to_bf16(static_cast<float>(integer) / (1 << 23));
  }
  return matrix;
}

std::vector<std::byte> to_tiles(const Matrix& matrix, std::uint32_t tile_rows, std::uint32_t tile_columns) {
  std::vector<std::byte> tiles(std::size_t{tile_rows} * tile_columns * kTileValues * 2);
  for_each_run(matrix.rows, matrix.columns, tile_columns,
               [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t place) {
                 std::memcpy(tiles.data() + 2 * place, &matrix.values[std::size_t{row} * matrix.columns + column], 2 * count);
               });
  return tiles;
}

Matrix from_tiles(std::span<const std::byte> tiles, std::uint32_t tile_columns, std::uint32_t rows, std::uint32_t columns) {
  Matrix matrix{rows, columns, std::vector<std::uint16_t>(std::size_t{rows} * columns)};
  for_each_run(rows, columns, tile_columns, [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t place) {
    std::memcpy(&matrix.values[std::size_t{row} * columns + column], tiles.data() + 2 * place, 2 * count);
  });
  return matrix;
}

std::uint64_t hash(const Matrix& matrix) { return XXH3_64bits(matrix.values.data(), matrix.values.size() * 2); }

}  // namespace kerr::graph
