#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

// For each sub-block of C, row by row: its tiles, row by row.
void write_product(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
                   const ShardTable& shards) {
  constexpr isa::Reg kPointer = a5, kTile = a6, kExpected = a7, kPage = s0, kBase = s1, kRows = s2, kSubBlockRows = s3,
                     kSubBlockColumns = s4;
  const DataflowBuffer buffer{kBufferC, pages_c(p), kPointer, a3};
  const DramTiles dram{layout, hart, kWriterNoc, p.out_bytes(), a4, kExpected, kPage};
  const ZoneMarks zones{p.options.zones, hart};
  const std::uint32_t across = p.core_columns / p.sub_columns;
  a.lw(kTile, a0, kArgTile);
  a.lw(kBase, a1, kCommonC);
  add_product(a, p, kTile, kLocalC);
  buffer.open_for_reading(a);
  dram.open_for_writing(a);
  a.repeat(kSubBlockRows, p.core_rows / p.sub_rows, [&] {
    a.repeat(kSubBlockColumns, across, [&] {
      buffer.wait_front(a, p.sub_tiles());
      zones.begin(a, Zone::Write);
      a.repeat(kRows, p.sub_rows, [&] {
        a.mv(t0, kTile);
        dram.write(a, p.sub_columns, kBase, kPointer, shards);
        add_constant(a, kTile, p.n_tiles);
      });
      dram.write_barrier(a);
      zones.end(a, Zone::Write);
      buffer.pop_front(a, p.sub_tiles());
      if (across > 1) add_constant(a, kTile, p.sub_columns - p.sub_rows * p.n_tiles);
    });
    if (across > 1) add_constant(a, kTile, p.sub_rows * p.n_tiles - p.core_columns);
  });
  if (p.batch() > 1) buffer.close_reading(a);
}

Kernel writer(const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  Stream a;
  a.function("matmul_writer");
  const ZoneMarks zones{p.options.zones, arch::Hart::kBrisc};
  enter_products(a, p);
  zones.begin(a, Zone::Kernel);
  for_each_product(a, p, [&] { write_product(a, p, layout, arch::Hart::kBrisc, shards.c); });
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
