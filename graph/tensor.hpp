// Numbers on the host, in the precision of the device's format, and their tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/elementwise/elementwise.hpp"

namespace kerr::graph {

using kernels::ElementFormat;

struct Tensor {
  std::uint32_t rows = 0, columns = 0;
  ElementFormat format = ElementFormat::Bf16;
  std::vector<float> values;  // rows * columns, row-major, each of them a number of the format

  std::uint32_t tile_rows() const { return (rows + 31) / 32; }
  std::uint32_t tile_columns() const { return (columns + 31) / 32; }
  std::uint32_t tiles() const { return tile_rows() * tile_columns(); }
};

/// The nearest number of the format.
float rounded(float value, ElementFormat format);

/// Uniform in [low, high), rounded to the format; the same for a seed on every host.
Tensor random_tensor(std::uint32_t rows, std::uint32_t columns, ElementFormat format, float low, float high, std::uint64_t seed);

/// At least the tensor's own tile_rows() x tile_columns(); what lies outside the tensor is `padding`.
std::vector<std::byte> to_tiles(const Tensor& tensor, std::uint32_t tile_rows, std::uint32_t tile_columns, float padding = 0);
/// The inverse: fills in `values` from the upper left of such tiles.
void from_tiles(std::span<const std::byte> tiles, std::uint32_t tile_columns, Tensor& tensor);

}  // namespace kerr::graph
