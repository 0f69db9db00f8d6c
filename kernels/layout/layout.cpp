#include "kernels/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels {

using namespace isa::reg;

namespace {

using namespace elementwise;

constexpr isa::Reg kInterface = a3, kOutput = a2, kOutputs = a1, kBase = a4, kTile = a5, kStart = a6, kOffset = a7;
constexpr isa::Reg kRows = s0, kColumns = s1;  // of the tile, that belong to the matrix
constexpr int32_t kDatums = 1024;

constexpr int datum_shift(Format format) { return is_wide(format) ? 2 : tile_bytes(format) == 2048 ? 1 : 0; }

// t0 <- address of the datum in row t3 and column t4. Clobbers t1.
void address_of_datum(Stream& a, int shift) {
  a.srli(t0, t3, 4);
  a.slli(t0, t0, 1);
  a.srli(t1, t4, 4);
  a.add(t0, t0, t1);  // face
  a.slli(t0, t0, 4);
  a.andi(t1, t3, 15);
  a.add(t0, t0, t1);
  a.slli(t0, t0, 4);
  a.andi(t1, t4, 15);
  a.add(t0, t0, t1);
  if (shift != 0) a.slli(t0, t0, shift);
  a.add(t0, t0, kStart);
}
void load(Stream& a, int shift, isa::Reg value, isa::Reg address) {
  shift == 2 ? a.lw(value, address) : shift == 1 ? a.lhu(value, address) : a.lbu(value, address);
}
void store(Stream& a, int shift, isa::Reg value, isa::Reg address) {
  shift == 2 ? a.sw(value, address) : shift == 1 ? a.sh(value, address) : a.sb(value, address);
}

// `body` for every row t3 and column t4 of the tile.
template <class Body>
void each_datum(Stream& a, Body&& body) {
  a.li(kOffset, 0);
  const isa::Label top = a.here();
  a.srli(t3, kOffset, 5);
  a.andi(t4, kOffset, 31);
  body();
  a.addi(kOffset, kOffset, 1);
  a.li(t0, kDatums);
  a.bne(kOffset, t0, top);
}

void transpose_datums(Stream& a, int shift) {
  each_datum(a, [&] {
    const isa::Label done = a.label();
    a.bgeu(t3, t4, done);
    address_of_datum(a, shift);
    a.mv(t5, t0);
    a.mv(t2, t3);
    a.mv(t3, t4);
    a.mv(t4, t2);
    address_of_datum(a, shift);
    load(a, shift, t1, t0);
    load(a, shift, t2, t5);
    store(a, shift, t2, t0);
    store(a, shift, t1, t5);
    a.bind(done);
  });
}

void fill_beside_matrix(Stream& a, int shift, uint32_t padding) {
  each_datum(a, [&] {
    const isa::Label fill = a.label(), done = a.label();
    a.bgeu(t3, kRows, fill);
    a.bltu(t4, kColumns, done);
    a.bind(fill);
    address_of_datum(a, shift);
    a.li(t1, padding);
    store(a, shift, t1, t0);
    a.bind(done);
  });
}

// The whole tile. Clobbers t0 and t1.
void clear(Stream& a, uint32_t bytes) {
  a.mv(t0, kStart);
  a.li(t1, bytes);
  a.add(t1, t1, kStart);
  const isa::Label top = a.here();
  a.sw(zero, t0);
  a.addi(t0, t0, 4);
  a.bne(t0, t1, top);
}

// kTile <- where the output's tile comes from. Clobbers t0 to t2.
void find_source(Stream& a, const TileMap& map) {
  a.li(kTile, map.first);
  a.mv(t0, kOutput);
  for (size_t k = map.sizes.size(); k-- > 0;) {
    if (map.sizes[k] == 1) continue;
    a.li(t1, map.sizes[k]);
    a.remu(t2, t0, t1);
    a.divu(t0, t0, t1);
    a.li(t1, map.strides[k]);
    a.mul(t2, t2, t1);
    a.add(kTile, kTile, t2);
  }
}

// `count` <- how many of `all` elements lie in the tile that begins at 32 * `tile`: at most 32, perhaps none.
void elements_in_tile(Stream& a, isa::Reg count, isa::Reg tile, uint32_t all) {
  const isa::Label none = a.label(), end = a.label();
  a.slli(t1, tile, 5);
  a.li(count, all);
  a.bleu(count, t1, none);
  a.sub(count, count, t1);
  a.li(t1, 32);
  a.bleu(count, t1, end);
  a.mv(count, t1);
  a.j(end);
  a.bind(none);
  a.li(count, 0);
  a.bind(end);
}

Kernel reader(const LayoutShape& shape, const Traffic& traffic, const arch::FirmwareLayout& layout) {
  const int shift = datum_shift(shape.format);
  const bool fills = shape.tile_columns != 0;
  const DataflowBuffer buffer{kBufferOut, traffic.pages_out(), s2, kInterface};
  const DramTiles dram{layout, arch::Hart::Ncrisc, kReaderNoc, traffic.in_bytes(), a0, s3, s4};
  Stream a = begin_kernel("layout_reader");
  a.lw(kOutput, a0, kArgFirst);
  a.lw(kBase, a1, kCommonInputs);
  a.lw(kOutputs, a0, kArgTiles);
  open(a, Direction::In, buffer, dram);
  a.repeat_argument(kOutputs, kArgTiles, [&] {
    const isa::Label empty = a.label(), fill = a.label(), done = a.label();
    buffer.reserve_back(a, 1);
    a.mv(kStart, buffer.pointer);
    if (fills) {
      a.li(t0, shape.tile_columns);
      a.divu(t2, kOutput, t0);
      a.remu(t3, kOutput, t0);
      elements_in_tile(a, kRows, t2, shape.rows);
      elements_in_tile(a, kColumns, t3, shape.columns);
      a.beqz(kRows, empty);
      a.beqz(kColumns, empty);
    }
    find_source(a, shape.map);
    a.mv(t0, kTile);
    dram.read(a, 1, kBase, buffer.pointer);
    dram.read_barrier(a);
    if (shape.transposed) transpose_datums(a, shift);
    if (fills) {
      a.li(t0, 32);
      a.bne(kRows, t0, fill);
      a.beq(kColumns, t0, done);
      a.j(fill);
      a.bind(empty);
      add_constant(a, buffer.pointer, traffic.in_bytes());
      if (shape.padding == 0) {
        clear(a, traffic.in_bytes());
        a.j(done);
      }
      a.bind(fill);
      if (!shares_exponents(shape.format)) fill_beside_matrix(a, shift, shape.padding);
    }
    a.bind(done);
    a.fence();
    buffer.push_back(a, 1);
    a.addi(kOutput, kOutput, 1);
  });
  return end_kernel(a);
}

}  // namespace

host::Program layout_program(const LayoutShape& shape, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output) {
  if (shape.map.tiles() == 0) throw std::invalid_argument("a matrix without tiles");
  if (cores.empty()) throw std::invalid_argument("no cores");
  const bool in_tiles =
      shape.tile_columns != 0 && (shape.rows % 32 != 0 || shape.columns % 32 != 0 || shape.padding != 0);
  if (shares_exponents(shape.format) && (shape.transposed || in_tiles)) {
    throw std::invalid_argument(fmt::format(
        "elements of {} share exponents: only whole tiles of it can be moved, or be zero", info(shape.format).name));
  }
  const Traffic traffic{.format = shape.format, .inputs = 1};
  CheckedProgram program("layout", layout);
  add_dataflow(program, traffic, reader(shape, traffic, layout), shape.map.tiles(), cores,
               {.inputs = {input}, .output = output});
  return std::move(program).finish();
}

}  // namespace kerr::kernels
