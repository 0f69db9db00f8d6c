// TRISC2: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/packer.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

constexpr isa::Reg kInterface = a3, kBlocks = t4, kSubBlocks = t5, kTiles = t6;
constexpr Windows kWindows{
    kBlocks, a0, kSubBlocks};  // loops come after all that is stored to configuration and read of the MOP's state
constexpr isa::Reg kAddress = s0, kBack = s1;

constexpr uint32_t kGprCount = 24;  // the pushed count; the others are the Packer's

Packer packer(const MatmulPlan& p) {
  return {kWindows, a1, a2, p.options.out, packer_input(p.options), p.options.dst32()};
}

// The packer for partial sums, which keep the format that they have in Dst.
Packer partial_packer(const MatmulPlan& p) {
  Packer made = packer(p);
  made.format = *partial_format(p.options);
  made.from = info(made.format).in_l1;
  return made;
}

// The tiles of a half of Dst, whatever their format, to the pages at `address`.
void pack_half(Stream& a, const MatmulPlan& p, isa::Reg address) {
  const Packer pack = packer(p);
  pack.begin(a, address);
  a.repeat(kTiles, p.sub_tiles(), [&] {
    pack.pack_tile(a);
    pack.next(a);
  });
}

// The next finished half of Dst. pack_half() is called at `half`, if it is somewhere.
void pack_sub_block(Stream& a, const MatmulPlan& p, const ComputeBuffer& buffer, uint32_t page16,
                    const isa::Label* half) {
  const ZoneMarks zones{p.options.zones, arch::Hart::Trisc2};
  packer(p).acquire(a);
  buffer.reserve_back(a, p.sub_tiles());
  zones.begin(a, Zone::Pack);
  if (half) {
    a.mv(kAddress, buffer.pointer);
    a.jal(kBack, *half);
  } else {
    pack_half(a, p, buffer.pointer);
  }
  buffer.push_back(a, kWindows, p.sub_tiles(), page16, kGprCount);
  packer(p).release(a);
  zones.end(a, Zone::Pack);
}

}  // namespace

Kernel pack(const MatmulPlan& p) {
  const ComputeBuffer product{kBufferC, pages_c(p), a4, a5, kInterface, flow_of_c(p)};
  const ComputeBuffer partial{kBufferPartial, pages_partial(p), a6, a7, kInterface};
  const bool changes = p.has_partials() && !partials_alias(p);
  return kernel_of_products(p, arch::Hart::Trisc2, "matmul_pack", [&](Stream& a) {
    kWindows.open(a);
    product.open_for_writing(a);
    a.comment("packer");
    (p.has_partials() ? partial_packer(p) : packer(p)).configure(a);
    isa::Label half;
    if (p.has_partials()) {
      partial.open_for_writing(a);
      const isa::Label over = a.label();
      a.j(over);
      half = a.here("half");
      pack_half(a, p, kAddress);
      a.jr(kBack);
      a.bind(over);
    }
    for_each_product(a, p, [&] {
      if (p.has_partials()) {
        const Packer of_partials = partial_packer(p);
        if (changes && p.batch() > 1) of_partials.change_format(a);
        if (!changes && p.batch() > 1) product.reserve_back(a, pages_c(p));  // the last product has left their pages
        a.repeat(kBlocks, p.k_blocks() - 1, [&] {
          a.repeat(kSubBlocks, p.sub_blocks(), [&] { pack_sub_block(a, p, partial, of_partials.page16(), &half); });
          of_partials.accumulate_in_l1(a, true);
        });
        of_partials.accumulate_in_l1(a, false);
        if (changes) packer(p).change_format(a);
      }
      a.repeat(kSubBlocks, p.sub_blocks(),
               [&] { pack_sub_block(a, p, product, packer(p).page16(), p.has_partials() ? &half : nullptr); });
    });
  });
}

}  // namespace kerr::kernels::matmul
