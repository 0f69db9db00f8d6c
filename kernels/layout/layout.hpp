// A host::Program of the two dataflow harts that moves tiles and fills padding.   docs/hardware/kernels.md 6.1
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/format.hpp"

namespace kerr::kernels {

/// Tile t of the output is tile `first` + sum of i[k] * strides[k] of the input, where the i[k] < sizes[k] are the
/// digits of t, the last one turning fastest.
struct TileMap {
  std::array<uint32_t, 4> sizes{1, 1, 1, 1}, strides{0, 0, 0, 0};
  uint32_t first = 0;
  uint32_t tiles() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
};

/// A grid of `rows` x `columns` tiles out of one whose rows of tiles are `stride` tiles apart.
constexpr TileMap part_of_grid(uint32_t rows, uint32_t columns, uint32_t stride, uint32_t first = 0) {
  return {.sizes = {1, 1, rows, columns}, .strides = {0, 0, stride, 1}, .first = first};
}

struct LayoutShape {
  Format format;
  TileMap map;
  bool transposed = false;  // elements within tiles; not of block formats
  /// Elements of the output from row `rows` or column `columns` on are filled with the bits `padding`; in block formats
  /// only whole tiles, with 0. Tiles of padding alone are not read. tile_columns 0: nothing is filled.
  uint32_t tile_columns = 0, rows = 0, columns = 0;
  uint32_t padding = 0;
};

/// `input` and `output`: DRAM addresses of tensors whose pages of one tile go round the banks. Throws
/// std::invalid_argument: no tiles, no cores, block formats where elements are touched.
host::Program layout_program(const LayoutShape& shape, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output);

}  // namespace kerr::kernels
