// TRISC2: results to L1.
#include "kernels/elementwise/streams.hpp"
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/packer.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;

Kernel pack(const Traffic& k) {
  constexpr Windows kWindows{s0, s1, s2};
  constexpr isa::Reg kInterface = a0, kTiles = a2, kHalf = a3, kAddress = a4, kTile = a5;
  constexpr std::uint32_t kGprCount = 24;
  Stream a;
  const ComputeBuffer buffer{kBufferOut, k.pages_out(), s3, s4, s5, kInterface};
  const Packer packer{kWindows, kHalf, kAddress, kTile, k.format, info(k.format).code, k.dst32()};

  a.function("elementwise_pack");
  enter(a);
  a.lw(kTiles, a0, kArgTiles);
  a.mv(kInterface, a3);
  kWindows.open(a);
  buffer.open_for_writing(a);
  packer.configure(a);
  a.li(kTile, 0);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    packer.acquire(a);
    buffer.reserve_back(a, 1);
    a.mv(kAddress, buffer.pointer);
    packer.pack_tile(a);
    buffer.push_back(a, kWindows, 1, packer.page16(), kGprCount);
    packer.release(a);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::elementwise
