#include "graph/tensor.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

#include "graph/encode.hpp"
#include "graph/parallel.hpp"
#include "graph/random.hpp"

namespace kerr::graph {

namespace {

constexpr uint32_t kFace = 16;

// 16 elements of a row that lie in one face of a tile.
struct Run {
  size_t first;    // of the tensor's elements
  uint32_t count;  // that are inside
  size_t tile;
  uint32_t face, face_row;
};

// Calls visit(run) for each of a batch of matrices with `tile_rows` x `tile_columns` tiles; rows of tiles on all CPUs.
template <class Visit>
void for_each_run(const Tensor& tensor, uint32_t batch, uint32_t tile_rows, uint32_t tile_columns, Visit&& visit) {
  const uint32_t rows = tensor.rows / batch;
  parallel(size_t{batch} * tile_rows, 0, [&](size_t tile_row) {
    for (uint32_t row_in_tile = 0; row_in_tile < kTileDim; ++row_in_tile) {
      const size_t row = tile_row % tile_rows * kTileDim + row_in_tile;
      for (uint32_t column = 0; column < tile_columns * kTileDim; column += kFace) {
        const bool inside = row < rows && column < tensor.columns;
        visit(Run{.first = (tile_row / tile_rows * rows + row) * tensor.columns + column,
                  .count = inside ? std::min(kFace, tensor.columns - column) : 0,
                  .tile = tile_row * tile_columns + column / kTileDim,
                  .face = row_in_tile / kFace * 2 + column % kTileDim / kFace,
                  .face_row = row_in_tile % kFace});
      }
    }
  });
}

}  // namespace

void round_to_format(Tensor& tensor) {
  if (tensor.format == Format::Fp32) return;
  from_tiles(to_tiles(tensor, tensor.tile_rows(), tensor.tile_columns()), tensor.tile_columns(), tensor);
}

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

std::vector<std::byte> to_tiles(const Tensor& tensor, uint32_t tile_rows, uint32_t tile_columns, float padding,
                                uint32_t batch) {
  const size_t size = kernels::tile_bytes(tensor.format);
  std::vector<std::byte> tiles(size_t{batch} * tile_rows * tile_columns * size);
  for_each_run(tensor, batch, tile_rows, tile_columns, [&](const Run& at) {
    if (at.count == 0 && padding == 0) return;  // is zero already
    std::array<double, kFace> run;
    run.fill(padding);
    for (uint32_t i = 0; i < at.count; ++i) run[i] = tensor.number(at.first + i);
    encode_row(tensor.format, run, at.face, at.face_row, std::span(tiles).subspan(at.tile * size, size));
  });
  return tiles;
}

void from_tiles(std::span<const std::byte> tiles, uint32_t tile_columns, Tensor& tensor, uint32_t batch) {
  const size_t size = kernels::tile_bytes(tensor.format);
  tensor.values.resize(size_t{tensor.rows} * tensor.columns);
  if (tensor.format == Format::Int32) tensor.integers.resize(tensor.values.size());
  const uint32_t tile_rows = tiles_across(tensor.rows / batch);
  for_each_run(tensor, batch, tile_rows, tile_columns, [&](const Run& at) {
    if (at.count == 0) return;
    std::array<double, kFace> run;
    decode_row(tensor.format, tiles.subspan(at.tile * size, size), at.face, at.face_row, run);
    for (uint32_t i = 0; i < at.count; ++i) {
      tensor.values[at.first + i] = static_cast<float>(run[i]);
      if (!tensor.integers.empty()) tensor.integers[at.first + i] = static_cast<int32_t>(run[i]);
    }
  });
}

uint64_t hash(const Tensor& tensor) {
  if (!tensor.integers.empty()) return XXH3_64bits(tensor.integers.data(), tensor.integers.size() * sizeof(int32_t));
  if (tensor.format != Format::Bf16) return XXH3_64bits(tensor.values.data(), tensor.values.size() * sizeof(float));
  std::vector<uint16_t> bits(tensor.values.size());
  std::ranges::transform(tensor.values, bits.begin(), float_to_bf16);
  return XXH3_64bits(bits.data(), bits.size() * 2);
}

}  // namespace kerr::graph
