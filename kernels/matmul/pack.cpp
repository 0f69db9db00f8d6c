// TRISC2: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/packer.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kInterface = a0, kSubBlocks = a2, kHalf = a3, kAddress = a4, kTiles = a5, kTile = a6, kBlocks = a7;

constexpr std::uint32_t kGprCount = 24;  // the pushed count; the others are the Packer's

Packer packer(const MatmulPlan& p) {
  return {kWindows, kHalf, kAddress, kTile, p.options.out, packer_input(p.options), p.options.dst32()};
}

// Adds to what lies in L1, or writes over it.
void accumulate_in_l1(Stream& a, bool on) {
  a.tensix(tx::STALLWAIT{.wait_res = until::kPack0, .stall_res = stall::kCfg});
  modify_config(a, 70, 1u << 2, on ? 1u << 2 : 0);
  modify_config(a, 71, 1u << 19, on ? 1u << 19 : 0);
}

// The next finished half of Dst.
void pack_sub_block(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer) {
  const ZoneMarks zones{p.options.zones, arch::Hart::kTrisc2};
  const Packer pack = packer(p);
  pack.acquire(a);
  buffer.reserve_back(a, p.sub_tiles());
  zones.begin(a, Zone::Pack);
  a.mv(kAddress, buffer.pointer);
  a.li(kTile, 0);
  a.repeat(kTiles, p.sub_tiles(), [&] {
    pack.pack_tile(a);
    a.addi(kAddress, kAddress, static_cast<std::int32_t>(pack.page16()));
    a.addi(kTile, kTile, 1);
  });
  buffer.push_back(a, kWindows, p.sub_tiles(), pack.page16(), kGprCount);
  pack.release(a);
  zones.end(a, Zone::Pack);
}

}  // namespace

Kernel pack(const MatmulPlan& p) {
  Stream a;
  const ComputeBuffer product{kBufferC, pages_c(p), s3, s4, s5, kInterface};
  const ComputeBuffer partial{kBufferPartial, pages_c(p), s6, s7, s8, kInterface};

  a.function("matmul_pack");
  const ZoneMarks zones{p.options.zones, arch::Hart::kTrisc2};
  enter(a);
  zones.begin(a, Zone::Kernel);
  a.mv(kInterface, a3);
  kWindows.open(a);
  product.open_for_writing(a);
  a.comment("packer");
  packer(p).configure(a);
  if (has_partials(p)) {
    partial.open_for_writing(a);
    a.repeat(kBlocks, p.k_blocks() - 1, [&] {
      a.repeat(kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, partial); });
      accumulate_in_l1(a, true);
    });
    accumulate_in_l1(a, false);
  }
  a.repeat(kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, product); });
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
