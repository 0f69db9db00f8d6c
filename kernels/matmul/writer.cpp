#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"
#include "kernels/stream/registers.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

// For each sub-block of C, row by row: its tiles, row by row.
void write_product(Stream& a, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
                   const ShardTable& shards) {
  // What the next product wants as it is on entry stays so; it is read in the order of tile, base and pointer.
  const Flow flow = flow_of_c(p);
  Registers registers;
  if (p.batch() > 1) registers.take("semaphores");
  if (p.batch() == 1) registers.release(a0);
  if (p.batch() == 1 && shards.pages == 0) registers.release(a1);
  if (flow != Flow::Around) registers.release(a3);
  const isa::Reg pointer = registers.take("place in the buffer"), base = registers.take("C's address");
  const isa::Reg tile = registers.take("tile"), rows = registers.take("rows");
  const isa::Reg sub_block_rows = registers.take("rows of sub-blocks");
  const DramTiles dram{layout,
                       hart,
                       kWriterNoc,
                       p.out_bytes(),
                       registers.take("command buffer"),
                       registers.take("answers"),
                       registers.take("bytes of a page"),
                       p.out_tiles_of_page()};
  const DataflowBuffer buffer{kBufferC, pages_c(p), pointer, a3, flow};
  const isa::Reg sub_block_columns = registers.take("columns of sub-blocks");
  const ZoneMarks zones{p.options.zones, hart};
  const uint32_t across = p.core_columns / p.sub_columns;
  a.lw(tile, a0, kArgTile);
  a.lw(base, a1, kCommonC);
  add_product(a, p, tile, kLocalC);
  buffer.open_for_reading(a);
  dram.open_for_writing(a);
  a.repeat(sub_block_rows, p.core_rows / p.sub_rows, [&] {
    a.repeat(sub_block_columns, across, [&] {
      buffer.wait_front(a, p.sub_tiles());
      zones.begin(a, Zone::Write);
      a.repeat(rows, p.sub_rows, [&] {
        a.mv(t0, tile);
        dram.write(a, p.sub_columns, base, buffer.pointer, shards);
        add_constant(a, tile, p.n_tiles);
      });
      dram.write_barrier(a);
      zones.end(a, Zone::Write);
      buffer.pop_front(a, p.sub_tiles());
      if (across > 1) add_constant(a, tile, p.sub_columns - p.sub_rows * p.n_tiles);
    });
    if (across > 1) add_constant(a, tile, p.sub_rows * p.n_tiles - p.core_columns);
  });
  if (p.batch() > 1) buffer.close_reading(a);
}

Kernel writer(const MatmulPlan& p, const arch::FirmwareLayout& layout, const ShardTables& shards) {
  return kernel_of_products(p, arch::Hart::Brisc, "matmul_writer", [&](Stream& a) {
    for_each_product(a, p, [&] { write_product(a, p, layout, arch::Hart::Brisc, shards.c); });
  });
}

}  // namespace kerr::kernels::matmul
