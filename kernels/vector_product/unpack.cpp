// TRISC0: a tile of A and one of B into a slot of Dst, past SrcA.   docs/hardware/kernels.md 3.11
#include "kernels/blocks/unpacker.hpp"

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels::vector_product {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{t3, t4, t5};
constexpr isa::Reg kInterface = a3, kTiles = a2, kAddress = a1, kSteps = a4, kDoubleSteps = a5, kOdd = s0;
constexpr Unpackers kUnpackers{kWindows, a6};
constexpr ComputeBuffer kBuffer{kBufferIn, kPagesIn, t6, a7, kInterface};

// Tile `tile` of the lower half of Dst.
void unpack_tile(Stream& a, uint32_t tile) {
  point_to_dst_tile(a, kUnpackers, zero, tile);
  kUnpackers.begin(a, kAddress, nullptr);
  a.tensix(tx::MOP{.mop_type = 1});
  kUnpackers.end(a);
}

void fill_slots(Stream& a, uint32_t slots) {
  constexpr uint32_t kGprCount = 4, kPage16 = tile_bytes(kFormat) / 16;
  a.comment("the math thread has taken what was there");
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 2, .sem_sel = 1u << kSemUnpackToDst, .stall_res = stall::kUnpack | stall::kSync | stall::kCfg});
  for (uint32_t slot = 0; slot < slots; ++slot) {
    kBuffer.wait_front(a, kTilesOfSlot);
    a.addi(kAddress, kBuffer.pointer, -1);  // as it is programmed
    unpack_tile(a, kTilesOfSlot * slot);
    a.addi(kAddress, kAddress, kPage16);
    unpack_tile(a, kTilesOfSlot * slot + 1);
    if (slot + 1 == slots) unpack_to_dst_end(a);
    kBuffer.pop_front(a, kWindows, kTilesOfSlot, kPage16, kGprCount);
  }
}

}  // namespace

Kernel unpack() {
  Stream a = begin_kernel("vector_product_unpack");
  a.lw(kTiles, a0, kArgTiles);
  a.lw(kDoubleSteps, a0, kArgDoubleSteps);
  a.lw(kOdd, a0, kArgOdd);
  kWindows.open(a);
  kBuffer.open_for_reading(a);
  kUnpackers.configure(a, kFormat, info(kFormat).in_l1, 256);
  configure_unpack_to_dst(a, kUnpackers, 4);
  unpack_to_dst_begin(a);  // the math thread has set up the semaphore
  a.repeat_argument(kTiles, kArgTiles, [&] {
    for_each_step(a, kSteps, kDoubleSteps, kOdd, [&](uint32_t slots) { fill_slots(a, slots); });
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::vector_product
