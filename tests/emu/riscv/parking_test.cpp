#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/emu/riscv/equal.hpp"
#include "tests/emu/riscv/polling_loop.hpp"

namespace kerr::emu {
namespace {

using polling::PollingLoop;

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
  EXPECT_TRUE(lone.hart.state().parked());
  EXPECT_EQ(lone.hart.state().waits_for, wait::kL1);
  EXPECT_TRUE(lone.l1.attributes()[0x400 / 64] & L1::kWatched);
  lone.l1.store<uint32_t>(0x404, 1);
  EXPECT_EQ(lone.watched_writes, std::vector<uint32_t>{0x400 / 64});
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
  EXPECT_EQ(lone.hart.state().status, HartStatus::Running);
  EXPECT_EQ(lone.hart.state().x[t0], 5000u);
}

TEST(Parking, ALoopThatStoresOrPopsDoesNotPark) {
  LoneHart stores;
  stores.start({store(Op::Sw, 0, 0, 0x400), branch(Op::Beq, 0, 0, -4)});
  stores.hart.run(0, 1000);
  EXPECT_EQ(stores.hart.state().status, HartStatus::Running);

  LoneHart pops;
  pops.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 32), branch(Op::Beq, 0, 0, -4)});
  pops.hart.run(0, 1000);
  EXPECT_EQ(pops.hart.state().status, HartStatus::Running);
}

TEST(Parking, APollOfAPureRegisterParksOnItsKind) {
  LoneHart lone;
  lone.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 4), branch(Op::Beq, t0, 0, -4)});
  lone.hart.run(0, 1000);
  EXPECT_TRUE(lone.hart.state().parked());
  EXPECT_EQ(lone.hart.state().waits_for, wait::stream(0));
}

TEST(Parking, AChangeDuringTheTurnPreventsParking) {
  LoneHart lone;
  lone.start(poll_l1());
  lone.hart.run(0, 3);  // in the middle of the turn that is being compared
  EXPECT_EQ(lone.hart.state().status, HartStatus::Running);
  EXPECT_EQ(lone.hart.reads(0x400 / 64), 0xFu);
  lone.hart.disturb();
  lone.l1.store<uint32_t>(0x400, 1);
  lone.hart.run(3, 20);
  EXPECT_EQ(lone.hart.state().x[t1], 1u);
}

TEST(Parking, AWriteThatChangesNothingThatIsPolledWakesNobody) {
  LoneHart lone;
  lone.start(poll_l1());
  lone.run(1024);
  ASSERT_TRUE(lone.hart.state().parked());
  lone.l1.store<uint32_t>(0x404, 1);
  lone.l1.store<uint8_t>(0x43F, 1);
  EXPECT_TRUE(lone.hart.state().parked());
  lone.l1.store<uint8_t>(0x403, 0);  // a byte of the word, which was 0
  uint8_t across[8] = {1, 2, 3, 4};
  lone.l1.write(0x3FC, across);
  EXPECT_TRUE(lone.hart.state().parked());
  across[4] = 1;
  lone.l1.write(0x3FC, across);
  lone.run(3072);
  EXPECT_EQ(lone.hart.state().x[t1], 1u);
}

// After work of some length, in which it stores: not only when it is next looked for a loop that nobody knows.
TEST(Parking, AHartThatComesBackToItsLoopParksAtOnce) {
  for (const int work : {50, 150, 450}) {
    LoneHart lone;
    lone.start({imm(Op::Lw, t0, 0, 0x400), branch(Op::Beq, t0, 0, -4), store(Op::Sw, 0, 0, 0x400),
                imm(Op::Addi, t1, 0, work), imm(Op::Addi, t1, t1, -1), branch(Op::Bne, t1, 0, -4),
                branch(Op::Beq, 0, 0, -24)});
    lone.run(4096);
    ASSERT_TRUE(lone.hart.state().parked());
    for (int round = 0; round < 3; ++round) {
      lone.l1.store<uint32_t>(0x400, 1);
      const Cycle back = lone.time + 2 * static_cast<Cycle>(work) + 8;
      while (lone.time < back) lone.run(lone.time + 64);
      lone.run(lone.time + 64);
      EXPECT_TRUE(lone.hart.state().parked()) << work;
      EXPECT_EQ(lone.hart.state().x[t1], 0u);
    }
  }
}

// What parking must never change: registers, PC, memory, cycles and retired instructions, wherever the wake-up falls.
RC_GTEST_PROP(Parking, AnyPollingLoopDoesWhatItWouldHaveDoneSpinning, ()) {
  const PollingLoop loop(*rc::gen::arbitrary<uint32_t>());
  // The low word of the clock wraps soon, or not.
  const auto begin = *rc::gen::element<Cycle>(0, 0xFFFF'F000, 0x2'FFFF'0000);
  LoneHart parking, spinning(arch::Hart::Brisc, {.parking = false});
  for (LoneHart* lone : {&parking, &spinning}) loop.load(*lone, begin);
  int parked = 0;
  for (int event = 0; event < 30; ++event) {
    const auto quanta =
        *rc::gen::weightedOneOf<Cycle>({{3, rc::gen::inRange<Cycle>(1, 6)}, {1, rc::gen::inRange<Cycle>(6, 200)}});
    for (LoneHart* lone : {&parking, &spinning}) {
      for (Cycle i = 0; i < quanta; ++i) lone->run(lone->time + 64);
    }
    parked += parking.hart.state().parked();
    const auto where = *rc::gen::inRange<uint32_t>(0, 80);
    const auto value = *rc::gen::element<uint32_t>(0, 0, 1, 0x1234);
    const auto code = *rc::gen::inRange<uint32_t>(0, loop.code_bytes() / 4);
    for (LoneHart* lone : {&parking, &spinning}) {
      if (where < 64) {
        lone->l1.store(PollingLoop::kWords + 4 * where, value);
      } else if (where < 72) {
        lone->set_register(where - 64, value);
      } else if (where < 76) {  // the same code again
        const uint32_t at = PollingLoop::kCode + 4 * code;
        lone->l1.store(at, lone->l1.load<uint32_t>(at));
      } else if (lone->hart.state().parked()) {
        lone->hart.wake(lone->time);
      }
    }
    parking.hart.catch_up(parking.time);
    expect_equal(parking, spinning);
  }
  RC_ASSERT(!spinning.faults.any());
  RC_TAG(parked == 0 ? "never parked" : parked < 10 ? "seldom parked" : "mostly parked");
}

// However long its turn and whatever it did before. Longer turns than PollWatch::kLongestTurn spin.
RC_GTEST_PROP(Parking, EveryLoopThatOnlyPollsParksInTheEnd, ()) {
  const PollingLoop loop(*rc::gen::arbitrary<uint32_t>(), false);
  LoneHart lone;
  loop.load(lone, 0);
  lone.run(lone.time + *rc::gen::inRange<Cycle>(0, 100'000));
  lone.l1.store(PollingLoop::kWords, 1);
  for (int i = 0; i < 20'000 && !lone.hart.state().parked(); ++i) lone.run(lone.time + 64);
  RC_ASSERT(lone.hart.state().parked());
}

TEST(Parking, ABlockedLoadIsRetriedFromTheWakeUpOn) {
  LoneHart lone;
  lone.start({upper(a0, LoneHart::kRegisters), imm(Op::Lw, t0, a0, 36)});
  lone.hart.run(0, 64);
  EXPECT_EQ(lone.hart.state().status, HartStatus::Blocked);
  EXPECT_EQ(lone.hart.state().waits_for, wait::kMailbox);
  EXPECT_EQ(lone.hart.state().instructions, 1u);
  lone.hart.wake(640);
  EXPECT_EQ(lone.hart.state().cycle, 640u);
}

}  // namespace
}  // namespace kerr::emu
