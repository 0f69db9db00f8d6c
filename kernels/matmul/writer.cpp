#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

constexpr isa::Reg kInterface = a0, kRow = a2, kRowEnd = a3, kColumn = a4, kColumnEnd = a5, kFirstColumn = a7,
                   kBaseC = s8;

}  // namespace

// For each sub-block of C, row by row: its tiles, row by row. Expects the arguments in a0 and a1, the circular buffers in a3.
void write_product(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
                   const ShardTable& shards) {
  const DataflowBuffer buffer{kBufferC, pages_c(p), s1, s3, kInterface};
  const DramTiles dram{layout, hart, kWriterNoc, p.out_bytes(), s0, s7, s5};
  const ZoneMarks zones{p.options.zones, hart};
  a.lw(kRow, a0, kArgRow);
  a.lw(kFirstColumn, a0, kArgColumn);
  a.lw(kBaseC, a1, kCommonC);
  a.mv(kInterface, a3);
  buffer.open_for_reading(a);
  dram.open_for_writing(a);
  a.li(t0, p.core_rows);
  a.add(kRowEnd, kRow, t0);
  a.li(t0, p.core_columns);
  a.add(kColumnEnd, kFirstColumn, t0);

  const auto all_sub_blocks = a.turns(p.sub_blocks());
  const isa::Label next_row = a.here("next_row");
  a.mv(kColumn, kFirstColumn);
  const isa::Label next_column = a.here("next_column");
  buffer.wait_front(a, p.sub_tiles());
  zones.begin(a, Zone::Write);
  for (std::uint32_t row = 0; row < p.sub_rows; ++row) {
    a.addi(t0, kRow, static_cast<std::int32_t>(row));
    a.li(t1, p.n_tiles);
    a.mul(t0, t0, t1);
    a.add(t0, t0, kColumn);
    add_product(a, p, t0, kLocalC);
    dram.write(a, p.sub_columns, kBaseC, buffer.pointer, shards);
  }
  dram.write_barrier(a);
  zones.end(a, Zone::Write);
  buffer.pop_front(a, p.sub_tiles());
  a.addi(kColumn, kColumn, static_cast<std::int32_t>(p.sub_columns));
  a.bltu(kColumn, kColumnEnd, next_column);
  a.addi(kRow, kRow, static_cast<std::int32_t>(p.sub_rows));
  a.bltu(kRow, kRowEnd, next_row);
  if (p.batch() > 1) buffer.close_reading(a);
}

Kernel writer(const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  Stream a;
  a.function("matmul_writer");
  const ZoneMarks zones{p.options.zones, arch::Hart::kBrisc};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  for_each_product(a, p, [&] {
    if (p.batch() > 1) arguments_again(a, layout, arch::Hart::kBrisc);
    write_product(a, p, layout, arch::Hart::kBrisc, shards.c);
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
