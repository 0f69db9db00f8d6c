// Matrices on the host, in the precision of the device's format, and their tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/format.hpp"

namespace kerr::graph {

using kernels::Format;
using kernels::kTileDim;

inline constexpr uint64_t kMostElements = uint64_t{1} << 28;  // of one matrix of a command line or a file

/// How many tiles so many rows or columns take.
constexpr uint32_t tiles_across(size_t size) { return static_cast<uint32_t>((size + kTileDim - 1) / kTileDim); }

struct Tensor {
  uint32_t rows = 0, columns = 0;
  Format format = Format::Bf16;
  std::vector<float> values;  // rows * columns, row-major, each of them a number of the format
  /// INT32 only: the numbers exactly, as not all are numbers of FP32. May be empty if they are.
  std::vector<int32_t> integers{};

  double number(size_t i) const { return integers.empty() ? double{values[i]} : static_cast<double>(integers[i]); }
  double at(uint32_t row, uint32_t column) const { return number(size_t{row} * columns + column); }
  uint32_t tile_rows() const { return tiles_across(rows); }
  uint32_t tile_columns() const { return tiles_across(columns); }
  uint32_t tiles() const { return tile_rows() * tile_columns(); }
};

/// Uniform in [low, high), rounded to the format; the same for a seed on every host.
Tensor random_tensor(uint32_t rows, uint32_t columns, Format format, float low, float high, uint64_t seed);

/// Uniform in [-1, 1), of integers from -127 or 0 to 127.
Tensor random_tensor(uint32_t rows, uint32_t columns, Format format, uint64_t seed);

/// Tiles of 32 x 32, row-major over tiles; in a tile four faces of 16 x 16, left to right, top to bottom. At least the
/// tensor's own tile_rows() x tile_columns(); what lies outside the tensor is `padding`. Of a batch, matrices of the
/// same shape lie one below the other, each with tiles of its own.
std::vector<std::byte> to_tiles(const Tensor& tensor, uint32_t tile_rows, uint32_t tile_columns, float padding = 0,
                                uint32_t batch = 1);
/// The inverse: fills in `values` from the upper left of such tiles. A matrix of a batch has no more rows of tiles than
/// it needs.
void from_tiles(std::span<const std::byte> tiles, uint32_t tile_columns, Tensor& tensor, uint32_t batch = 1);

/// Makes each value the format's nearest, as it comes back from tiles.
void round_to_format(Tensor& tensor);

/// Whole numbers in `integers`, and the nearest ones of FP32 in `values`.
Tensor integer_tensor(uint32_t rows, uint32_t columns, std::vector<int32_t> integers);

/// A hash of the values; the same on every host.
uint64_t hash(const Tensor& tensor);

}  // namespace kerr::graph
