// TRISC1: Dst += SrcB x SrcA, tile by tile, fidelity phase by phase.   docs/hardware/kernels.md 3.4, 3.5
#include <array>

#include "kernels/emit/compute.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kSubBlocks = a2, kSteps = a3, kDstBase = a4, kDstWord = a5;

constexpr std::uint32_t kDstOffset = 1;    // thread word: where this thread's Dst section begins
constexpr std::uint32_t kHalfDst = 512;    // rows
constexpr std::uint32_t kTileRows = 64;
constexpr std::uint32_t kReplayStart = 16, kReplayLength = 16;
constexpr std::uint32_t kClearSrcA = 1, kClearSrcB = 2;
constexpr std::uint32_t kAllCounters = 0xF;

// Address modifiers: thread words 12 + i (SrcA, SrcB), 28 + i (Dst and fidelity), 47 + i (bias).
struct Modifier {
  std::uint32_t index, src, dst;
};

void set_modifiers(isa::Assembler& a, bool many_phases) {
  const std::array<Modifier, 5> modifiers{{
      {0, 0x0800, 0x0008},                           // b += 8, d += 8
      {1, 0x4010, 0x0008},                           // a += 16, b back, d += 8
      {2, 0x6040, 0x0008},                           // a back, b += 32 for good, d += 8
      {4, 0x7060, 0x0400},                           // a += 32 and b += 48 for good, d back
      {5, 0xC0C0, many_phases ? 0x2C00u : 0x0C00u},  // all back to zero, next phase
  }};
  for (const Modifier& m : modifiers) {
    a.tensix(tx::SETC16{.setc16_value = m.src, .setc16_reg = 12 + m.index});
    a.tensix(tx::SETC16{.setc16_value = m.dst, .setc16_reg = 28 + m.index});
    a.tensix(tx::SETC16{.setc16_value = 0, .setc16_reg = 47 + m.index});
  }
}

// The sixteen MVMULs of a tile product, faces in the order of kernels.md 3.5.
void record_tile_product(isa::Assembler& a, bool many_phases) {
  constexpr std::array<std::uint32_t, kReplayLength> kModifiers{0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
  a.tensix(tx::REPLAY{.load_mode = 1, .len = kReplayLength, .start_idx = kReplayStart});
  for (std::size_t i = 0; i < kModifiers.size(); ++i) {
    const bool last = i + 1 == kModifiers.size();
    a.tensix(tx::MVMUL{.addr_mode = kModifiers[i], .clear_dvalid = last && !many_phases ? kClearSrcA : 0});
  }
}

void configure(isa::Assembler& a, const MatmulPlan& p) {
  const bool many_phases = p.options.fidelity != Fidelity::LoFi;
  set_modifiers(a, many_phases);
  record_tile_product(a, many_phases);
  const std::uint32_t nop = tensix_nop();
  const std::uint32_t product = tx::REPLAY{.len = kReplayLength, .start_idx = kReplayStart}.encode();
  const std::uint32_t release_a = tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = kClearSrcA}.encode();
  configure_mop(a, kWindows,
                {1, static_cast<std::uint32_t>(p.options.fidelity), nop, many_phases ? release_a : nop, nop, product, nop, product,
                 product});
  a.tensix(tx::SETC16{.setc16_value = 0, .setc16_reg = 7});
  a.tensix(tx::SETRWC{.bit_mask = kAllCounters});
  drain(a, kWindows);
  wait_semaphore_below(a, kWindows, kSemMathPack, 1);
  a.tensix(tx::SEMINIT{.sem_sel = 1u << kSemMathPack, .init_value = 0, .max_value = 2});
  a.tensix(tx::SETC16{.setc16_value = 0, .setc16_reg = kDstOffset});
  modify_config(a, 220, 8, 0);  // ZEROACC counts from the current half
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kCfg});
  modify_config(a, 1, 0xE0000000, p.options.fp32_accumulate ? 0x60000000 : 0);  // int8, fp32 Dst, fp32 SFPU view
}

}  // namespace

isa::Code math(const MatmulPlan& p) {
  isa::Assembler a;
  a.function("matmul_math");
  enter(a);
  kWindows.open(a);
  configure(a, p);
  a.li(kDstBase, 0);
  const std::uint32_t set_dst = tx::SETC16{.setc16_reg = kDstOffset}.encode();

  repeat(a, kSubBlocks, p.sub_blocks(), [&] {
    a.comment("a free half of Dst");
    a.tensix(tx::SEMWAIT{.wait_sem_cond = 2, .sem_sel = 1u << kSemMathPack,
                         .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
    a.li(kDstWord, set_dst);
    a.or_(kDstWord, kDstWord, kDstBase);
    repeat(a, kSteps, p.k_tiles, [&] {
      for (std::uint32_t row = 0; row < p.sub_rows; ++row) {
        for (std::uint32_t column = 0; column < p.sub_columns; ++column) {
          a.addi(t0, kDstWord, static_cast<std::int32_t>(kTileRows * (row * p.sub_columns + column)));
          a.sw(t0, kWindows.push);
          a.tensix(tx::MOP{.mop_type = 1});
        }
        a.tensix(tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = kClearSrcB});
      }
    });
    a.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kSync});
    a.tensix(tx::SEMPOST{.sem_sel = 1u << kSemMathPack});
    a.xori(kDstBase, kDstBase, kHalfDst);
    a.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kCfg});
    push_with_field(a, kWindows, set_dst, kDstBase, 0);
  });
  leave(a);
  return a.finish();
}

}  // namespace kerr::kernels::matmul
