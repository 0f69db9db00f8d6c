#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/reduce/streams.hpp"

namespace kerr::kernels::reduce {

using namespace isa::reg;

Kernel reader(const ReduceShape& shape, const elementwise::Traffic& traffic, const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kInterface = a0, kOutput = a2, kOutputs = a3, kBase = a4, kTile = a5, kPasses = a6;
  const DataflowBuffer buffer{elementwise::kBufferIn, traffic.pages_in(), s1, s3, kInterface};
  const DramTiles dram{layout, arch::Hart::kNcrisc, elementwise::kReaderNoc, traffic.tile_bytes(), s0, s7, s5};
  const bool rows = shape.along == Along::Row;
  Stream a;
  a.function("reduce_reader");
  enter(a);
  a.lw(kOutput, a0, elementwise::kArgFirst);
  a.lw(kBase, a1, elementwise::kCommonInputs);
  a.lw(t0, a0, elementwise::kArgTiles);
  a.mv(kInterface, a3);
  a.mv(kOutputs, t0);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.repeat_argument(kOutputs, elementwise::kArgTiles, [&] {
    // Row by row the tiles follow each other; down a column they are a row apart.
    a.mv(kTile, kOutput);
    if (rows) {
      a.li(t1, shape.tile_columns);
      a.mul(kTile, kTile, t1);
    }
    a.repeat(kPasses, traffic.passes, [&] {
      buffer.reserve_back(a, 1);
      a.mv(t0, kTile);
      dram.read(a, 1, kBase, buffer.pointer);
      dram.read_barrier(a);
      buffer.push_back(a, 1);
      a.li(t0, rows ? 1 : shape.tile_columns);
      a.add(kTile, kTile, t0);
    });
    a.addi(kOutput, kOutput, 1);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::reduce
