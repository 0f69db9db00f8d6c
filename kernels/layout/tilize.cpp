#include "kernels/layout/tilize.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/tile_reader.hpp"
#include "kernels/stream/registers.hpp"

namespace kerr::kernels {

using namespace isa::reg;

namespace {

using namespace elementwise;

constexpr uint32_t kRowsOfTile = 32;

// What the streams of rows have in common: a tile after the other, and its rows as pages.
struct RowStream {
  Registers registers{};
  isa::Reg base = registers.take("the rows' address"), tile = registers.take("tile"),
           tiles = registers.take("tiles left");
  isa::Reg page = registers.take("page"), row = registers.take("rows left");
  isa::Reg pointer = registers.take("place in the buffer");
  isa::Reg command = registers.take("command buffer"), expected = registers.take("answers"),
           bytes = registers.take("bytes of a page");

  DataflowBuffer buffer(uint8_t id, uint32_t pages) const { return {id, pages, pointer, a3}; }
  DramTiles dram(const arch::FirmwareLayout& layout, arch::Hart hart, int noc, Format format) const {
    return {layout, hart, noc, row_page_bytes(format), command, expected, bytes};
  }

  void load_arguments(Stream& a, int common_base) const {
    a.lw(tile, a0, kArgFirst);
    a.lw(base, a1, common_base);
    a.lw(tiles, a0, kArgTiles);
  }

  // `body` for each row of the tile, with its page: of a matrix of `tile_columns` pages a row.
  template <class Body>
  void each_row(Stream& a, uint32_t tile_columns, Body&& body) const {
    a.li(t0, tile_columns);
    a.divu(t1, tile, t0);
    a.remu(page, tile, t0);
    a.li(t0, kRowsOfTile * tile_columns);
    a.mul(t1, t1, t0);
    a.add(page, page, t1);
    a.repeat(row, kRowsOfTile, [&] {
      a.mv(t0, page);
      body();
      add_constant(a, page, tile_columns);
    });
  }
};

// A tile after the other: its rows from DRAM into the first buffer, or from the second one to DRAM.
Kernel row_mover(Direction direction, const TilizeShape& shape, const Traffic& k, const arch::FirmwareLayout& layout) {
  const bool in = direction == Direction::In;
  const RowStream rows;
  const DataflowBuffer buffer = in ? rows.buffer(kBufferIn, k.pages_in()) : rows.buffer(kBufferOut, k.pages_out());
  const DramTiles dram = in ? rows.dram(layout, arch::Hart::Ncrisc, kReaderNoc, k.format)
                            : rows.dram(layout, arch::Hart::Brisc, kWriterNoc, k.format);
  Stream a = begin_kernel(in ? "tilize_reader" : "untilize_writer");
  rows.load_arguments(a, in ? kCommonInputs : kCommonOutput);
  open(a, direction, buffer, dram);
  a.repeat_argument(rows.tiles, kArgTiles, [&] {
    move_pages(a, direction, buffer, dram, 1, [&] {
      rows.each_row(a, shape.tile_columns, [&] { dram.move(a, direction, 1, rows.base, buffer.pointer); });
    });
    a.addi(rows.tile, rows.tile, 1);
  });
  return end_kernel(a);
}

// FP16 leaves Dst as FP32, so it has to be computed; the others are moved as they are.
vector::Emitted moved(Format format) {
  if (format != Format::Fp16) return {};
  Expression same;
  same.input(0);
  return vector_code(same, {format, format});
}

void check(const TilizeShape& shape, size_t cores) {
  if (tile_bytes(shape.format) < 2048) {
    throw std::invalid_argument(
        fmt::format("{} has {} bytes a tile: only formats of 16 and 32 bits, of 2048 and 4096, can lie row by row",
                    info(shape.format).name, tile_bytes(shape.format)));
  }
  if (shape.tile_rows == 0 || shape.tile_columns == 0) throw std::invalid_argument("a matrix without tiles");
  if (cores == 0) throw std::invalid_argument("no cores");
}

}  // namespace

host::Program tilize_program(const TilizeShape& shape, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t rows, uint32_t tiles) {
  check(shape, cores.size());
  const Traffic traffic{.format = shape.format, .inputs = 1, .rows_in = true};
  CheckedProgram program("tilize", layout);
  add_streams(program, traffic, row_mover(Direction::In, shape, traffic, layout), math(traffic, moved(shape.format)),
              shape.tile_rows * shape.tile_columns, cores, {.inputs = {rows}, .output = tiles});
  return std::move(program).finish();
}

host::Program untilize_program(const TilizeShape& shape, const arch::FirmwareLayout& layout,
                               std::span<const arch::NocCoord> cores, uint32_t tiles, uint32_t rows) {
  check(shape, cores.size());
  const Traffic traffic{.format = shape.format, .inputs = 1, .rows_out = true};
  const TileOrder one_after_the_other{.first = [](Stream& a, isa::Reg output, isa::Reg tile) { a.mv(tile, output); }};
  CheckedProgram program("untilize", layout);
  add_streams(program, traffic, tile_reader("untilize_reader", traffic, layout, one_after_the_other),
              math(traffic, moved(shape.format)), shape.tile_rows * shape.tile_columns, cores,
              {.inputs = {tiles}, .output = rows}, row_mover(Direction::Out, shape, traffic, layout));
  return std::move(program).finish();
}

}  // namespace kerr::kernels
