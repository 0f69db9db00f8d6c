#include "graph/tensor.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

#include "graph/bf16.hpp"
#include "graph/encode.hpp"
#include "graph/parallel.hpp"
#include "graph/random.hpp"

namespace kerr::graph {

namespace {

constexpr uint32_t kTile = 32, kFace = 16;

// Calls visit(row, column, tile, face, row of the face) for each run of 16 elements that is one in a tile, of
// `tile_rows` x `tile_columns` tiles; rows of tiles on all CPUs.
template <class Visit>
void for_each_run(uint32_t tile_rows, uint32_t tile_columns, Visit&& visit) {
  parallel(tile_rows, 0, [&](size_t tile_row) {
    for (uint32_t row = 0; row < kTile; ++row) {
      for (uint32_t column = 0; column < tile_columns * kTile; column += kFace) {
        visit(static_cast<uint32_t>(tile_row) * kTile + row, column, tile_row * tile_columns + column / kTile,
              row / kFace * 2 + column % kTile / kFace, row % kFace);
      }
    }
  });
}

void round_to_format(Tensor& tensor) {
  if (tensor.format == Format::Fp32) return;
  from_tiles(to_tiles(tensor, tensor.tile_rows(), tensor.tile_columns()), tensor.tile_columns(), tensor);
}

}  // namespace

Tensor random_tensor(uint32_t rows, uint32_t columns, Format format, float low, float high, uint64_t seed) {
  Tensor tensor{rows, columns, format, std::vector<float>(size_t{rows} * columns)};
  parallel(rows, 0, [&](size_t row) {
    uint64_t state = random_state_after(seed, row * columns);
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
      const double unit = static_cast<double>(next_random(state) >> 40) / (1 << 24);
      tensor.values[i] = static_cast<float>(low + (static_cast<double>(high) - low) * unit);
    }
  });
  round_to_format(tensor);
  return tensor;
}

Tensor random_tensor(uint32_t rows, uint32_t columns, Format format, uint64_t seed) {
  return kernels::is_integer(format) ? random_tensor(rows, columns, format, -127.5f, 127.5f, seed)
                                     : random_tensor(rows, columns, format, -1, 1, seed);
}

Tensor integer_tensor(uint32_t rows, uint32_t columns, std::vector<int32_t> integers) {
  Tensor tensor{rows, columns, Format::Int32, {integers.begin(), integers.end()}};
  tensor.integers = std::move(integers);
  return tensor;
}

std::vector<std::byte> to_tiles(const Tensor& tensor, uint32_t tile_rows, uint32_t tile_columns, float padding) {
  const size_t size = kernels::tile_bytes(tensor.format);
  std::vector<std::byte> tiles(size_t{tile_rows} * tile_columns * size);
  for_each_run(tile_rows, tile_columns,
               [&](uint32_t row, uint32_t column, size_t tile, uint32_t face, uint32_t face_row) {
                 const bool outside = row >= tensor.rows || column >= tensor.columns;
                 if (outside && padding == 0) return;  // is zero already
                 std::array<double, kFace> run;
                 run.fill(padding);
                 if (!outside) {
                   const size_t first = size_t{row} * tensor.columns + column;
                   for (uint32_t i = 0; i < std::min(kFace, tensor.columns - column); ++i)
                     run[i] = tensor.number(first + i);
                 }
                 encode_row(tensor.format, run, face, face_row, std::span(tiles).subspan(tile * size, size));
               });
  return tiles;
}

void from_tiles(std::span<const std::byte> tiles, uint32_t tile_columns, Tensor& tensor) {
  const size_t size = kernels::tile_bytes(tensor.format);
  tensor.values.resize(size_t{tensor.rows} * tensor.columns);
  if (tensor.format == Format::Int32) tensor.integers.resize(tensor.values.size());
  for_each_run(tensor.tile_rows(), tile_columns,
               [&](uint32_t row, uint32_t column, size_t tile, uint32_t face, uint32_t face_row) {
                 if (row >= tensor.rows || column >= tensor.columns) return;
                 std::array<double, kFace> run;
                 decode_row(tensor.format, tiles.subspan(tile * size, size), face, face_row, run);
                 const size_t first = size_t{row} * tensor.columns + column;
                 for (uint32_t i = 0; i < std::min(kFace, tensor.columns - column); ++i) {
                   tensor.values[first + i] = static_cast<float>(run[i]);
                   if (!tensor.integers.empty()) tensor.integers[first + i] = static_cast<int32_t>(run[i]);
                 }
               });
}

namespace {

template <class T>
std::vector<T> part_of(const std::vector<T>& all, size_t first, size_t size) {
  const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
  return {begin, begin + static_cast<ptrdiff_t>(size)};
}

}  // namespace

std::vector<std::byte> batch_to_tiles(const Tensor& tensor, uint32_t batch, uint32_t tile_rows, uint32_t tile_columns) {
  if (batch == 1) return to_tiles(tensor, tile_rows, tile_columns);
  const size_t size = tensor.values.size() / batch;
  std::vector<std::byte> all;
  for (uint32_t i = 0; i < batch; ++i) {
    Tensor one{tensor.rows / batch, tensor.columns, tensor.format, part_of(tensor.values, i * size, size)};
    if (!tensor.integers.empty()) one.integers = part_of(tensor.integers, i * size, size);
    const std::vector<std::byte> tiles = to_tiles(one, tile_rows, tile_columns);
    all.insert(all.end(), tiles.begin(), tiles.end());
  }
  return all;
}

void batch_from_tiles(std::span<const std::byte> tiles, uint32_t batch, uint32_t tile_columns, Tensor& tensor) {
  if (batch == 1) return from_tiles(tiles, tile_columns, tensor);
  tensor.values.clear();
  tensor.integers.clear();
  Tensor one{tensor.rows / batch, tensor.columns, tensor.format, {}};
  for (uint32_t i = 0; i < batch; ++i) {
    from_tiles(tiles.subspan(tiles.size() / batch * i, tiles.size() / batch), tile_columns, one);
    tensor.values.insert(tensor.values.end(), one.values.begin(), one.values.end());
    tensor.integers.insert(tensor.integers.end(), one.integers.begin(), one.integers.end());
  }
}

uint64_t hash(const Tensor& tensor) {
  if (!tensor.integers.empty()) return XXH3_64bits(tensor.integers.data(), tensor.integers.size() * sizeof(int32_t));
  if (tensor.format != Format::Bf16) return XXH3_64bits(tensor.values.data(), tensor.values.size() * sizeof(float));
  std::vector<uint16_t> bits(tensor.values.size());
  std::ranges::transform(tensor.values, bits.begin(), float_to_bf16);
  return XXH3_64bits(bits.data(), bits.size() * 2);
}

}  // namespace kerr::graph
