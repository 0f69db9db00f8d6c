#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

class Semaphores : public Tensix {};
class Mutexes : public Tensix {};
class StallWait : public Tensix {};

TEST_F(Semaphores, InitSetsValueAndMaximumOfEachNamedOne) {
  run(T1, SEMINIT{.sem_sel = 0b1010, .init_value = 2, .max_value = 5});
  EXPECT_EQ(cop().state.semaphores[1].value, 2u);
  EXPECT_EQ(cop().state.semaphores[1].max, 5u);
  EXPECT_EQ(cop().state.semaphores[3].value, 2u);
  EXPECT_EQ(cop().state.semaphores[0].value, 0u);
  EXPECT_EQ(cop().state.semaphores[2].max, 0u);
}

TEST_F(Semaphores, PostSaturatesAtFifteenNotAtMax) {
  run(T1, SEMINIT{.sem_sel = 8, .init_value = 2, .max_value = 2}, SEMPOST{.sem_sel = 8});
  EXPECT_EQ(cop().state.semaphores[3].value, 3u);
  for (int i = 0; i < 20; ++i) run(T1, SEMPOST{.sem_sel = 8});
  EXPECT_EQ(cop().state.semaphores[3].value, 15u);
}

TEST_F(Semaphores, GetSaturatesAtZero) {
  run(T0, SEMINIT{.sem_sel = 1, .init_value = 1, .max_value = 1}, SEMGET{.sem_sel = 1}, SEMGET{.sem_sel = 1});
  EXPECT_EQ(cop().state.semaphores[0].value, 0u);
}

TEST_F(Semaphores, AHartsStoreGetsOrPostsByBitZero) {
  cop().state.semaphores.post(2);
  cop().state.semaphores.post(2);
  EXPECT_EQ(cop().state.semaphores[2].value, 2u);
  cop().state.semaphores.get(2);
  EXPECT_EQ(cop().state.semaphores[2].value, 1u);
}

TEST_F(Semaphores, WaitWhileZeroHoldsTheBlockedClassUntilAPost) {
  run(T2, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 2, .stall_res = gate::B5}, set_gpr(4, 7));
  EXPECT_EQ(gpr(T2, 4), 0u);
  EXPECT_EQ(cop().threads[T2].waits_for, wait::semaphore(1));
  EXPECT_TRUE(cop().stuck(T2));
  EXPECT_NE(cop().describe(T2).find("semaphore 1 is 0"), std::string::npos) << cop().describe(T2);
  run(T1, SEMPOST{.sem_sel = 2});
  EXPECT_EQ(gpr(T2, 4), 7u);
  EXPECT_FALSE(cop().stuck(T2));
}

TEST_F(Semaphores, WaitWhileAtMaximumHoldsUntilAGet) {
  run(T1, SEMINIT{.sem_sel = 2, .init_value = 1, .max_value = 1});
  run(T1, SEMWAIT{.wait_sem_cond = 2, .sem_sel = 2, .stall_res = gate::B5}, set_gpr(4, 7));
  EXPECT_EQ(gpr(T1, 4), 0u);
  run(T2, SEMGET{.sem_sel = 2});
  EXPECT_EQ(gpr(T1, 4), 7u);
}

TEST_F(Semaphores, ALatchedWaitLetsOtherClassesPass) {
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = gate::B6}, set_gpr(1, 5), SEMPOST{.sem_sel = 2});
  EXPECT_EQ(gpr(T0, 1), 5u);
  EXPECT_EQ(cop().state.semaphores[1].value, 1u);
  EXPECT_FALSE(cop().idle(T0)) << "the latched wait is still there";
}

TEST_F(Semaphores, ASecondWaitQueuesBehindTheLatchedOne) {
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = gate::B6},
      SEMWAIT{.wait_sem_cond = 1, .sem_sel = 2, .stall_res = gate::B5}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 0u);
  cop().state.semaphores.post(0);
  settle();
  EXPECT_EQ(gpr(T0, 1), 0u) << "now the second one holds";
  cop().state.semaphores.post(1);
  settle();
  EXPECT_EQ(gpr(T0, 1), 5u);
}

TEST_F(Semaphores, BlockMaskZeroMeansTheMatrixUnit) {
  run(T1, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1}, set_gpr(1, 5), INCRWC{.rwc_a = 1});
  EXPECT_EQ(gpr(T1, 1), 5u);
  EXPECT_TRUE(cop().stuck(T1));
}

TEST_F(Semaphores, ALatchedWaitIsForgottenEvenWhenNothingFollows) {
  run(T0, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = gate::B5});
  EXPECT_FALSE(cop().idle(T0));
  run(T1, SEMPOST{.sem_sel = 1});
  EXPECT_TRUE(cop().idle(T0));
  run(T1, SEMGET{.sem_sel = 1});
  run(T0, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 5u);
}

TEST_F(Semaphores, AWaitOnNoneIsSatisfied) {
  run(T0, SEMWAIT{.wait_sem_cond = 3, .sem_sel = 0, .stall_res = gate::B5}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 5u);
  EXPECT_TRUE(cop().idle(T0));
}

TEST_F(Semaphores, AWaitWithoutConditionIsUndefined) {
  run(T0, SEMWAIT{.wait_sem_cond = 0, .sem_sel = 1});
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(f.agent, Agent::Thread0);
}

TEST_F(Mutexes, AcquireWaitsWhileAnotherThreadHoldsIt) {
  run(T0, ATGETM{.mutex_index = 3});
  run(T1, ATGETM{.mutex_index = 3}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T1, 1), 0u);
  EXPECT_EQ(cop().threads[T1].waits_for, wait::mutex(3));
  run(T0, ATRELM{.mutex_index = 3});
  EXPECT_EQ(gpr(T1, 1), 5u);
}

TEST_F(Mutexes, AcquiringAgainSucceedsAndAForeignReleaseDoesNothing) {
  run(T0, ATGETM{.mutex_index = 0}, ATGETM{.mutex_index = 0}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 5u);
  run(T1, ATRELM{.mutex_index = 0}, ATGETM{.mutex_index = 0}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T1, 1), 0u);
}

TEST_F(Mutexes, AReleasedMutexGoesRoundRobin) {
  run(T1, ATGETM{.mutex_index = 2});
  run(T0, ATGETM{.mutex_index = 2}, set_gpr(1, 5));
  run(T2, ATGETM{.mutex_index = 2}, set_gpr(1, 5));
  run(T1, ATRELM{.mutex_index = 2});
  EXPECT_EQ(gpr(T2, 1), 5u) << "after thread 1 comes thread 2";
  EXPECT_EQ(gpr(T0, 1), 0u);
}

TEST_F(Mutexes, AMutexThatDoesNotExistFaults) {
  for (const uint32_t index : {1u, 5u, 0xFFFFu}) {
    CardboardTile other;
    other.coprocessor.threads[T0].front.push_before_mop(ATGETM{.mutex_index = index}.encode());
    other.coprocessor.run(T0, 0, 10);
    EXPECT_TRUE(other.faults.any()) << index;
  }
}

TEST_F(StallWait, ConditionsOfUnitsThatFinishAtOnceNeverHoldUp) {
  for (const uint32_t condition : {0u, 0x1u, 0xFu, 0x10u, 0x200u, 0x400u, 0x800u, 0x1000u}) {
    run(T0, STALLWAIT{.wait_res = condition, .stall_res = gate::Any}, set_gpr(1, 5));
  }
  EXPECT_EQ(gpr(T0, 1), 5u);
  EXPECT_TRUE(cop().idle(T0));
  expect_no_fault();
}

TEST_F(StallWait, SrcValidHoldsUntilTheBankIsHandedOver) {
  run(T1, STALLWAIT{.wait_res = 0x180, .stall_res = gate::B5}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T1, 1), 0u);
  EXPECT_EQ(cop().threads[T1].waits_for, wait::kSrcA | wait::kSrcB);
  run(T0, SETDVALID{.setvalid = 1});
  EXPECT_EQ(gpr(T1, 1), 0u) << "SrcB is not valid yet";
  run(T0, SETDVALID{.setvalid = 2});
  EXPECT_EQ(gpr(T1, 1), 5u);
}

TEST_F(StallWait, SrcFreeHoldsUntilTheMatrixUnitReleasesABank) {
  run(T0, SETDVALID{.setvalid = 1}, SETDVALID{.setvalid = 1});
  run(T0, STALLWAIT{.wait_res = 0x20, .stall_res = gate::B5}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 0u);
  run(T1, SETRWC{.clear_ab_vld = 1});
  EXPECT_EQ(gpr(T0, 1), 5u);
}

// Sources: the Blackhole ISA page of STREAMWAIT.
TEST_F(StallWait, AStreamWaitHoldsWhileTheRegisterIsBelowItsTarget) {
  const uint32_t phase = 0xFFB40000 + 9 * 0x1000 + 4 * 29;
  run(T1, SETC16{.setc16_value = 9, .setc16_reg = 61},  // STREAM_ID_SYNC_SEC2
      SETC16{.setc16_value = 1, .setc16_reg = 57});     // STREAMWAIT_PHASE_HI
  run(T1, STREAMWAIT{.wait_stream_sel = 2, .target_sel = 0, .target_value = 3, .stall_res = gate::B5}, set_gpr(1, 5),
      NOP{});
  EXPECT_EQ(gpr(T1, 1), 0u);
  EXPECT_EQ(cop().threads[T1].waits_for, wait::stream(9));
  EXPECT_NE(cop().describe(T1).find("stream 9"), std::string::npos);
  tile.registers[phase] = 1026;
  cop().threads[T1].wake();
  settle();
  EXPECT_EQ(gpr(T1, 1), 0u) << "the target is 1 * 1024 + 3";
  tile.registers[phase] = 1027;
  cop().threads[T1].wake();
  settle();
  EXPECT_EQ(gpr(T1, 1), 5u);
}

TEST_F(StallWait, AStreamWaitForMessagesLooksAtTheirNumber) {
  tile.registers[0xFFB40000 + 4 * 259] = 2;
  run(T0, STREAMWAIT{.target_sel = 1, .target_value = 2, .stall_res = gate::B5}, set_gpr(1, 5));
  EXPECT_EQ(gpr(T0, 1), 5u);
  run(T0, STREAMWAIT{.target_sel = 1, .target_value = 3}, set_gpr(2, 5), INCRWC{.rwc_a = 1});
  EXPECT_EQ(gpr(T0, 2), 5u) << "block mask 0 means the matrix unit";
  EXPECT_TRUE(cop().stuck(T0));
}

TEST_F(StallWait, PlainNopIsHeldOnlyByAllNineBits) {
  run(T0, STALLWAIT{.wait_res = 0x80, .stall_res = 0xFF}, NOP{});
  EXPECT_EQ(cop().threads[T0].instructions, 2u);
  run(T1, STALLWAIT{.wait_res = 0x80, .stall_res = 0x1FF}, NOP{});
  EXPECT_EQ(cop().threads[T1].instructions, 1u);
}

}  // namespace kerr::emu
