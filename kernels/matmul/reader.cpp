#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

// Registers that live through the kernel, besides those that the buffers and DramTiles own.
constexpr isa::Reg kInterface = a0, kRow = a2, kRowEnd = a3, kColumn = a4, kColumnEnd = a5, kK = a6, kFirstColumn = a7;
constexpr isa::Reg kBaseA = s8, kBaseB = s9;

// t0 = (tile in register `major` + extra) * stride + (tile in register `minor`)
void tile_number(Stream& a, isa::Reg major, std::uint32_t extra, std::uint32_t stride, isa::Reg minor) {
  a.addi(t0, major, static_cast<std::int32_t>(extra));
  a.li(t1, stride);
  a.mul(t0, t0, t1);
  a.add(t0, t0, minor);
}

// for each sub-block of C, row by row: for each block of K: A's tiles (row by row), B's tiles (K by K)
void read_product(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  const DataflowBuffer buffer_a{kBufferA, pages_a(p), s1, s3, kInterface};
  const DataflowBuffer buffer_b{kBufferB, pages_b(p), s2, s4, kInterface};
  const DramTiles dram{layout, arch::Hart::kNcrisc, kReaderNoc, p.in_bytes(), s0, s7, s5};
  const DataflowBuffer buffer_operands{kBufferOperands, pages_operands(p), s6, s11, kInterface};
  DramTiles dram_operands = dram;

  const ZoneMarks zones{p.options.zones, arch::Hart::kNcrisc};
  a.lw(kRow, a0, kArgRow);
  a.lw(kFirstColumn, a0, kArgColumn);
  a.lw(kBaseA, a1, kCommonA);
  a.lw(kBaseB, a1, kCommonB);
  a.mv(kInterface, a3);
  buffer_a.open_for_writing(a);
  buffer_b.open_for_writing(a);
  if (p.operands() != 0) {
    dram_operands.page_bytes = tile_bytes(*operand_format(p.options));
    buffer_operands.open_for_writing(a);
  }
  dram.open_for_reading(a);
  a.li(t0, p.core_rows);
  a.add(kRowEnd, kRow, t0);
  a.li(t0, p.core_columns);
  a.add(kColumnEnd, kFirstColumn, t0);

  const auto all_blocks = a.turns(std::uint64_t{p.sub_blocks()} * p.k_blocks());
  const isa::Label next_row = a.here("next_row");
  a.mv(kColumn, kFirstColumn);
  const isa::Label next_column = a.here("next_column");
  a.li(kK, 0);
  const isa::Label next_k = a.here("next_k");
  buffer_a.reserve_back(a, p.sub_rows * p.k_block);
  zones.begin(a, Zone::Read);
  for (std::uint32_t row = 0; row < p.sub_rows; ++row) {
    tile_number(a, kRow, row, p.k_tiles, kK);
    add_product(a, p, t0, kLocalA);
    dram.read(a, p.k_block, kBaseA, buffer_a.pointer, shards.a);
  }
  buffer_b.reserve_back(a, p.sub_columns * p.k_block);
  for (std::uint32_t k = 0; k < p.k_block; ++k) {
    tile_number(a, kK, k, p.n_tiles, kColumn);
    add_product(a, p, t0, kLocalB);
    dram.read(a, p.sub_columns, kBaseB, buffer_b.pointer, shards.b);
  }
  dram.read_barrier(a);
  zones.end(a, Zone::Read);
  buffer_a.push_back(a, p.sub_rows * p.k_block);
  buffer_b.push_back(a, p.sub_columns * p.k_block);
  a.addi(kK, kK, static_cast<std::int32_t>(p.k_block));
  a.li(t0, p.k_tiles);
  a.bltu(kK, t0, next_k);
  if (p.operands() != 0) {
    const auto once_a_sub_block = a.turns_instead(p.sub_blocks());
    read_operands(a, p, dram_operands, kRow, kColumn, a1, s10, buffer_operands);
    dram.use_page(a);
  }
  a.addi(kColumn, kColumn, static_cast<std::int32_t>(p.sub_columns));
  a.bltu(kColumn, kColumnEnd, next_column);
  a.addi(kRow, kRow, static_cast<std::int32_t>(p.sub_rows));
  a.bltu(kRow, kRowEnd, next_row);
  if (p.batch() == 1) return;
  buffer_a.close_writing(a);
  buffer_b.close_writing(a);
  if (p.operands() != 0) buffer_operands.close_writing(a);
}

}  // namespace

Kernel reader(const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  Stream a;
  a.function("matmul_reader");
  const ZoneMarks zones{p.options.zones, arch::Hart::kNcrisc};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  for_each_product(a, p, [&] {
    if (p.batch() > 1) arguments_again(a, layout, arch::Hart::kNcrisc);
    read_product(a, p, layout, shards);
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
