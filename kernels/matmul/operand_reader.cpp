// The operands of an epilogue, from DRAM.
#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

void read_operands(Stream& a, const MatmulPlan& p, const DramTiles& dram, const OperandRegisters& r,
                   const DataflowBuffer& buffer) {
  const uint32_t pages = pages_operands(p) / 2;
  a.comment("operands of the epilogue");
  dram.use_page(a);
  buffer.reserve_back(a, pages);
  for (uint32_t operand = 0; operand < p.operands(); ++operand) {
    const bool has_rows = p.options.epilogue->operands_have_rows[operand];
    a.lw(r.base, a1, kCommonOperands + 4 * static_cast<int32_t>(operand));
    a.mv(r.row_tile, has_rows ? r.tile : r.column);
    a.repeat(r.rows, p.sub_rows, [&] {
      a.mv(t0, r.row_tile);
      dram.read(a, p.sub_columns, r.base, buffer.pointer);
      if (has_rows && p.sub_rows > 1) add_constant(a, r.row_tile, p.n_tiles);
    });
  }
  dram.read_barrier(a);
  buffer.push_back(a, pages);
}

void read_all_operands(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart) {
  constexpr isa::Reg kPointer = a4, kTile = a5, kColumn = a6, kBase = a7, kRowTile = s0, kRows = s1, kSubBlockRows = s2,
                     kSubBlockColumns = s3;
  const DataflowBuffer buffer{kBufferOperands, pages_operands(p), kPointer, a3};
  const DramTiles dram{layout, hart, kReaderNoc, tile_bytes(*operand_format(p.options)), s4, s5, s6};
  a.lw(kTile, a0, kArgTile);
  a.lw(kColumn, a0, kArgColumn);
  add_product(a, p, kTile, kLocalC);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.repeat(kSubBlockRows, p.core_rows / p.sub_rows, [&] {
    a.repeat(kSubBlockColumns, p.core_columns / p.sub_columns, [&] {
      read_operands(a, p, dram, {kTile, kColumn, kBase, kRowTile, kRows}, buffer);
      add_constant(a, kTile, p.sub_columns);
      add_constant(a, kColumn, p.sub_columns);
    });
    add_constant(a, kTile, p.sub_rows * p.n_tiles - p.core_columns);
    add_constant(a, kColumn, -p.core_columns);
  });
  if (p.batch() > 1) buffer.close_writing(a);
}

}  // namespace kerr::kernels::matmul
