#include "graph/matrix.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "graph/bf16.hpp"
#include "graph/random.hpp"
#include "graph/tile_layout.hpp"

namespace kerr::graph {

Matrix random_matrix(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed) {
  Matrix matrix{rows, columns, std::vector<std::uint16_t>(std::size_t{rows} * columns)};
  for (std::uint16_t& value : matrix.values) {
    const auto integer = static_cast<std::int32_t>(next_random(seed) >> 40) - (1 << 23);  // 24 bits: exact in a float
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
