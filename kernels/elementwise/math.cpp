// TRISC1: the expression, 32 elements at a time.   docs/hardware/kernels.md 3.8, 3.11
#include <array>

#include "kernels/elementwise/streams.hpp"
#include "kernels/emit/compute.hpp"
#include "kernels/emit/dst_section.hpp"
#include "kernels/emit/frame.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kTiles = a2, kGroups = a3;
constexpr DstSection kDst{kWindows, a4, a5};

constexpr std::uint32_t kGroupsOfTile = 32;
constexpr std::uint32_t kReplaySlots = 32;
constexpr std::uint32_t kNextGroup = 2;  // four rows, even or odd columns

tx::INCRWC next_group() { return {.rwc_d = kNextGroup}; }

bool replays(const vector::Emitted& code) { return code.words.size() + 1 <= kReplaySlots; }

void emit_group(Stream& a, const vector::Emitted& code) {
  for (const vector::Word& word : code.words) {
    if (!word.remark.empty()) a.comment(word.remark);
    a.ttinsn(word.word);
  }
  a.tensix(next_group());
}

void compute_tile(Stream& a, const vector::Emitted& code) {
  if (replays(code)) {
    const auto words = static_cast<std::uint32_t>(code.words.size()) + 1;
    a.repeat(kGroups, kGroupsOfTile, [&] { a.tensix(tx::REPLAY{.len = words, .start_idx = 0}); });
  } else {
    a.repeat(kGroups, kGroupsOfTile, [&] { emit_group(a, code); });
  }
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

// What T0 has unpacked into the section, of which the packer has marked all rows as empty.
void take_unpacked(Stream& a, const Traffic& k) {
  post_semaphore(a, kSemMathDone);  // the section is T0's
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemUnpackToDst, .stall_res = stall::kMath | stall::kSfpu | stall::kSync});
  get_semaphore(a, kSemUnpackToDst);
  for (std::uint32_t face = 0; face < 4 * k.inputs; ++face) {
    a.tensix(tx::ZEROACC{.where = face, .addr_mode = 3, .clear_zero_flags = 1, .use_32_bit_mode = 1, .clear_mode = 1});
  }
}

}  // namespace

void configure_math(Stream& a, const Traffic& k, const DstSection& dst) {
  constexpr std::array<Modifier, 2> kNoSteps{{{3, 0, 0}, {7, 0, 0}}};
  if (!k.dst32()) configure_copy(a, dst.windows);
  set_modifiers(a, kNoSteps);
  dst.configure(a, k.dst32());
  if (k.dst32()) {
    for (const std::uint32_t semaphore : {kSemUnpackToDst, kSemMathDone}) {
      a.tensix(tx::SEMINIT{.sem_sel = 1u << semaphore, .init_value = 0, .max_value = 1});
    }
  }
  a.comment("every lane, and predicates on");
  a.tensix(tx::SFPCONFIG{.instr_mod1 = 1, .config_dest = 15, .imm16_math = 0});
  a.tensix(tx::SFPENCC{.instr_mod1 = 10, .imm12 = 3});
  a.tensix(tx::SFPCONFIG{.instr_mod1 = 1, .config_dest = 11, .imm16_math = 0});  // -1.0
  a.li(dst.base, 0);
}

void take_operands(Stream& a, const Traffic& k, const DstSection& dst) {
  if (k.dst32()) {
    take_unpacked(a, k);
  } else {
    for (std::uint32_t input = 0; input < k.inputs; ++input) {
      dst.select_tile(a, input);
      copy_tile(a);
    }
  }
  dst.select_tile(a, 0);
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
}

Kernel math(const Traffic& k, const vector::Emitted& code) {
  Stream a;
  a.function("elementwise_math");
  enter(a);
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  configure_math(a, k, kDst);
  if (replays(code)) {
    a.tensix(tx::REPLAY{.load_mode = 1, .len = static_cast<std::uint32_t>(code.words.size()) + 1, .start_idx = 0});
    emit_group(a, code);
  }
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, k, kDst);
    compute_tile(a, code);
    kDst.release(a);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::elementwise
