// TRISC2: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/packer.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kInterface = a0, kSubBlocks = a2, kHalf = a3, kAddress = a4, kTiles = a5, kTile = a6, kBlocks = a7;

constexpr std::uint32_t kGprCount = 24;  // the pushed count; the others are the Packer's

Packer packer(const MatmulPlan& p) {
  return {kWindows, kHalf, kAddress, kTile, p.options.out, packer_input(p.options), p.options.dst32()};
}

// Of partial sums: as they are in Dst.
Packer partial_packer(const MatmulPlan& p) {
  Packer made = packer(p);
  made.format = *partial_format(p.options);
  made.from = info(made.format).code;
  return made;
}

// The next finished half of Dst.
void pack_sub_block(Stream& a, const MatmulPlan& p, const Packer& pack, const ComputeBuffer& buffer) {
  const ZoneMarks zones{p.options.zones, arch::Hart::kTrisc2};
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
  const ComputeBuffer partial{kBufferPartial, pages_partial(p), s6, s7, s8, kInterface};

  a.function("matmul_pack");
  const ZoneMarks zones{p.options.zones, arch::Hart::kTrisc2};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  a.mv(kInterface, a3);
  kWindows.open(a);
  product.open_for_writing(a);
  a.comment("packer");
  const bool changes = p.has_partials() && !partials_alias(p);
  (p.has_partials() ? partial_packer(p) : packer(p)).configure(a);
  if (p.has_partials()) partial.open_for_writing(a);
  for_each_product(a, p, [&] {
    if (p.has_partials()) {
      const Packer of_partials = partial_packer(p);
      if (changes && p.batch() > 1) of_partials.change_format(a);
      if (!changes && p.batch() > 1) product.reserve_back(a, pages_c(p));  // the last product has left their pages
      a.repeat(kBlocks, p.k_blocks() - 1, [&] {
        a.repeat(kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, of_partials, partial); });
        of_partials.accumulate_in_l1(a, true);
      });
      of_partials.accumulate_in_l1(a, false);
      if (changes) packer(p).change_format(a);
    }
    a.repeat(kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, packer(p), product); });
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
