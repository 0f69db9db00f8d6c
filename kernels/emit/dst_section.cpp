#include "kernels/emit/dst_section.hpp"

#include <array>

#include "isa/tensix/instructions.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kDstOffset = 1;  // thread word: where this thread's Dst section begins
constexpr uint32_t kHalfDst = 512;  // rows

uint32_t set_dst() { return tx::SETC16{.setc16_reg = kDstOffset}.encode(); }

}  // namespace

void set_modifiers(Caller caller, std::span<const Modifier> modifiers) {
  Stream& a = caller;
  for (const Modifier& m : modifiers) {
    a.tensix(tx::SETC16{.setc16_value = m.src, .setc16_reg = 12 + m.index});
    a.tensix(tx::SETC16{.setc16_value = m.dst, .setc16_reg = 28 + m.index});
    a.tensix(tx::SETC16{.setc16_value = 0, .setc16_reg = 47 + m.index});
  }
}

void DstSection::configure(Caller caller, bool dst32, bool int8) const {
  Stream& a = caller;
  if (dst32) a.note(Effect::Kind::Dst32, 0);
  a.tensix(tx::SETC16{.setc16_value = 0, .setc16_reg = 7});
  a.tensix(tx::SETRWC{.bit_mask = kAllCounters});
  drain(a, windows);
  wait_semaphore_below(a, windows, kSemMathPack, 1);
  a.tensix(tx::SEMINIT{.sem_sel = 1u << kSemMathPack, .init_value = 0, .max_value = 2});
  a.li(word, set_dst());
  a.ttinsn(set_dst());
  modify_config(a, 220, 8, 0);  // ZEROACC counts from the current half
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kCfg});
  modify_config(a, 1, 0xE0000000,
                (int8 ? 0x80000000 : 0) | (dst32 ? 0x60000000 : 0));  // int8, fp32 Dst, fp32 SFPU view
}

void DstSection::acquire(Caller caller) const {
  Stream& a = caller;
  a.comment("a free half of Dst");
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 2, .sem_sel = 1u << kSemMathPack, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
}

void DstSection::select_tile(Caller caller, uint32_t index) const {
  Stream& a = caller;
  a.note(Effect::Kind::DstTile, 0, index);
  a.addi(t0, word, static_cast<int32_t>(kTileRows * index));
  a.sw(t0, windows.push);
}

void DstSection::release(Caller caller) const {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kSync});
  post_semaphore(a, kSemMathPack);
  a.xori(word, word, kHalfDst);
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kCfg});
  a.sw(word, windows.push);
}

namespace {

// MOVA2D waits for SrcA alone, and releasing a SrcB that has not come yet would lose it.
constexpr tx::STALLWAIT kBothThere{.wait_res = until::kSrcAValid | until::kSrcBValid, .stall_res = stall::kMath};
constexpr tx::SETRWC kGiveBothBack{.bit_mask = 3, .clear_ab_vld = kClearSrcA | kClearSrcB};
constexpr tx::MOVA2D move_rows(uint32_t modifier) { return {.instr_mod = 2, .addr_mode = modifier}; }

}  // namespace

void configure_copy(Caller caller, const Windows& windows, uint32_t faces) {
  Stream& a = caller;
  constexpr std::array<Modifier, 3> kCopy{{{0, 0x0001, 0x0001}, {2, 0x0008, 0x0008}, {3, 0, 0}}};
  const uint32_t nop = tensix_nop(), move = move_rows(2).encode();
  set_modifiers(a, kCopy);
  configure_mop(a, windows,
                {4 / faces, 2 * faces, kBothThere.encode(), kGiveBothBack.encode(), nop, move, nop, move, move});
}

void copy_face(Caller caller, uint32_t modifier) {
  Stream& a = caller;
  a.tensix(kBothThere);
  a.tensix(move_rows(modifier));
  a.tensix(move_rows(modifier));
  a.tensix(kGiveBothBack);
}

void copy_tile(Caller caller) {
  Stream& a = caller;
  a.tensix(tx::MOP{.mop_type = 1});
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

void configure_unpacked(Caller caller) {
  Stream& a = caller;
  for (const uint32_t semaphore : {kSemUnpackToDst, kSemMathDone}) {
    a.tensix(tx::SEMINIT{.sem_sel = 1u << semaphore, .init_value = 0, .max_value = 1});
  }
}

void take_unpacked(Caller caller, uint32_t first, uint32_t count) {
  Stream& a = caller;
  post_semaphore(a, kSemMathDone);
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemUnpackToDst, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
  get_semaphore(a, kSemUnpackToDst);
  for (uint32_t face = 4 * first; face < 4 * (first + count); ++face) {
    a.tensix(tx::ZEROACC{.where = face, .addr_mode = 3, .clear_zero_flags = 1, .use_32_bit_mode = 1, .clear_mode = 1});
  }
}

}  // namespace kerr::kernels
