// TRISC0: a tile of A and one of B into a slot of Dst, past SrcA.   docs/hardware/kernels.md 3.11
#include "kernels/blocks/unpacker.hpp"

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels::vector_product {

using namespace isa::reg;
namespace tx = isa::tensix;

Kernel unpack() {
  constexpr Windows kWindows{t3, t4, t5};
  constexpr isa::Reg kInterface = a3, kTiles = a2, kAddress = a1, kTile = a4, kSteps = a5, kKTiles = s0;
  constexpr Unpackers kUnpackers{kWindows, a6};
  constexpr uint32_t kGprCount = 4, kPage16 = tile_bytes(kFormat) / 16;
  const ComputeBuffer buffer{kBufferIn, kPagesIn, t6, a7, kInterface};

  Stream a = begin_kernel("vector_product_unpack");
  a.lw(kTiles, a0, kArgTiles);
  a.lw(kKTiles, a0, kArgKTiles);
  kWindows.open(a);
  buffer.open_for_reading(a);
  kUnpackers.configure(a, kFormat, info(kFormat).in_l1, 256);
  configure_unpack_to_dst(a, kUnpackers, 4);
  a.li(kTile, 0);
  unpack_to_dst_begin(a);  // the math thread has set up the semaphore of slots
  a.repeat_argument(kTiles, kArgTiles, [&] {
    a.mv(kSteps, kKTiles);
    a.repeat_argument(kSteps, kArgKTiles, [&] {
      buffer.wait_front(a, kTilesOfSlot);
      a.addi(kAddress, buffer.pointer, -1);  // as it is programmed
      a.comment("a free slot");
      a.tensix(tx::SEMWAIT{.wait_sem_cond = 2,
                           .sem_sel = 1u << kSemUnpackToDst,
                           .stall_res = stall::kUnpack | stall::kSync | stall::kCfg});
      for (uint32_t tile = 0; tile < kTilesOfSlot; ++tile) {
        a.slli(t0, kTile, 10);
        point_to_dst_place(a, kUnpackers, t0);
        kUnpackers.begin(a, kAddress, nullptr);
        a.tensix(tx::MOP{.mop_type = 1});
        kUnpackers.end(a);
        a.addi(kAddress, kAddress, kPage16);
        tile == 0 ? a.addi(kTile, kTile, 1) : a.xori(kTile, kTile, 3);  // 0, 1, 2, 3, 0
      }
      unpack_to_dst_end(a);
      buffer.pop_front(a, kWindows, kTilesOfSlot, kPage16, kGprCount);
    });
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::vector_product
