#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {
namespace {

// lw t0, 0x400(x0); beq t0, x0, -4; then t1 = 1
std::initializer_list<Instruction> poll_l1() {
  static const std::initializer_list<Instruction> program = {imm(Op::Lw, t0, 0, 0x400), branch(Op::Beq, t0, 0, -4),
                                                             imm(Op::Addi, t1, 0, 1), branch(Op::Beq, 0, 0, 0)};
  return program;
}

TEST(Parking, AHartThatPollsL1ParksOnTheLine) {
  LoneHart lone;
  lone.start(poll_l1());
  lone.hart.run(0, 64);
  EXPECT_EQ(lone.hart.state(), Hart::State::Parked);
  EXPECT_EQ(lone.hart.waits_for(), wait::kL1);
  EXPECT_TRUE(lone.l1.attributes()[0x400 / 64] & L1::kWatched);
  lone.l1.store<std::uint32_t>(0x404, 1);
  EXPECT_EQ(lone.watched_writes, std::vector<std::uint32_t>{0x400 / 64});
}

TEST(Parking, TheLoopsOwnCodeIsWatchedToo) {
  LoneHart lone;
  lone.start(poll_l1());
  lone.hart.run(0, 64);
  EXPECT_TRUE(lone.l1.attributes()[0x1000 / 64] & L1::kWatched);
}

TEST(Parking, ACountingLoopDoesNotPark) {
  LoneHart lone;
  lone.start({imm(Op::Addi, t0, t0, 1), branch(Op::Beq, 0, 0, -4)});
  lone.hart.run(0, 10000);
  EXPECT_EQ(lone.hart.state(), Hart::State::Running);
  EXPECT_EQ(lone.hart.x(t0), 5000u);
}

TEST(Parking, ALoopThatStoresOrPopsDoesNotPark) {
  LoneHart stores;
  stores.start({store(Op::Sw, 0, 0, 0x400), branch(Op::Beq, 0, 0, -4)});
  stores.hart.run(0, 1000);
  EXPECT_EQ(stores.hart.state(), Hart::State::Running);

  LoneHart pops;
  pops.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 32), branch(Op::Beq, 0, 0, -4)});
  pops.hart.run(0, 1000);
  EXPECT_EQ(pops.hart.state(), Hart::State::Running);
}

TEST(Parking, APollOfAPureRegisterParksOnItsKind) {
  LoneHart lone;
  lone.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 4), branch(Op::Beq, t0, 0, -4)});
  lone.hart.run(0, 1000);
  EXPECT_EQ(lone.hart.state(), Hart::State::Parked);
  EXPECT_EQ(lone.hart.waits_for(), wait::kStream);
}

TEST(Parking, AChangeDuringTheTurnPreventsParking) {
  LoneHart lone;
  lone.start(poll_l1());
  lone.hart.run(0, 5);  // in the middle of the turn that is being compared
  EXPECT_EQ(lone.hart.state(), Hart::State::Running);
  EXPECT_TRUE(lone.hart.polls_line(0x400 / 64));
  lone.hart.disturb();
  lone.l1.store<std::uint32_t>(0x400, 1);
  lone.hart.run(5, 20);
  EXPECT_EQ(lone.hart.x(t1), 1u);
}

// What parking must never change: registers, PC, cycles and retired instructions, wherever the wake-up falls.
RC_GTEST_PROP(Parking, WakingGivesWhatSpinningWouldHaveGiven, ()) {
  const int body = *rc::gen::inRange(0, 12);
  const auto wake_quantum = *rc::gen::inRange<Cycle>(1, 40);
  std::array<LoneHart, 2> hearts;
  hearts[1].hart.allow_parking(false);
  for (LoneHart& lone : hearts) {
    std::uint32_t at = 0x1000;
    const auto emit = [&](const Instruction& i) {
      lone.l1.store(at, isa::riscv::encode(i));
      at += 4;
    };
    emit(imm(Op::Lw, t0, 0, 0x400));
    for (int i = 0; i < body; ++i) emit(imm(Op::Addi, a0, t0, i));
    emit(branch(Op::Beq, t0, 0, -4 * (body + 1)));
    emit(imm(Op::Addi, t1, 0, 1));
    emit(branch(Op::Beq, 0, 0, 0));
    lone.hart.release_reset(0x1000, 0, false);
    for (Cycle start = 0; start < wake_quantum * 64; start += 64) {
      if (lone.hart.runnable()) lone.hart.run(start, start + 64);
    }
    if (lone.hart.state() == Hart::State::Parked) lone.hart.wake(wake_quantum * 64);
    RC_ASSERT(lone.hart.cycle() == wake_quantum * 64);
    lone.l1.store<std::uint32_t>(0x400, 7);
    lone.hart.run(wake_quantum * 64, wake_quantum * 64 + 24);
  }
  RC_ASSERT(hearts[0].hart.state_hash() == hearts[1].hart.state_hash());
  if (hearts[0].hart.runnable()) RC_ASSERT(hearts[0].hart.instructions() == hearts[1].hart.instructions());
}

TEST(Parking, ABlockedLoadIsRetriedFromTheWakeUpOn) {
  LoneHart lone;
  lone.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 36)});
  lone.hart.run(0, 64);
  EXPECT_EQ(lone.hart.state(), Hart::State::Blocked);
  EXPECT_EQ(lone.hart.waits_for(), wait::kMailbox);
  EXPECT_EQ(lone.hart.instructions(), 1u);
  lone.hart.wake(640);
  EXPECT_EQ(lone.hart.cycle(), 640u);
}

}  // namespace
}  // namespace kerr::emu
