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
  Stream a = begin_kernel(name);
  a.lw(kOutput, a0, kArgFirst);
  a.lw(kBase, a1, kCommonInputs);
  a.lw(kOutputs, a0, kArgTiles);
  open(a, Direction::In, buffer, dram);
  a.repeat_argument(kOutputs, kArgTiles, [&] {
    order.first(a, kOutput, kTile);
    a.repeat(kPasses, traffic.passes, [&] {
      move_pages(a, Direction::In, buffer, dram, 1, [&] {
        a.mv(t0, kTile);
        dram.read(a, 1, kBase, buffer.pointer);
      });
      order.next(a, kTile);
    });
    a.addi(kOutput, kOutput, 1);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise
