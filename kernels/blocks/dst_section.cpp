#include "kernels/blocks/dst_section.hpp"

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/config.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kHalfDst = 512;  // rows

// Where this thread's section of Dst begins.
uint32_t set_dst() { return thread_word({{thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset, 0}}).encode(); }

}  // namespace

void set_modifiers(Caller a, std::span<const Modifier> modifiers) {
  for (const Modifier& m : modifiers) {
    const auto of = [&](arch::ConfigField field) { return field.words_on(m.index); };
    set_thread_config(a, {{of(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr), m.a.by},
                          {of(thread_cfg::ADDR_MOD_AB_SEC0_SrcACR), m.a.from_mark},
                          {of(thread_cfg::ADDR_MOD_AB_SEC0_SrcAClear), m.a.clear},
                          {of(thread_cfg::ADDR_MOD_AB_SEC0_SrcBIncr), m.b.by},
                          {of(thread_cfg::ADDR_MOD_AB_SEC0_SrcBCR), m.b.from_mark},
                          {of(thread_cfg::ADDR_MOD_AB_SEC0_SrcBClear), m.b.clear},
                          {of(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr), m.dst.by},
                          {of(thread_cfg::ADDR_MOD_DST_SEC0_DestCR), m.dst.from_mark},
                          {of(thread_cfg::ADDR_MOD_DST_SEC0_DestClear), m.dst.clear},
                          {of(thread_cfg::ADDR_MOD_DST_SEC0_FidelityIncr), m.phases},
                          {of(thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr), 0}});
  }
}

std::array<Modifier, 5> product_modifiers(bool many_phases) {
  constexpr Step kToMark{.from_mark = true}, kToZero{.from_mark = true, .clear = true};
  return {{
      {.index = 0, .b = {8}, .dst = {8}},
      {.index = 1, .a = {16}, .b = kToMark, .dst = {8}},
      {.index = 2, .a = kToMark, .b = {.by = 32, .from_mark = true}, .dst = {8}},
      {.index = 4, .a = {.by = 32, .from_mark = true}, .b = {.by = 48, .from_mark = true}, .dst = kToMark},
      {.index = 5, .a = kToZero, .b = kToZero, .dst = kToZero, .phases = many_phases ? 1u : 0u},
  }};
}

void DstSection::configure(Caller a, bool dst32, bool int8) const {
  if (dst32) a->note(Effect::Kind::Dst32, 0);
  set_thread_config(a, {{thread_cfg::CLR_DVALID_SrcA_Disable, 0}, {thread_cfg::CLR_DVALID_SrcB_Disable, 0}});
  a->tensix(tx::SETRWC{.bit_mask = kAllCounters});
  drain(a, windows);
  wait_semaphore_below(a, windows, kSemMathPack, 1);
  a->tensix(tx::SEMINIT{.sem_sel = 1u << kSemMathPack, .init_value = 0, .max_value = 2});
  a->li(word, set_dst());
  a->ttinsn(set_dst());
  modify_config(a, {{cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 0}});  // ZEROACC counts from the current half
  modify_config(a, {{cfg::ALU_ACC_CTRL_Fp32_enabled, dst32},
                    {cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled, dst32},
                    {cfg::ALU_ACC_CTRL_INT8_math_enabled, int8}});
}

void DstSection::acquire(Caller a) const {
  a->comment("a free half of Dst");
  a->tensix(tx::SEMWAIT{
      .wait_sem_cond = 2, .sem_sel = 1u << kSemMathPack, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
}

void DstSection::select_tile(Caller a, uint32_t index) const {
  a->note(Effect::Kind::DstTile, 0, index);
  a->addi(t0, word, static_cast<int32_t>(kTileRows * index));
  a->sw(t0, windows.push);
}

void DstSection::release(Caller a) const {
  a->tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kSync});
  post_semaphore(a, kSemMathPack);
  a->xori(word, word, kHalfDst);
  a->sw(word, windows.push);
}

namespace {

// MOVA2D waits for SrcA alone, and releasing a SrcB that has not come yet would lose it.
constexpr tx::STALLWAIT kBothThere{.wait_res = until::kSrcAValid | until::kSrcBValid, .stall_res = stall::kMath};
constexpr tx::SETRWC kGiveBothBack{.bit_mask = 3, .clear_ab_vld = kClearSrcA | kClearSrcB};
constexpr tx::MOVA2D move_rows(uint32_t modifier) { return {.instr_mod = 2, .addr_mode = modifier}; }

}  // namespace

void configure_copy(Caller a, const Windows& windows, uint32_t faces) {
  constexpr std::array<Modifier, 3> kCopy{
      {{.index = 0, .a = {1}, .dst = {1}}, {.index = 2, .a = {8}, .dst = {8}}, {.index = 3}}};
  const uint32_t nop = tensix_nop(), move = move_rows(2).encode();
  set_modifiers(a, kCopy);
  configure_mop(a, windows,
                {4 / faces, 2 * faces, kBothThere.encode(), kGiveBothBack.encode(), nop, move, nop, move, move});
}

void copy_face(Caller a, uint32_t modifier) {
  a->tensix(kBothThere);
  a->tensix(move_rows(modifier));
  a->tensix(move_rows(modifier));
  a->tensix(kGiveBothBack);
}

void copy_tile(Caller a) {
  a->tensix(tx::MOP{.mop_type = 1});
  a->tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

void configure_unpacked(Caller a) {
  for (const uint32_t semaphore : {kSemUnpackToDst, kSemMathDone}) {
    a->tensix(tx::SEMINIT{.sem_sel = 1u << semaphore, .init_value = 0, .max_value = 1});
  }
}

void take_unpacked(Caller a, uint32_t first, uint32_t count) {
  post_semaphore(a, kSemMathDone);
  a->tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemUnpackToDst, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
  get_semaphore(a, kSemUnpackToDst);
  for (uint32_t face = 4 * first; face < 4 * (first + count); ++face) {
    a->tensix(tx::ZEROACC{.where = face, .addr_mode = 3, .clear_zero_flags = 1, .use_32_bit_mode = 1, .clear_mode = 1});
  }
}

}  // namespace kerr::kernels
