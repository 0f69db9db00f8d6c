#include "graph/tensor.hpp"

#include <bit>
#include <cstring>

#include "graph/bf16.hpp"
#include "graph/random.hpp"
#include "graph/tile_layout.hpp"

namespace kerr::graph {

float rounded(float value, ElementFormat format) {
  return format == ElementFormat::Bf16 ? bf16_to_float(float_to_bf16(value)) : value;
}

Tensor random_tensor(std::uint32_t rows, std::uint32_t columns, ElementFormat format, float low, float high, std::uint64_t seed) {
  Tensor tensor{rows, columns, format, std::vector<float>(std::size_t{rows} * columns)};
  for (float& value : tensor.values) {
    const double unit = static_cast<double>(next_random(seed) >> 40) / (1 << 24);
    value = rounded(static_cast<float>(low + (static_cast<double>(high) - low) * unit), format);
  }
  return tensor;
}

std::vector<std::byte> to_tiles(const Tensor& tensor, std::uint32_t tile_rows, std::uint32_t tile_columns, float padding) {
  std::vector<std::byte> tiles(std::size_t{tile_rows} * tile_columns * kernels::tile_bytes(tensor.format));
  if (padding != 0) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(padding);
    const std::size_t size = kernels::tile_bytes(tensor.format) / kTileValues;
    for (std::size_t at = 0; at < tiles.size(); at += size) std::memcpy(&tiles[at], reinterpret_cast<const std::byte*>(&bits) + 4 - size, size);
  }
  for_each_run(tensor.rows, tensor.columns, tile_columns,
               [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t place) {
                 const float* from = &tensor.values[std::size_t{row} * tensor.columns + column];
                 if (tensor.format == ElementFormat::Fp32) {
                   std::memcpy(tiles.data() + 4 * place, from, 4 * count);
                   return;
                 }
                 for (std::uint32_t i = 0; i < count; ++i) {
                   const std::uint16_t bits = float_to_bf16(from[i]);
                   std::memcpy(tiles.data() + 2 * (place + i), &bits, 2);
                 }
               });
  return tiles;
}

void from_tiles(std::span<const std::byte> tiles, std::uint32_t tile_columns, Tensor& tensor) {
  tensor.values.resize(std::size_t{tensor.rows} * tensor.columns);
  for_each_run(tensor.rows, tensor.columns, tile_columns,
               [&](std::uint32_t row, std::uint32_t column, std::uint32_t count, std::size_t place) {
                 float* to = &tensor.values[std::size_t{row} * tensor.columns + column];
                 if (tensor.format == ElementFormat::Fp32) {
                   std::memcpy(to, tiles.data() + 4 * place, 4 * count);
                   return;
                 }
                 for (std::uint32_t i = 0; i < count; ++i) {
                   std::uint16_t bits;
                   std::memcpy(&bits, tiles.data() + 2 * (place + i), 2);
                   to[i] = bf16_to_float(bits);
                 }
               });
}

}  // namespace kerr::graph
