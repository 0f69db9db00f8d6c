#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

// Reads one operand's tiles of a sub-block and K block. `row_tile`, the first tile of a row, grows by `stride` a row.
void read_rows(Stream& a, const DramTiles& dram, isa::Reg rows, uint32_t count, uint32_t row_tiles, isa::Reg row_tile,
               uint32_t stride, isa::Reg base, isa::Reg pointer, const ShardTable& shards) {
  a.repeat(rows, count, [&] {
    a.mv(t0, row_tile);
    dram.read(a, row_tiles, base, pointer, shards);
    add_constant(a, row_tile, stride);
  });
}

// for each sub-block of C, row by row: for each block of K: A's tiles (row by row), B's tiles (K by K)
void read_product(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  constexpr isa::Reg kPointerA = a2, kPointerB = a4, kRows = a5, kTileA = a6, kTileB = a7, kBaseA = s3, kBaseB = s4,
                     kRowA = s5, kColumn = s6, kBlocks = s7, kSubBlockRows = s8, kSubBlockColumns = s9, kTileC = s10,
                     kPointerOperands = s11;
  const DataflowBuffer buffer_a{kBufferA, pages_a(p), kPointerA, a3, flow_of_operands(p)};
  const DataflowBuffer buffer_b{kBufferB, pages_b(p), kPointerB, a3, flow_of_operands(p)};
  const DataflowBuffer buffer_operands{kBufferOperands, pages_operands(p), kPointerOperands, a3};
  const DramTiles dram{layout, arch::Hart::Ncrisc, kReaderNoc, p.in_bytes(), s0, s1, s2, p.in_tiles_of_page()};
  DramTiles dram_operands = dram;
  dram_operands.tiles_of_page = 1;
  const ZoneMarks zones{p.options.zones, arch::Hart::Ncrisc};
  const bool has_operands = p.operands() != 0;

  a.lw(kRowA, a0, kArgRow);
  a.lw(kColumn, a0, kArgColumn);
  a.lw(kBaseA, a1, kCommonA);
  a.lw(kBaseB, a1, kCommonB);
  a.li(t0, p.k_tiles);
  a.mul(kRowA, kRowA, t0);
  add_product(a, p, kRowA, kLocalA);
  buffer_a.open_for_writing(a);
  buffer_b.open_for_writing(a);
  if (has_operands) {
    a.lw(kTileC, a0, kArgTile);
    add_product(a, p, kTileC, kLocalC);
    dram_operands.page_bytes = tile_bytes(*operand_format(p.options));
    buffer_operands.open_for_writing(a);
  }
  dram.open_for_reading(a);

  const auto block = [&] {
    buffer_a.reserve_back(a, p.sub_rows * p.k_block);
    zones.begin(a, Zone::Read);
    read_rows(a, dram, kRows, p.sub_rows, p.k_block, kTileA, p.k_tiles, kBaseA, kPointerA, shards.a);
    add_constant(a, kTileA, p.k_block - p.sub_rows * p.k_tiles);
    buffer_b.reserve_back(a, p.sub_columns * p.k_block);
    read_rows(a, dram, kRows, p.k_block, p.sub_columns, kTileB, p.n_tiles, kBaseB, kPointerB, shards.b);
    dram.read_barrier(a);
    zones.end(a, Zone::Read);
    buffer_a.push_back(a, p.sub_rows * p.k_block);
    buffer_b.push_back(a, p.sub_columns * p.k_block);
  };
  a.repeat(kSubBlockRows, p.core_rows / p.sub_rows, [&] {
    a.repeat(kSubBlockColumns, p.core_columns / p.sub_columns, [&] {
      a.mv(kTileA, kRowA);
      a.mv(kTileB, kColumn);
      add_product(a, p, kTileB, kLocalB);
      a.repeat(kBlocks, p.k_blocks(), block);
      if (has_operands) {
        read_operands(a, p, dram_operands, {kTileC, kColumn, kBlocks, kTileA, kRows}, buffer_operands);
        dram.use_page(a);
        add_constant(a, kTileC, p.sub_columns);
      }
      add_constant(a, kColumn, p.sub_columns);
    });
    add_constant(a, kColumn, -p.core_columns);
    add_constant(a, kRowA, p.sub_rows * p.k_tiles);
    if (has_operands) add_constant(a, kTileC, p.sub_rows * p.n_tiles - p.core_columns);
  });
  if (p.batch() == 1) return;
  buffer_a.close_writing(a);
  buffer_b.close_writing(a);
  if (has_operands) buffer_operands.close_writing(a);
}

}  // namespace

Kernel reader(const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  return kernel_of_products(p, arch::Hart::Ncrisc, "matmul_reader",
                            [&](Stream& a) { for_each_product(a, p, [&] { read_product(a, p, layout, shards); }); });
}

}  // namespace kerr::kernels::matmul
