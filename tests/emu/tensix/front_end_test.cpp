#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

// The words that are put into MOPs and recordings add a power of ten to register 0: the sum tells who ran how often.
class FrontEndTest : public Tensix {
 protected:
  static constexpr uint32_t kNop = 0x02000000;

  static uint32_t adds(unsigned gpr_index) {
    return ADDDMAREG{.op_a_reg_index = 0, .op_b_reg_index = gpr_index, .result_reg_index = 0}.encode();
  }
  void SetUp() override {
    uint32_t power = 1;
    for (unsigned r = 1; r <= 8; ++r, power *= 10) cop().state.gpr.write(T0, r, power);
    for (unsigned w = 2; w < 9; ++w) cop().threads[T0].front.write_mop_config(w, kNop);
  }
  void mop_config(std::initializer_list<uint32_t> words) {
    unsigned index = 0;
    for (const uint32_t w : words) cop().threads[T0].front.write_mop_config(index++, w);
  }
  uint32_t sum() { return gpr(T0, 0); }
};
using Mop = FrontEndTest;
using Replay = FrontEndTest;
using InstructionFifo = FrontEndTest;

TEST_F(Mop, TemplateOneSubstitutesTheFinalInnerSlot) {
  // outer 2, inner 3: two passes of loop, loop, last.
  mop_config({2, 3, kNop, kNop, kNop, adds(1), kNop, adds(2), adds(3)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 4u * 1 + 1u * 10 + 1u * 100);
}

TEST_F(Mop, TemplateOneSubstitutesEvenASingleInnerSlot) {
  mop_config({3, 1, kNop, kNop, kNop, adds(1), kNop, adds(2), adds(3)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 1u * 10 + 2u * 100);
}

TEST_F(Mop, TemplateOneWithTwoLoopInstructionsAlternatesAndDoubles) {
  // inner 2 doubled: loop0, loop1, loop0, last.
  mop_config({1, 2, kNop, kNop, kNop, adds(1), adds(2), adds(3), adds(4)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 2u * 1 + 1u * 10 + 1u * 100);
}

TEST_F(Mop, TemplateOneWrapsEachPassInStartAndEnd) {
  mop_config({3, 2, adds(1), adds(2), adds(3), adds(4), kNop, adds(4), adds(4)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 3u * 1 + 3u * 10 + 3u * 100 + 6u * 1000);
}

TEST_F(Mop, TemplateOneIgnoresTheSecondEndWithoutTheFirst) {
  mop_config({3, 1, kNop, kNop, adds(3), adds(4), kNop, adds(4), adds(4)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 3u * 1000);
}

TEST_F(Mop, TemplateOneWithoutPassesGivesNothing) {
  mop_config({0, 5, adds(1), adds(1), adds(1), adds(1), adds(1), adds(1), adds(1)});
  run(T0, MOP{.mop_type = 1}, set_gpr(9, 3));
  EXPECT_EQ(sum(), 0u);
  EXPECT_EQ(gpr(T0, 9), 3u) << "what follows still runs";
  EXPECT_TRUE(cop().idle(T0));
}

TEST_F(Mop, TemplateOneWithoutInnerSlotsGivesStartAndEnds) {
  mop_config({4, 0, adds(1), adds(2), adds(3), adds(4), kNop, adds(4), adds(4)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 4u * 111);
}

TEST_F(Mop, TemplateOneInTheCaseThatSiliconGetsWrongIsRefused) {
  mop_config({4, 0, kNop, adds(2), kNop, adds(4), kNop, adds(4), adds(4)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_NE(the_fault().what.find("inner count 0"), std::string::npos);
}

TEST_F(Mop, TemplateOneCountsHaveTenBits) {
  mop_config({0x400 | 2, 0x400 | 1023, kNop, kNop, kNop, adds(1), kNop, adds(1), adds(1)});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 2u * 1023);
}

TEST_F(Mop, TemplateZeroGivesAllOfAAndBForEachClearMaskBit) {
  mop_config({0, 3, adds(1), adds(2), adds(3), adds(4), adds(5), adds(6), adds(7)});
  run(T0, MOP{.zmask_lo16_or_loop_count = 0b0101, .loop_count = 4});
  // iterations 0 and 2 skip (A0 and B forms), 1, 3 and 4 do not.
  EXPECT_EQ(sum(), 3u * 11111 + 2u * 1100000);
}

TEST_F(Mop, TemplateZeroWithoutFlagsGivesOnlyA0) {
  mop_config({0, 0, adds(1), adds(2), adds(3), adds(4), adds(5), adds(6), adds(7)});
  run(T0, MOP{.zmask_lo16_or_loop_count = 1, .loop_count = 2});
  EXPECT_EQ(sum(), 2u * 10 + 1u * 100000);
}

TEST_F(Mop, MopCfgGivesTheUpperMaskHalfAndStays) {
  mop_config({0, 0, kNop, adds(1), kNop, kNop, kNop, adds(2), kNop});
  run(T0, MOP_CFG{.zmask_hi16 = 0x0001}, MOP{.loop_count = 19}, MOP{.loop_count = 19});
  EXPECT_EQ(sum(), 2u * (19 * 1 + 1 * 10));
}

TEST_F(Mop, TemplateZeroTakesMoreIterationsThanTheMaskHasBits) {
  mop_config({0, 0, kNop, adds(1), kNop, kNop, kNop, adds(2), kNop});
  run(T0, MOP_CFG{.zmask_hi16 = 0xFFFF}, MOP{.zmask_lo16_or_loop_count = 0xFFFF, .loop_count = 39});
  EXPECT_EQ(sum(), 32u * 10 + 8u * 1);
}

TEST_F(Mop, IsIdleWhenTheLastWordIsOutOfTheExpander) {
  mop_config({1, 3, kNop, kNop, kNop, adds(1), kNop, adds(1), adds(1)});
  EXPECT_TRUE(cop().threads[T0].front.mop_idle());
  push(T0, MOP{.mop_type = 1});
  EXPECT_FALSE(cop().threads[T0].front.mop_idle());
  cop().run(T0, 0, 2);
  EXPECT_FALSE(cop().threads[T0].front.mop_idle());
  tile.announced = 0;
  cop().run(T0, 2, 3);
  EXPECT_TRUE(cop().threads[T0].front.mop_idle());
  EXPECT_TRUE(tile.announced & wait::mop_idle(T0));
  EXPECT_EQ(sum(), 3u);
}

TEST_F(Mop, WordsAreSampledWhenTheExpansionStarts) {
  mop_config({1, 3, kNop, kNop, kNop, adds(1), kNop, adds(1), adds(1)});
  push(T0, MOP{.mop_type = 1});
  cop().run(T0, 0, 1);
  mop_config({1, 3, kNop, kNop, kNop, adds(2), kNop, adds(2), adds(2)});
  settle();
  EXPECT_EQ(sum(), 3u);
}

TEST_F(Mop, PushedByBriscIsUndefined) {
  push_from_brisc(T0, MOP{.mop_type = 1});
  settle();
  EXPECT_NE(the_fault().what.find("BRISC"), std::string::npos);
}

TEST_F(Mop, CanGiveReplays) {
  push(T0, REPLAY{.load_mode = 1, .len = 2}, adds(1), adds(2));
  mop_config({1, 4, kNop, kNop, kNop, REPLAY{.len = 2}.encode(), kNop, REPLAY{.len = 1}.encode(), kNop});
  run(T0, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 4u * 1 + 3u * 10);
}

TEST_F(Replay, RecordsWithoutExecutingAndPlaysBack) {
  run(T0, REPLAY{.load_mode = 1, .len = 2, .start_idx = 4}, adds(1), adds(2));
  EXPECT_EQ(sum(), 0u);
  EXPECT_TRUE(cop().idle(T0));
  run(T0, REPLAY{.len = 2, .start_idx = 4}, REPLAY{.len = 1, .start_idx = 5});
  EXPECT_EQ(sum(), 1u + 2 * 10);
}

TEST_F(Replay, ExecutesWhileLoading) {
  run(T0, REPLAY{.load_mode = 1, .execute_while_loading = 1, .len = 2}, adds(1), adds(2), adds(3));
  EXPECT_EQ(sum(), 111u);
  run(T0, REPLAY{.len = 2});
  EXPECT_EQ(sum(), 122u);
}

TEST_F(Replay, WrapsAroundItsThirtyTwoSlots) {
  run(T0, REPLAY{.load_mode = 1, .len = 4, .start_idx = 30}, adds(1), adds(2), adds(3), adds(4));
  run(T0, REPLAY{.len = 2, .start_idx = 0});
  EXPECT_EQ(sum(), 1100u);
}

TEST_F(Replay, LengthZeroMeansThirtyTwo) {
  push(T0, REPLAY{.load_mode = 1, .len = 0});
  for (int i = 0; i < 32; ++i) push(T0, adds(1));
  run(T0, adds(2));
  EXPECT_EQ(sum(), 10u) << "the thirty-third word is not recorded";
  run(T0, REPLAY{.len = 0});
  EXPECT_EQ(sum(), 42u);
}

TEST_F(Replay, RefusesMoreThanThirtyTwo) {
  run(T0, REPLAY{.load_mode = 1, .len = 33});
  EXPECT_EQ(the_fault().instruction, (REPLAY{.load_mode = 1, .len = 33}.encode()));
}

TEST_F(Replay, RecordedInsideARecordingFaultsWhenPlayed) {
  run(T0, REPLAY{.load_mode = 1, .len = 1}, REPLAY{.len = 1});
  expect_no_fault();
  run(T0, REPLAY{.len = 1});
  EXPECT_NE(the_fault().what.find("recorded REPLAY"), std::string::npos);
}

TEST_F(Replay, RecordsTheWordsOfAMop) {
  mop_config({1, 3, kNop, kNop, kNop, adds(1), kNop, adds(2), adds(2)});
  run(T0, REPLAY{.load_mode = 1, .len = 3}, MOP{.mop_type = 1});
  EXPECT_EQ(sum(), 0u);
  run(T0, REPLAY{.len = 3});
  EXPECT_EQ(sum(), 12u);
}

TEST_F(Replay, WorksForBrisc) {
  push_from_brisc(T0, REPLAY{.load_mode = 1, .len = 1}, adds(1), REPLAY{.len = 1});
  settle();
  EXPECT_EQ(sum(), 1u);
}

TEST_F(InstructionFifo, RefusesAWordWhileItHoldsMoreThanTwentyEight) {
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1FF});
  unsigned accepted = 0;
  while (cop().threads[T0].front.push_before_mop(adds(1))) ++accepted;
  EXPECT_EQ(accepted, 29u + 16u) << "first FIFO, and the one behind the MOP expander";
  tile.announced = 0;
  cop().state.semaphores.post(0);
  settle();
  EXPECT_TRUE(tile.announced & wait::fifo(T0)) << "whoever waits for room hears of it";
  EXPECT_EQ(sum(), accepted);
  EXPECT_TRUE(cop().threads[T0].front.push_before_mop(adds(1)));
}

TEST_F(InstructionFifo, WordsOfBriscStayBehindEarlierWordsOfTheTrisc) {
  push(T0, set_gpr(9, 1));
  push_from_brisc(T0, set_gpr(9, 2));
  settle();
  EXPECT_EQ(gpr(T0, 9), 2u);
}

TEST_F(InstructionFifo, AnEmptyThreadWaitsForWordsAndIsIdle) {
  settle();
  EXPECT_EQ(cop().threads[T0].waits_for, wait::fifo(T0));
  EXPECT_TRUE(cop().idle(T0));
  EXPECT_FALSE(cop().stuck(T0));
  EXPECT_EQ(cop().describe(T0), "empty");
  push(T0, adds(1));
  EXPECT_EQ(cop().threads[T0].waits_for, 0u) << "a push wakes it";
  EXPECT_FALSE(cop().idle(T0));
  tile.announced = 0;
  settle();
  EXPECT_TRUE(cop().idle(T0));
  EXPECT_TRUE(tile.announced & wait::thread_idle(T0));
}

TEST_F(InstructionFifo, RunIssuesOneInstructionACycle) {
  for (int i = 0; i < 20; ++i) push(T0, adds(1));
  cop().run(T0, 100, 110);
  EXPECT_EQ(sum(), 10u);
  EXPECT_EQ(cop().threads[T0].waits_for, 0u);
  EXPECT_EQ(cop().threads[T0].instructions, 10u);
}

TEST_F(InstructionFifo, AHartResetDropsWhatIsBeforeTheSecondFifo) {
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1FF});
  for (int i = 0; i < 40; ++i) push(T0, adds(1));
  settle();
  cop().reset(0x47000 & ~0x7000u, 0x1000);
  EXPECT_TRUE(cop().stuck(T0)) << "a latched wait outlives the reset of its TRISC";
  cop().state.semaphores.post(0);
  settle();
  EXPECT_EQ(sum(), 17u) << "one at the gate, sixteen behind the MOP expander";
  EXPECT_TRUE(cop().idle(T0));
}

TEST_F(InstructionFifo, WhatIsNoInstructionFaultsWithTheWord) {
  run(T2, 0xC0000000u);
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(f.agent, Agent::Thread2);
  EXPECT_EQ(f.instruction, 0xC0000000u);
  run(T2, adds(1));
  EXPECT_TRUE(cop().stuck(T2)) << "a thread that faulted does not go on";
}

TEST_F(InstructionFifo, WhatNoUnitExecutesIsUnsupported) {
  run(T0, RAREB{});
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::Unsupported);
  EXPECT_NE(f.text().find("RAREB"), std::string::npos);
}

}  // namespace kerr::emu
