// Automatic TTSync: expectations from the table of tensix-datapath.md 5.7.
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;
using tensix::TrackedAccess;

class TtSyncTest : public Tensix {
 protected:
  using Kind = TrackedAccess::Kind;

  void track(unsigned bits) { run(T1, SETC16{.setc16_value = bits, .setc16_reg = 56}); }
  bool waits(Kind kind, bool store, unsigned word = 180) { return cop().must_wait(T1, {kind, store, word}); }
  // Words behind it stay in the FIFO.
  void hold_thread() { run(T1, SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = gate::Any}); }
  void release_thread() {
    cop().state.semaphores.post(0);
    settle();
  }
};

TEST_F(TtSyncTest, NothingIsTrackedUntilItIsSwitchedOn) {
  hold_thread();
  run(T1, WRCFG{.cfg_reg = 180}, set_gpr(1, 1));
  for (const Kind kind : {Kind::Config, Kind::Gpr, Kind::Tdma}) EXPECT_FALSE(waits(kind, true));
}

TEST_F(TtSyncTest, AccessesWaitForConflictingInstructionsOnly) {
  track(0b1101);
  hold_thread();
  EXPECT_FALSE(waits(Kind::Gpr, true)) << "a latched wait is no instruction on its way";
  push(T1, RDCFG{.cfg_reg = 180, .gpr_address = 3});  // reads configuration, writes GPRs
  EXPECT_TRUE(waits(Kind::Gpr, false));
  EXPECT_TRUE(waits(Kind::Gpr, true));
  EXPECT_FALSE(waits(Kind::Config, false)) << "two reads do not conflict";
  EXPECT_TRUE(waits(Kind::Config, true));
  EXPECT_FALSE(waits(Kind::Tdma, true));
  EXPECT_FALSE(cop().must_wait(T0, {Kind::Gpr, true})) << "other threads do not track";
  tile.announced = 0;
  release_thread();
  EXPECT_TRUE(tile.announced & wait::in_flight(T1));
  EXPECT_FALSE(waits(Kind::Gpr, true));
  EXPECT_FALSE(waits(Kind::Config, true));
}

TEST_F(TtSyncTest, AMopCoversEverythingUntilItsLastWordIsOut) {
  track(0b1101);
  for (unsigned w = 2; w < 9; ++w) cop().threads[T1].front.write_mop_config(w, NOP{}.encode());
  cop().threads[T1].front.write_mop_config(0, 1);
  cop().threads[T1].front.write_mop_config(1, 3);
  hold_thread();
  push(T1, MOP{.mop_type = 1});
  EXPECT_TRUE(waits(Kind::Tdma, true));
  settle();
  EXPECT_TRUE(waits(Kind::Tdma, true)) << "expanding behind the held gate";
  release_thread();
  EXPECT_FALSE(waits(Kind::Tdma, true));
}

TEST_F(TtSyncTest, UnpackersCanBeToldApart) {
  track(0b0001);
  hold_thread();
  push(T1, UNPACR_NOP{.unpack_pop = 2, .unpacker_select = 1});
  EXPECT_TRUE(waits(Kind::Config, true, 50)) << "all configuration";
  release_thread();
  track(0b0011);
  run(T1, SEMGET{.sem_sel = 1});
  hold_thread();
  push(T1, UNPACR_NOP{.unpack_pop = 2, .unpacker_select = 1});
  EXPECT_FALSE(waits(Kind::Config, true, 50)) << "unpacker 0";
  EXPECT_TRUE(waits(Kind::Config, true, 120)) << "unpacker 1";
}

TEST_F(TtSyncTest, ResourcedeclReplacesAClassForWhatComesBehindIt) {
  track(0b1101);
  hold_thread();
  push(T1, set_gpr(1, 1));
  EXPECT_TRUE(waits(Kind::Gpr, false));
  release_thread();
  run(T1, SEMGET{.sem_sel = 1});
  hold_thread();
  push(T1, RESOURCEDECL{.op_class = 0, .resources = 0}, set_gpr(1, 1));
  EXPECT_FALSE(waits(Kind::Gpr, false)) << "also while the declaration itself is on its way";
  release_thread();
  expect_no_fault();
}

}  // namespace kerr::emu
