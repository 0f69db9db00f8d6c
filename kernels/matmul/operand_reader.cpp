// The operands of an epilogue, from DRAM.
#include "kernels/emit/dataflow.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

void read_operands(Stream& a, const MatmulPlan& p, const DramTiles& dram, isa::Reg row, isa::Reg column,
                   isa::Reg common, isa::Reg base, const DataflowBuffer& buffer) {
  const std::uint32_t pages = pages_operands(p) / 2;
  a.comment("operands of the epilogue");
  dram.use_page(a);
  buffer.reserve_back(a, pages);
  for (std::uint32_t operand = 0; operand < p.operands(); ++operand) {
    a.lw(base, common, kCommonOperands + 4 * static_cast<std::int32_t>(operand));
    for (std::uint32_t i = 0; i < p.sub_rows; ++i) {
      if (p.options.epilogue->operands_have_rows[operand]) {
        a.addi(t0, row, static_cast<std::int32_t>(i));
        a.li(t1, p.n_tiles);
        a.mul(t0, t0, t1);
        a.add(t0, t0, column);
        add_product(a, p, t0, kLocalC);
      } else {
        a.mv(t0, column);
      }
      dram.read(a, p.sub_columns, base, buffer.pointer);
    }
  }
  dram.read_barrier(a);
  buffer.push_back(a, pages);
}

void read_all_operands(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart) {
  constexpr isa::Reg kInterface = a0, kRow = a2, kRowEnd = a4, kColumn = a5, kColumnEnd = a6, kFirstColumn = a7,
                     kBase = s8;
  const DataflowBuffer buffer{kBufferOperands, pages_operands(p), s1, s3, kInterface};
  const DramTiles dram{layout, hart, kReaderNoc, tile_bytes(*operand_format(p.options)), s0, s7, s5};
  a.lw(kRow, a0, kArgRow);
  a.lw(kFirstColumn, a0, kArgColumn);
  a.mv(kInterface, a3);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.li(t0, p.core_rows);
  a.add(kRowEnd, kRow, t0);
  a.li(t0, p.core_columns);
  a.add(kColumnEnd, kFirstColumn, t0);

  const auto all_sub_blocks = a.turns(p.sub_blocks());
  const isa::Label next_row = a.here("next_row_of_operands");
  a.mv(kColumn, kFirstColumn);
  const isa::Label next_column = a.here("next_column_of_operands");
  read_operands(a, p, dram, kRow, kColumn, a1, kBase, buffer);
  a.addi(kColumn, kColumn, static_cast<std::int32_t>(p.sub_columns));
  a.bltu(kColumn, kColumnEnd, next_column);
  a.addi(kRow, kRow, static_cast<std::int32_t>(p.sub_rows));
  a.bltu(kRow, kRowEnd, next_row);
  if (p.batch() > 1) buffer.close_writing(a);
}

}  // namespace kerr::kernels::matmul
