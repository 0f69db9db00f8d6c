// TRISC2: finished tiles of C to L1.   docs/hardware/kernels.md 3.7
#include "kernels/blocks/packer.hpp"

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels::vector_product {

using namespace isa::reg;

Kernel pack() {
  constexpr Windows kWindows{t4, t5, t6};
  constexpr isa::Reg kInterface = a3, kTiles = a2, kClear = a4, kOffsets = a5;
  constexpr uint32_t kGprCount = 24;
  const ComputeBuffer buffer{kBufferOut, kPagesOut, a7, a1, kInterface};
  const Packer packer{kWindows, kClear, kOffsets, kFormat, info(kFormat).in_l1, true};

  Stream a = begin_kernel("vector_product_pack");
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  buffer.open_for_writing(a);
  packer.configure(a);
  packer.select_half(a, kUpperHalf);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    packer.acquire(a);
    buffer.reserve_back(a, 1);
    packer.begin(a, buffer.pointer);
    packer.pack_tile(a);
    buffer.push_back(a, kWindows, 1, packer.page16(), kGprCount);
    packer.release_same(a);
  });
  packer.clear_all(a);
  return end_kernel(a);
}

}  // namespace kerr::kernels::vector_product
