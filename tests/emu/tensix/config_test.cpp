#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

class Configuration : public Tensix {};

TEST_F(Configuration, Setc16WritesOnlyTheIssuingThread) {
  run(T1, SETC16{.setc16_value = 0x1234, .setc16_reg = 12});
  EXPECT_EQ(thread_config(T1, 12), 0x1234u);
  EXPECT_EQ(thread_config(T0, 12), 0u);
}

TEST_F(Configuration, Setc16BeyondTheLastWordIsUndefined) {
  run(T1, SETC16{.setc16_reg = 68});
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

TEST_F(Configuration, StateIdChoosesTheBankOfAllInstructionsOfItsThread) {
  cop().state.gpr.write(T0, 5, 0xABCD);
  run(T0, SETC16{.setc16_value = 1, .setc16_reg = 0}, WRCFG{.cfg_reg = 69, .gpr_address = 5});
  EXPECT_EQ(config(69, 0), 0u);
  EXPECT_EQ(config(69, 1), 0xABCDu);
  run(T0, RDCFG{.cfg_reg = 69, .gpr_address = 6});
  EXPECT_EQ(gpr(T0, 6), 0xABCDu);
  run(T1, RDCFG{.cfg_reg = 69, .gpr_address = 6});
  EXPECT_EQ(gpr(T1, 6), 0u) << "the other thread is on bank 0";
}

TEST_F(Configuration, GlobalWordsExistOnce) {
  set_config(209, 0xDEADBEEF, 1);
  EXPECT_EQ(config(209, 0), 0xDEADBEEFu);
  set_config(180, 5, 0);
  EXPECT_EQ(config(180, 1), 5u);
}

TEST_F(Configuration, DualWriteWritesBothBanks) {
  ASSERT_EQ(tile.windows.store_config(0x700 + 4 * 69, 77), Access::Done);
  EXPECT_EQ(config(69, 0), 77u);
  EXPECT_EQ(config(69, 1), 77u);
}

TEST_F(Configuration, AbsentBitsReadZero) {
  set_config(3, 0xFFFFFFFF);
  EXPECT_EQ(config(3), 0x1FFFFFFFu);
  set_config(220, 0xFFFFFFFF);
  EXPECT_EQ(config(220), 0xFu);
  set_config(9, 0xFFFFFFFF);
  EXPECT_EQ(config(9), 0u);
}

TEST_F(Configuration, TileDescriptorsHaveFourWords) {
  for (const unsigned first : {64u, 112u}) {
    for (unsigned w = first; w < first + 4; ++w) {
      set_config(w, 0x01020304 + w);
      EXPECT_EQ(config(w), 0x01020304 + w);
    }
  }
}

TEST_F(Configuration, WritingStateResetZeroesTheBankedWordsOfThatBank) {
  set_config(1, 5);
  set_config(179 - 30, 5);
  set_config(69, 5, 1);
  set_config(209, 5);
  set_config(4, 0);
  EXPECT_EQ(config(1), 0u);
  EXPECT_EQ(config(149), 0u);
  EXPECT_EQ(config(69, 1), 5u);
  EXPECT_EQ(config(209), 5u);
}

TEST_F(Configuration, RmwcibReplacesMaskedBitsOfOneByteAndNeverResets) {
  set_config(69, 0x44332211);
  run(T0, RMWCIB0{.cfg_reg_addr = 69, .data = 0xFF, .mask = 0x0F},
      RMWCIB3{.cfg_reg_addr = 69, .data = 0xAB, .mask = 0xFF});
  EXPECT_EQ(config(69), 0xAB33221Fu);
  run(T0, RMWCIB1{.cfg_reg_addr = 69, .data = 0, .mask = 0xFF}, RMWCIB2{.cfg_reg_addr = 69, .data = 1, .mask = 1},
      RMWCIB0{.cfg_reg_addr = 4, .data = 1, .mask = 1});
  EXPECT_EQ(config(69), 0xAB33001Fu);
}

TEST_F(Configuration, WrcfgOf128BitsAlignsBothSides) {
  for (unsigned r = 8; r < 12; ++r) cop().state.gpr.write(T2, r, 100 + r);
  run(T2, WRCFG{.cfg_reg = 78, .wr128b = 1, .gpr_address = 10});
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(config(76 + k), 108 + k);
}

TEST_F(Configuration, WordsBeyondTheBankAreUndefined) {
  run(T0, WRCFG{.cfg_reg = 224});
  run(T1, RDCFG{.cfg_reg = 2047});
  run(T2, RMWCIB0{.cfg_reg_addr = 255});
  EXPECT_EQ(tile.faults.take().size(), 3u);
}

TEST_F(Configuration, CfgShiftMaskCombinesWithARotatedScratchField) {
  set_config(210, 0x0000ABCD);
  set_config(69, 0xFFFFFFFF);
  // Eight bits of scratch 1, rotated right by 24: into [15:8]; the old byte is masked out, then or.
  run(T0, CFGSHIFTMASK{.cfg_reg = 69, .scratch_sel = 1, .right_cshift_amt = 24, .mask_width = 7, .operation = 0});
  EXPECT_EQ(config(69), 0xFFFFCDFFu);
  set_config(209, 5);
  run(T0, CFGSHIFTMASK{.cfg_reg = 69, .mask_width = 31, .operation = 3, .disable_mask_on_old_val = 1});
  EXPECT_EQ(config(69), 0xFFFFCE04u);
  set_config(211, 0x10);
  run(T2,
      CFGSHIFTMASK{.cfg_reg = 69, .scratch_sel = 3, .mask_width = 31, .operation = 7, .disable_mask_on_old_val = 1});
  EXPECT_EQ(config(69), 0xFFFFCDF4u) << "the thread's own scratch word";
}

TEST_F(Configuration, TheWindowHasAnEnd) {
  uint32_t value = 0;
  EXPECT_EQ(tile.windows.load_config(0xDB0, value), Access::Fault);
  EXPECT_EQ(tile.windows.store_config(0xFFFC, 0), Access::Fault);
  const std::vector<Fault> faults = tile.faults.take();
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].address, 0xFFEF0DB0u);
  EXPECT_EQ(faults[1].address, 0xFFEFFFFCu);
}

TEST_F(Configuration, ThreadWordsTakeNoStores) {
  EXPECT_EQ(tile.windows.store_config(0xA80, 1), Access::Done);
  EXPECT_EQ(thread_config(T0, 0), 0u);
}

TEST_F(Configuration, WritesAreAnnounced) {
  tile.announced = 0;
  set_config(69, 1);
  EXPECT_TRUE(tile.announced & wait::kConfig);
}

TEST_F(Configuration, ThconResetClearsItsWords) {
  set_config(63, 5);
  set_config(69, 5);
  set_config(69, 5, 1);
  set_config(209, 5);
  cop().reset(0, 1u << 9);
  EXPECT_EQ(config(63), 5u);
  EXPECT_EQ(config(69), 0u);
  EXPECT_EQ(config(69, 1), 0u);
  EXPECT_EQ(config(209), 5u);
  run(T0, set_gpr(1, 5));
  EXPECT_TRUE(cop().stuck(T0)) << "the scalar unit starts nothing while held";
  cop().reset(1u << 9, 0);
  settle();
  EXPECT_EQ(gpr(T0, 1), 5u);
}

// Source: the Blackhole ISA page of STREAMWRCFG.
TEST_F(Configuration, StreamwrcfgCopiesARegisterOfTheSelectedStream) {
  tile.registers[0xFFB40000 + 12 * 0x1000 + 4 * 36] = 0xABCDEF;
  run(T2, SETC16{.setc16_value = 12, .setc16_reg = 60}, SETC16{.setc16_value = 1, .setc16_reg = 0},
      STREAMWRCFG{.cfg_reg = 209, .stream_reg_addr = 36, .stream_id_sel = 1});
  EXPECT_EQ(config(209), 0xABCDEFu);
  run(T2, STREAMWRCFG{.cfg_reg = 224});
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

}  // namespace kerr::emu
