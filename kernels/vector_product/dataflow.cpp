// NCRISC brings a tile of A and one of B at a time, BRISC takes the tiles of C away.
#include "kernels/blocks/dataflow.hpp"

#include "kernels/blocks/frame.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels::vector_product {

using namespace isa::reg;

namespace {

constexpr isa::Reg kCommon = a1, kTile = a2, kInterface = a3;

DramTiles dram_tiles(const arch::FirmwareLayout& layout, arch::Hart hart, int noc) {
  return {layout, hart, noc, tile_bytes(kFormat), a0, s2, s3};
}

}  // namespace

Kernel reader(const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kTiles = a4, kSteps = a5, kKTiles = a6, kNTiles = a7, kMTiles = s0, kA = s4, kB = s5, kPageA = s6,
                     kPageB = s7;
  const DataflowBuffer buffer{kBufferIn, kPagesIn, s1, kInterface};
  const DramTiles dram = dram_tiles(layout, arch::Hart::Ncrisc, kReaderNoc);
  Stream a = begin_kernel("vector_product_reader");
  a.lw(kTile, a0, kArgFirst);
  a.lw(kTiles, a0, kArgTiles);
  a.lw(kKTiles, a0, kArgKTiles);
  a.lw(kNTiles, a0, kArgNTiles);
  a.lw(kMTiles, a0, kArgMTiles);
  a.lw(kA, kCommon, kCommonA);
  a.lw(kB, kCommon, kCommonB);
  open(a, Direction::In, buffer, dram);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    a.comment("first pages of A and B");
    a.divu(t0, kTile, kNTiles);
    a.remu(t1, kTile, kNTiles);
    a.mul(kPageA, t0, kKTiles);
    a.divu(t0, t0, kMTiles);
    a.mul(t0, t0, kNTiles);
    a.add(t0, t0, t1);
    a.mul(kPageB, t0, kKTiles);
    a.addi(kTile, kTile, 1);
    a.mv(kSteps, kKTiles);
    a.repeat_argument(kSteps, kArgKTiles, [&] {
      move_pages(a, Direction::In, buffer, dram, kTilesOfSlot, [&] {
        a.mv(t0, kPageA);
        dram.read(a, 1, kA, buffer.pointer);
        a.mv(t0, kPageB);
        dram.read(a, 1, kB, buffer.pointer);
        a.addi(kPageA, kPageA, 1);
        a.addi(kPageB, kPageB, 1);
      });
    });
  });
  return end_kernel(a);
}

Kernel writer(const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kTiles = a4, kC = a5;
  const DataflowBuffer buffer{kBufferOut, kPagesOut, s1, kInterface};
  const DramTiles dram = dram_tiles(layout, arch::Hart::Brisc, kWriterNoc);
  Stream a = begin_kernel("vector_product_writer");
  a.lw(kTile, a0, kArgFirst);
  a.lw(kTiles, a0, kArgTiles);
  a.lw(kC, kCommon, kCommonC);
  open(a, Direction::Out, buffer, dram);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    move_pages(a, Direction::Out, buffer, dram, 1, [&] {
      a.mv(t0, kTile);
      dram.write(a, 1, kC, buffer.pointer);
      a.addi(kTile, kTile, 1);
    });
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::vector_product
