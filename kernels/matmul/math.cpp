// TRISC1: Dst += SrcB x SrcA, tile by tile, fidelity phase by phase.   docs/hardware/kernels.md 3.4, 3.5
#include <array>
#include <span>

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/vector_unit.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/epilogue.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr isa::Reg kSubBlocks = a2, kSteps = a3, kGroups = a4, kTiles = a5, kTileWord = t3;
constexpr Windows kWindows{zero, a0, a1};
constexpr DstSection kDst{kWindows, a6};

constexpr uint32_t kReplayStart = 16, kReplayLength = kProductOrder.size();
constexpr std::array<Modifier, 1> kNoStep{{{.index = 3}}};
constexpr std::array<Modifier, 1> kCopyStep{{{.index = 6, .a = {8}, .dst = {8}}}};

// The operand whose tiles pass by is given back after each product, the held one after all of them.
uint32_t passing(const MatmulPlan& p) { return holds_a(p) ? kClearSrcA : kClearSrcB; }
uint32_t held(const MatmulPlan& p) { return holds_a(p) ? kClearSrcB : kClearSrcA; }

void record_tile_product(Stream& a, const MatmulPlan& p, bool many_phases) {
  a.tensix(tx::REPLAY{.load_mode = 1, .len = kReplayLength, .start_idx = kReplayStart});
  for (size_t i = 0; i < kReplayLength; ++i) {
    const bool last = i + 1 == kReplayLength;
    a.tensix(tx::MVMUL{.addr_mode = kProductOrder[i], .clear_dvalid = last && !many_phases ? passing(p) : 0});
  }
}

void set_product_mop(Stream& a, const MatmulPlan& p, bool many_phases) {
  const uint32_t nop = tensix_nop();
  const uint32_t product = tx::REPLAY{.len = kReplayLength, .start_idx = kReplayStart}.encode();
  const uint32_t release = tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = passing(p)}.encode();
  configure_idle_mop(a, {1, static_cast<uint32_t>(p.options.fidelity), nop, many_phases ? release : nop, nop, product,
                         nop, product, product});
}

void configure(Stream& a, const MatmulPlan& p, bool many_phases) {
  set_modifiers(a, product_modifiers(many_phases));
  record_tile_product(a, p, many_phases);
  kDst.configure(a, p.options.dst32(), p.options.int8());
  set_product_mop(a, p, many_phases);  // kDst has drained the thread
  if (p.has_partials() || p.operands() != 0) {
    if (p.options.dst32()) {
      set_modifiers(a, kNoStep);
      configure_unpacked(a);
    } else {
      set_modifiers(a, kCopyStep);
    }
  }
  if (p.options.epilogue) configure_vector_unit(a);
}

// The tile in SrcA, face by face, to the selected one; the MOP and its modifiers remain those of products.
void copy_tile_beside_products(Stream& a) {
  for (int face = 0; face < 4; ++face) copy_face(a, kCopyStep[0].index);
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

// Partial sums to Dst: of 32 bits T0 puts them there itself, others come by way of SrcA.
// docs/hardware/kernels.md 3.5, 3.8
void take_partials(Stream& a, const MatmulPlan& p) {
  a.comment("partial sums");
  if (p.options.dst32()) return take_unpacked(a, 0, p.sub_tiles());
  a.tensix(tx::SETRWC{.bit_mask = kAllCounters});
  kDst.select_tiles(a, kTileWord, kTiles, p.sub_tiles(), [&] { copy_tile_beside_products(a); });
}

// The epilogue of a tile, which lies where its code wants it.
void compute_tile(Stream& a, const vector::Emitted& code) {
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
  a.repeat(kGroups, kGroupsOfTile, [&] { compute_group(a, code); });
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

// From sums in Dst to what is packed, tile by tile, with operands behind the sub-block.
void apply_epilogue(Stream& a, const MatmulPlan& p) {
  a.comment("epilogue");
  const uint32_t tiles = p.sub_tiles(), operands = p.operands();
  if (operands == 0) {  // the same code for all tiles
    return kDst.select_tiles(a, kTileWord, kTiles, tiles, [&] { compute_tile(a, epilogue_code(p.options, tiles, 0)); });
  }
  const bool copied = !p.options.dst32();
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    const uint32_t busy = copied ? stall::kMath : stall::kSync;
    a.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = busy});
    if (!copied) take_unpacked(a, tiles, operands);
    for (uint32_t operand = 0; operand < operands; ++operand) {
      kDst.select_tile(a, tiles + operand);
      if (copied) copy_tile_beside_products(a);
    }
    kDst.select_tile(a, tile);
    compute_tile(a, epilogue_code(p.options, tiles, tile));
  }
  if (!copied) return;
  a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kMath});
  a.tensix(tx::SETRWC{.bit_mask = kAllCounters});
}

void multiply_step(Stream& a, const MatmulPlan& p) {
  const uint32_t groups = holds_a(p) ? p.sub_rows : p.sub_columns;
  const uint32_t products = holds_a(p) ? p.sub_columns : p.sub_rows;
  for (uint32_t g = 0; g < groups; ++g) {
    for (uint32_t i = 0; i < products; ++i) {
      kDst.select_tile(a, holds_a(p) ? g * p.sub_columns + i : i * p.sub_columns + g);
      a.tensix(tx::MOP{.mop_type = 1});
    }
    a.tensix(tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = held(p)});
  }
}

// `body` in the last K block: for the last sub-blocks of a product, counted down by kSubBlocks.
template <class Body>
void if_last_of_k(Stream& a, const MatmulPlan& p, const Times& around, Body&& body) {
  if (!p.has_partials()) return body();
  const auto turns = a.turns_instead(p.sub_blocks(), around);
  const isa::Label not_yet = a.label();
  a.li(t0, p.sub_blocks());
  a.bltu(t0, kSubBlocks, not_yet);
  body();
  a.bind(not_yet);
}

}  // namespace

// Computes all sub-blocks of each product, K block after K block if they are added up in L1. Each takes a free half of
// Dst and gives it to the packer.
Kernel math(const MatmulPlan& p) {
  return kernel_of_products(p, arch::Hart::Trisc1, "matmul_math", [&](Stream& a) {
    const ZoneMarks zones{p.options.zones, arch::Hart::Trisc1};
    kWindows.open(a);
    configure(a, p, p.options.fidelity != Fidelity::LoFi);
    const uint32_t blocks = p.has_partials() ? p.k_blocks() : 1, steps = p.k_tiles / blocks;
    for_each_product(a, p, [&] {
      const Times product = a.times();
      a.repeat(kSubBlocks, p.sub_blocks() * blocks, [&] {
        zones.begin(a, Zone::Multiply);
        kDst.acquire(a);
        if (p.has_partials()) if_last_of_k(a, p, product, [&] { take_partials(a, p); });
        a.repeat(kSteps, steps, [&] { multiply_step(a, p); });
        if (p.options.epilogue) if_last_of_k(a, p, product, [&] { apply_epilogue(a, p); });
        kDst.release(a);
        zones.end(a, Zone::Multiply);
      });
    });
  });
}

}  // namespace kerr::kernels::matmul
