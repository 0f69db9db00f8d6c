// Tiles and rows on the device: what the host would make of the same matrix, byte for byte.
#include <gtest/gtest.h>

#include <cstring>

#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/layout/layout.hpp"
#include "kernels/layout/tilize.hpp"

namespace kerr {
namespace {

using graph::Tensor;
using kernels::Format;

struct World {
  host::EmulatedDevice device;
  host::Chip chip{device};

  host::Buffer allocate(uint64_t bytes, uint32_t page) { return chip.allocate(host::Memory::Dram, bytes, page); }
  std::vector<std::byte> read(const host::Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    chip.read(buffer, bytes);
    return bytes;
  }
};
World& world() {
  static World world;
  return world;
}

// The datums of tiles, row by row over the matrix.
std::vector<std::byte> by_rows(const std::vector<std::byte>& tiles, uint32_t tile_rows, uint32_t tile_columns) {
  const size_t size = tiles.size() / tile_rows / tile_columns / 1024;
  std::vector<std::byte> rows(tiles.size());
  for (size_t row = 0; row < 32 * tile_rows; ++row) {
    for (size_t column = 0; column < 32 * tile_columns; ++column) {
      const size_t tile = row / 32 * tile_columns + column / 32;
      const size_t datum = (row % 32 / 16 * 2 + column % 32 / 16) * 256 + row % 16 * 16 + column % 16;
      std::memcpy(&rows[(row * 32 * tile_columns + column) * size], &tiles[(tile * 1024 + datum) * size], size);
    }
  }
  return rows;
}

TEST(Layout, RowsBecomeTilesAndTilesBecomeRows) {
  for (const Format format : {Format::Bf16, Format::Fp16, Format::Int16, Format::Fp32, Format::Int32}) {
    for (const size_t cores : {1, 5}) {
      const kernels::TilizeShape shape{format, 3, 2};
      const std::vector<std::byte> tiles = to_tiles(graph::random_tensor(96, 64, format, -30, 30, 4), 3, 2);
      const std::vector<std::byte> rows = by_rows(tiles, 3, 2);
      const host::Buffer row_buffer = world().allocate(rows.size(), kernels::row_page_bytes(format));
      const host::Buffer tile_buffer = world().allocate(tiles.size(), kernels::tile_bytes(format));
      const host::Buffer back = world().allocate(rows.size(), kernels::row_page_bytes(format));
      world().chip.write(row_buffer, rows);
      const auto used = world().chip.workers().first(cores);
      world().chip.run(
          kernels::tilize_program(shape, world().chip.layout(), used, row_buffer.address(), tile_buffer.address()));
      EXPECT_EQ(world().read(tile_buffer), tiles) << kernels::info(format).name;
      world().chip.run(
          kernels::untilize_program(shape, world().chip.layout(), used, tile_buffer.address(), back.address()));
      EXPECT_EQ(world().read(back), rows) << kernels::info(format).name;
    }
  }
}

TEST(Layout, WhatLiesBesideTheMatrixIsFilled) {
  for (const kernels::FormatInfo& format : kernels::kFormats) {
    const bool blocks = format.format == Format::Bfp8 || format.format == Format::Bfp4;
    const graph::Tensor tensor = graph::random_tensor(64, 96, format.format, -30, 30, 4);
    // The upper left of it, in a larger grid.
    const uint32_t rows = blocks ? 32 : 41, columns = blocks ? 64 : 70;
    graph::Tensor part{rows, columns, format.format, {}};
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t column = 0; column < columns; ++column)
        part.values.push_back(static_cast<float>(tensor.at(row, column)));
    }
    const host::Buffer from = world().allocate(6 * tile_bytes(format.format), tile_bytes(format.format));
    const host::Buffer to = world().allocate(12 * tile_bytes(format.format), tile_bytes(format.format));
    world().chip.write(from, to_tiles(tensor, 2, 3));
    kernels::LayoutShape shape{.format = format.format, .map = kernels::part_of_grid(3, 4, 3)};
    shape.tile_columns = 4;
    shape.rows = rows;
    shape.columns = columns;
    world().chip.run(kernels::layout_program(shape, world().chip.layout(), world().chip.workers().first(7),
                                             from.address(), to.address()));
    EXPECT_EQ(world().read(to), to_tiles(part, 3, 4)) << format.name;
  }
}

TEST(Layout, WhatCannotBeDoneIsRefused) {
  const arch::NocCoord core{1, 2};
  const auto refusal = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal([&] {
              kernels::tilize_program({Format::Bfp8, 1, 1}, arch::kFwB, {&core, 1}, 0, 0);
            }).find("bfp8 has 1088 bytes a tile"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              kernels::layout_program(
                  {.format = Format::Bfp4, .map = kernels::part_of_grid(1, 1, 1), .transposed = true}, arch::kFwB,
                  {&core, 1}, 0, 0);
            }).find("share exponents"),
            std::string::npos);
}

}  // namespace
}  // namespace kerr
