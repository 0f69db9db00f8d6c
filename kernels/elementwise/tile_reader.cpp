#include "kernels/elementwise/tile_reader.hpp"

#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;

Kernel tile_reader(const std::string& name, const Traffic& traffic, const arch::FirmwareLayout& layout,
                   const TileOrder& order) {
  constexpr isa::Reg kInterface = a3, kOutput = a2, kOutputs = a7, kBase = a4, kTile = a5, kPasses = a6;
  const DataflowBuffer buffer{kBufferIn, traffic.pages_in(), s0, kInterface};
  const DramTiles dram{layout, arch::Hart::Ncrisc, kReaderNoc, traffic.in_bytes(), a0, a1, s1};
  Stream a;
  a.function(name);
  enter(a);
  a.lw(kOutput, a0, kArgFirst);
  a.lw(kBase, a1, kCommonInputs);
  a.lw(kOutputs, a0, kArgTiles);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.repeat_argument(kOutputs, kArgTiles, [&] {
    order.first(a, kOutput, kTile);
    a.repeat(kPasses, traffic.passes, [&] {
      buffer.reserve_back(a, 1);
      a.mv(t0, kTile);
      dram.read(a, 1, kBase, buffer.pointer);
      dram.read_barrier(a);
      buffer.push_back(a, 1);
      order.next(a, kTile);
    });
    a.addi(kOutput, kOutput, 1);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::elementwise
