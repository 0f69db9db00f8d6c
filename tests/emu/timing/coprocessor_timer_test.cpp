// Sequences of Tensix instructions whose times are known (docs/hardware/timing.md 3-5).
#include "emu/timing/coprocessor_timer.hpp"

#include <gtest/gtest.h>

#include "isa/tensix/instructions.hpp"

namespace kerr::emu::timing {
namespace {

namespace tx = isa::tensix;

// One thread that issues without a pause.
struct Stream {
  explicit Stream(CoprocessorTimer& timer_, int thread_ = 1) : timer(timer_), thread(thread_) {}

  template <class I>
  Cycle operator()(const I& instruction, Touched touched = {}) {
    const uint32_t word = instruction.encode();
    touched.after = touched.after.fpu == touched.before.fpu && touched.after.unpack == touched.before.unpack
                        ? banks
                        : touched.after;
    touched.before = banks;
    banks = touched.after;
    work = {.came = now};
    now = timer.executed(thread, *tx::row_of(word), word, touched, work);
    return now;
  }

  CoprocessorTimer& timer;
  int thread;
  BankPointers banks;
  Cycle now = 100;
  UnitWork work;  // of the last one
};

struct CoprocessorTimerTest : testing::Test {
  Parameters p;
  CoprocessorTimer timer{p};
  Stream math{timer};
};

Touched rows(unsigned first, unsigned count = 8) { return {.dst_first = first, .dst_count = count, .reads_dst = true}; }

TEST_F(CoprocessorTimerTest, MatmulOrderIssuesOneMvmulACycle) {
  for (int i = 0; i < 64; ++i) math(tx::MVMUL{}, rows(8 * static_cast<unsigned>(i % 8)));
  EXPECT_EQ(math.now, 164u);
}

TEST_F(CoprocessorTimerTest, DependentAccumulationsTakeSixCyclesEach) {
  for (int i = 0; i < 8; ++i) math(tx::GAPOOL{}, rows(0));
  EXPECT_EQ(math.now, 100u + 7 * 6 + 1);
}

TEST_F(CoprocessorTimerTest, TurnsOfMatrixAndVectorUnitLoseTwelveCycles) {
  for (int turn = 0; turn < 10; ++turn) {
    for (unsigned i = 0; i < 4; ++i) math(tx::ELWMUL{}, rows(64 + 8 * i));
    for (int i = 0; i < 4; ++i) math(tx::SFPLOAD{.lreg_ind = 0});
  }
  EXPECT_EQ(math.work.start, 100u + 10 * (4 + 4 + 12) - 7);
  EXPECT_EQ(math.work.lacked, Lacked::Nothing) << "the last of its group";
  math(tx::ELWMUL{}, rows(64));
  EXPECT_EQ(math.work.lacked, Lacked::Dst);
}

TEST_F(CoprocessorTimerTest, AVectorInstructionBehindOneMatrixOneDoesNotWait) {
  for (int turn = 0; turn < 10; ++turn) {
    math(tx::ELWMUL{}, rows(64));
    math(tx::SFPSTORE{.lreg_ind = 0});
  }
  EXPECT_EQ(math.now, 100u + 9 * 8 + 2);
}

TEST_F(CoprocessorTimerTest, OnlyAccessesToDstMakeUnitsWaitForEachOther) {
  for (int i = 0; i < 10; ++i) {
    math(tx::ELWMUL{}, rows(8 * static_cast<unsigned>(i)));
    math(tx::SFPMOV{.lreg_dest = 5, .lreg_c = 6});
  }
  EXPECT_EQ(math.now, 120u);
  Stream other{timer, 0};
  other.now = 120;
  other(tx::SFPLOAD{.lreg_ind = 0});
  EXPECT_EQ(other.work.start, 120u) << "another thread's";
}

TEST_F(CoprocessorTimerTest, TwoMovesOfEightRowsTakeThreeCycles) {
  for (unsigned i = 0; i < 8; ++i) math(tx::MOVA2D{}, {.dst_first = 8 * i, .dst_count = 8});
  math(tx::MVMUL{}, {.dst_first = 128, .dst_count = 8});
  EXPECT_EQ(math.work.start, 112u);
}

TEST_F(CoprocessorTimerTest, AWaitForTheVectorUnitSeesAStoreDoneLate) {
  math(tx::SFPSTORE{.lreg_ind = 0});
  math(tx::STALLWAIT{.wait_res = 0x800, .stall_res = 0x40});
  math(tx::MVMUL{}, {.dst_first = 128, .dst_count = 8});
  EXPECT_EQ(math.work.start, 100u + p.sfpu_store_done + p.wait_release);
}

TEST_F(CoprocessorTimerTest, AStoreBehindALoadLosesACycleButNotTheReverse) {
  for (int row = 0; row < 10; ++row) {
    math(tx::SFPLOAD{.lreg_ind = 0});
    math(tx::SFPSTORE{.lreg_ind = 0});
  }
  EXPECT_EQ(math.now, 130u);
}

TEST_F(CoprocessorTimerTest, WaitsBackToBackTakeTwoCyclesEach) {
  for (int i = 0; i < 100; ++i) math(tx::STALLWAIT{.wait_res = 1, .stall_res = 0x1FF});
  EXPECT_NEAR(static_cast<double>(math.now), 300, 2);
}

TEST_F(CoprocessorTimerTest, AnInstructionThatAWaitDoesNotHoldPaysNothing) {
  math(tx::SEMINIT{.max_value = 1});
  math(tx::STALLWAIT{.wait_res = 1, .stall_res = 0x40});
  EXPECT_EQ(math(tx::SEMINIT{.max_value = 1}), 103u);
}

TEST_F(CoprocessorTimerTest, AVectorInstructionWaitsForAProductThatItReads) {
  math(tx::SFPMAD{.lreg_dest = 1, .lreg_src_c = 2, .lreg_src_b = 3, .lreg_src_a = 4});
  EXPECT_EQ(math(tx::SFPMOV{.lreg_dest = 5, .lreg_c = 6}), 102u);
  math(tx::SFPMAD{.lreg_dest = 1, .lreg_src_c = 2, .lreg_src_b = 3, .lreg_src_a = 4});
  EXPECT_EQ(math(tx::SFPMOV{.lreg_dest = 5, .lreg_c = 1}), 105u);
}

TEST_F(CoprocessorTimerTest, AVectorRowOfLoadAndStoreTakesFourCycles) {
  for (int row = 0; row < 32; ++row) {
    math(tx::SFPLOAD{.lreg_ind = 0});
    math(tx::SFPSTORE{.lreg_ind = 0});
    math(tx::INCRWC{.rwc_d = 2});
  }
  EXPECT_NEAR(static_cast<double>(math.now - 100), 124.06, 0.05 * 124);
}

TEST_F(CoprocessorTimerTest, ATileComesInEighteenCycles) {
  Stream unpack{timer, 0};
  Touched tile{.moved_bytes = 2048};
  tile.before = {};
  tile.after.unpack = {1, 0};
  unpack(tx::UNPACR{.set_dat_valid = 1}, tile);
  EXPECT_EQ(unpack.now, 102u);
  EXPECT_EQ(math(tx::MVMUL{}, rows(0)), 100u + 18 + 1 + 1);
}

TEST_F(CoprocessorTimerTest, APackedTileTakesSixteenCycles) {
  Stream pack{timer, 2};
  for (unsigned i = 0; i < 16 * 10; ++i)
    pack(tx::PACR{}, {.dst_first = 4 * (i % 16), .dst_count = 4, .reads_dst = true, .moved_bytes = 128});
  EXPECT_EQ(pack.now, 100u + 160);
  EXPECT_EQ(timer.finished(2), 100u + 160 - 1 + kBlackhole.thread_idle);
}

TEST_F(CoprocessorTimerTest, SaysWhatAnInstructionLackedAndForHowLong) {
  Stream unpack{timer, 0};
  Touched tile{.moved_bytes = 2048};
  tile.after.unpack = {1, 0};
  unpack(tx::UNPACR{.set_dat_valid = 1}, tile);
  EXPECT_EQ(unpack.work.until, 118u);
  math(tx::MVMUL{}, rows(0));
  EXPECT_EQ(math.work.lacked, Lacked::SrcA);
  EXPECT_EQ(math.work.came, 100u);
  EXPECT_EQ(math.work.start, 119u);
  EXPECT_EQ(math.work.until, 120u);
  math(tx::MVMUL{}, rows(0));
  EXPECT_EQ(math.work.lacked, Lacked::Dst) << "the same rows";
  math(tx::SFPMAD{.lreg_dest = 1, .lreg_src_c = 2, .lreg_src_b = 3, .lreg_src_a = 4});
  EXPECT_EQ(math.work.lacked, Lacked::Nothing);
  math(tx::SFPMOV{.lreg_dest = 5, .lreg_c = 1});
  EXPECT_EQ(math.work.lacked, Lacked::LReg);
}

}  // namespace
}  // namespace kerr::emu::timing
