// Who comes first in relaxed timing: what gives a bank back without waiting, or an UNPACR_NOP that waits for it.
// docs/hardware/tensix-datapath.md 9
#include "arch/tile_registers.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

using isa::tensix::CLEARDVALID;
using isa::tensix::SEMWAIT;
using isa::tensix::SETRWC;
using isa::tensix::UNPACR_NOP;
using isa::tensix::ZEROACC;
using Owner = tensix::SrcRegister::Owner;

class DueHandOver : public Tensix {
 protected:
  /// A bank that holds nothing, twice: the second waits for the first to be given back.
  void hand_over(unsigned unpacker, bool own_bank = false, bool set_dvalid = true) {
    const UNPACR_NOP nop{
        .unpack_pop = 1, .stall_clr_cntrl = own_bank, .set_dvalid = set_dvalid, .unpacker_select = unpacker};
    const UNPACR_NOP first{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = unpacker};
    run(T0, first);
    if (own_bank) run(T0, first_of_other_bank(unpacker));
    run(T0, nop);
  }
  /// The thread's turn is as long as it likes.
  void turn(int thread) {
    if (cop().threads[thread].waits_for != 0) return;
    cop().run(thread, cycle, cycle + 50);
    cycle += 50;
  }
  static UNPACR_NOP first_of_other_bank(unsigned unpacker) {
    return {.unpack_pop = 1, .clr_to1_fmt_ctrl = 3, .unpacker_select = unpacker};
  }
  tensix::SrcRegister& src(unsigned unpacker) { return unpacker == 0 ? cop().state.src_a : cop().state.src_b; }
  bool free(unsigned unpacker) {
    return src(unpacker).owner(0) == Owner::Unpackers && src(unpacker).owner(1) == Owner::Unpackers;
  }
};

TEST_F(DueHandOver, WhatGivesABankBackLetsItBeHandedOverFirst) {
  for (const unsigned unpacker : {0u, 1u}) {
    const unsigned bit = 1u << unpacker;
    const uint32_t clears[] = {SETRWC{.clear_ab_vld = bit}.encode(), CLEARDVALID{.cleardvalid = bit}.encode(),
                               ZEROACC{.clear_mode = 3, .clear_dvalid = bit}.encode()};
    for (const uint32_t clear : clears) {
      hand_over(unpacker);
      push(T1, clear, clear);
      turn(T1);
      EXPECT_NE(cop().describe(T1).find("an UNPACR_NOP that has waited"), std::string::npos) << cop().describe(T1);
      turn(T0);
      EXPECT_EQ(src(unpacker).owner(1), Owner::Fpu);
      turn(T1);
      EXPECT_TRUE(free(unpacker)) << cop().describe(T1);
      EXPECT_EQ(cop().describe(T1), "empty");
      // The pointers are where they began.
      EXPECT_EQ(src(unpacker).fpu_index(), 0u);
      EXPECT_EQ(src(unpacker).unpack_index(), 0u);
    }
  }
}

TEST_F(DueHandOver, ABankThatTheUnpackersWaitForIsTheirOwn) {
  hand_over(1, true);  // both banks, and one more
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2});
  turn(T1);
  EXPECT_NE(cop().threads[T1].waits_for, 0u);
  turn(T0);
  turn(T1);
  EXPECT_TRUE(free(1));
}

TEST_F(DueHandOver, NobodyWaitsForAnotherRegister) {
  hand_over(1);
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 1}, SETRWC{.bit_mask = 15});
  turn(T1);
  EXPECT_EQ(cop().describe(T1), "empty");
}

TEST_F(DueHandOver, AnUnpacrNopThatHandsNothingOverIsPassed) {
  hand_over(1, false, false);
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2});
  turn(T1);
  EXPECT_EQ(cop().describe(T1), "empty");
}

TEST_F(DueHandOver, AnUnpacrNopThatSomethingElseHoldsIsPassed) {
  run(T0, UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1});
  constexpr unsigned kUnpackers = 1u << 3;
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 0x80, .stall_res = kUnpackers},
      UNPACR_NOP{.unpack_pop = 1, .set_dvalid = 1, .unpacker_select = 1});
  ASSERT_TRUE(cop().gates[T0].latched());
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2});
  turn(T1);
  EXPECT_EQ(cop().describe(T1), "empty");
}

TEST_F(DueHandOver, SoftResetOfTheUnpackersLetsTheOtherGoOn) {
  hand_over(1);
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2});
  turn(T1);
  ASSERT_NE(cop().threads[T1].waits_for, 0u);
  cop().reset(0, arch::kSoftResetUnpackers);
  turn(T1);
  EXPECT_EQ(cop().describe(T1), "empty");
}

TEST_F(DueHandOver, InExactTimingCyclesTell) {
  hand_over(1);
  cop().timed = true;
  push(T1, SETRWC{.clear_ab_vld = 2}, SETRWC{.clear_ab_vld = 2});
  Cycle at = cycle;
  const Cycle limit = cycle + 50;
  cop().run_exact(T1, at, limit);
  EXPECT_EQ(cop().describe(T1), "empty");
}

TEST_F(DueHandOver, OneAfterTheOtherIsAsBefore) {
  hand_over(1);
  run(T1, SETRWC{.clear_ab_vld = 2});  // T0 has its turn behind it
  run(T1, SETRWC{.clear_ab_vld = 2});
  EXPECT_TRUE(free(1));
  expect_no_fault();
}

}  // namespace
}  // namespace kerr::emu
