// SFPLOADMACRO: what it schedules, and when that happens.   docs/hardware/tensix-math.md 11
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

class Macro : public VectorUnit {
 protected:
  static constexpr unsigned kSimple = 0, kMad = 1, kRound = 2, kStore = 3;
  enum Flag : unsigned { kTo16 = 0x40, kKeep = 0x80 };

  /// A byte of a sequence: `what` 2 = SFPNOP, 3 = SFPSTORE, 4.. = template.
  static u32 step(unsigned unit, unsigned what, unsigned delay, unsigned flags = 0) {
    return (what | delay << 3 | flags) << 8 * unit;
  }
  void sequence(unsigned macro, u32 value) {
    set(0, value);
    run("SFPCONFIG config_dest=" + std::to_string(4 + macro));
  }
  void misc(u32 value) { run("SFPCONFIG config_dest=8, instr_mod1=1, imm16_math=" + std::to_string(value)); }
  /// A line without VD.
  void make_template(unsigned n, std::string line) {
    run(line + (line.find('=') == std::string::npos ? " " : ", ") + "lreg_dest=" + std::to_string(12 + n));
  }
  void dst(unsigned row, u32 value) {
    for (unsigned l = 0; l < kLanes; ++l) put_32(row + l / 8, 2 * (l % 8), value);
  }
  void nops(int count) {
    for (int n = 0; n < count; ++n) run("SFPNOP");
  }
  static constexpr const char* kMacro0ToLreg2 =
      "SFPLOADMACRO lreg_ind=2, instr_mod0=4, sfpu_addr_mode=7, dest_reg_addr=0";
};

TEST_F(Macro, LoadsAtOnceAndExecutesLater) {
  make_template(0, "SFPABS instr_mod1=1");
  sequence(0, step(kSimple, 4, 1));
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  EXPECT_EQ(lane0(2), 0xC0000000u);
  run("SFPNOP");  // the delay goes from 1 to 0
  EXPECT_EQ(lane0(2), 0xC0000000u);
  run("SFPNOP");
  EXPECT_EQ(lane0(2), 0x40000000u);
  EXPECT_FALSE(sfpu.busy());
}

TEST_F(Macro, DelayZeroIsTheNextCycle) {
  make_template(0, "SFPABS instr_mod1=1");
  sequence(0, step(kSimple, 4, 0));
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  run("SFPMOV lreg_dest=5, lreg_c=9");  // the same sub-unit in the same cycle: lost
  EXPECT_EQ(lane0(2), 0x40000000u);
  set(5, 1);
  run(kMacro0ToLreg2);
  run("SFPMOV lreg_dest=5, lreg_c=9");
  EXPECT_EQ(lane0(5), 1u);
  run("SFPMOV lreg_dest=5, lreg_c=9");
  EXPECT_EQ(lane0(5), 0u);
}

TEST_F(Macro, AWholeKernelInOneInstruction) {
  // y = 2 |x| + 1, stored where x came from
  make_template(0, "SFPABS instr_mod1=1");
  make_template(1, "SFPMAD lreg_src_a=6, lreg_src_b=0, lreg_src_c=10");  // bit 7: VB is the loaded register
  sequence(0, step(kSimple, 4, 0) | step(kMad, 5, 1, kKeep) | step(kStore, 3, 3));
  misc(0x010);  // macro 0 stores as it loads
  set(6, 0x40000000);
  for (unsigned row = 0; row < 16; row += 4) dst(row, 0xBF800000 + row * 0x00100000);
  for (unsigned row = 0; row < 16; row += 4) {
    run("SFPLOADMACRO lreg_ind=2, instr_mod0=4, sfpu_addr_mode=7, dest_reg_addr=" + std::to_string(row));
    nops(4);
  }
  EXPECT_EQ(get_32(0, 0), 0x40400000u);
  EXPECT_EQ(get_32(3, 14), 0x40400000u);
  EXPECT_EQ(get_32(4, 0), 0x40800000u) << "2 * 1.5 + 1";
}

TEST_F(Macro, OverlappingMacrosUseDifferentRegisters) {
  make_template(0, "SFPADDI imm16_math=0x3F80");
  sequence(0, step(kMad, 4, 0) | step(kStore, 3, 2));
  misc(0x010);
  for (unsigned row = 0; row < 16; row += 4) dst(row, 0x3F800000 + row * 0x00200000);  // 1, 2, 4, 8
  for (unsigned n = 0; n < 4; ++n) {
    run("SFPLOADMACRO instr_mod0=4, sfpu_addr_mode=7, lreg_ind=" + std::to_string(n) +
        ", dest_reg_addr=" + std::to_string(4 * n));
  }
  nops(4);
  EXPECT_EQ(get_32(0, 0), 0x40000000u);
  EXPECT_EQ(get_32(4, 0), 0x40400000u);
  EXPECT_EQ(get_32(8, 0), 0x40A00000u);
  EXPECT_EQ(get_32(12, 0), 0x41100000u);
}

TEST_F(Macro, AMultiplyAddArrivesACycleLater) {
  make_template(0, "SFPADDI imm16_math=0x3F80");
  make_template(1, "SFPABS instr_mod1=1");
  sequence(0, step(kMad, 4, 0) | step(kSimple, 5, 1, kTo16));
  set(3, 0);
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  run("SFPNOP");  // -2 + 1 begins
  EXPECT_EQ(lane0(2), 0xC0000000u);
  run("SFPNOP");  // the absolute value reads the old value
  EXPECT_EQ(lane0(2), 0xBF800000u);
  EXPECT_EQ(lane0(16), 0x40000000u);
}

TEST_F(Macro, Register16IsForStoresOfMacros) {
  make_template(0, "SFPNOT");
  sequence(0, step(kSimple, 4, 0, kTo16) | step(kStore, 3, 1, kTo16));
  misc(4);
  dst(0, 0x0000FFFF);
  run(kMacro0ToLreg2);
  nops(3);
  EXPECT_EQ(lane0(2), 0x0000FFFFu);
  EXPECT_EQ(get_32(0, 0), 0xFFFF0000u);
}

TEST_F(Macro, TheStoreGoesWhereTheLoadCameFromInItsOwnMode) {
  sequence(1, step(kStore, 3, 2));
  misc(6);  // UINT16
  set(4, 0x12345678);
  thread_config({arch::thread_config::ADDR_MOD_DST_SEC0_DestIncr.word, 0, 16}, 16);
  dst(8, 0xABCD);
  // Macro 1, LReg 1; the counter steps.
  run("SFPLOADMACRO lreg_ind=5, instr_mod0=4, sfpu_addr_mode=0, dest_reg_addr=8");
  run("SFPMOV lreg_dest=1, lreg_c=4\nSFPNOP\nSFPNOP");
  EXPECT_EQ(cell(8, 0), 0x5678) << "16-bit row 8, though the counter has moved";
  EXPECT_EQ(state.rwcs[kThread].dst, 16);
}

TEST_F(Macro, TheRegisterNumberIsSplit) {
  dst(0, 77);
  run("SFPLOADMACRO lreg_ind=2, instr_mod0=4, sfpu_addr_mode=7, dest_reg_addr=1");
  EXPECT_EQ(lane0(6), 77u);
}

TEST_F(Macro, DelaysMayCountInstructions) {
  make_template(0, "SFPABS instr_mod1=1");
  sequence(0, step(kSimple, 4, 3));
  misc(0x100);  // the simple sub-unit counts instructions
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  cycle += 100;
  run("SFPNOP\nSFPNOP");
  EXPECT_TRUE(sfpu.drain(kThread).is_done());
  EXPECT_EQ(lane0(2), 0xC0000000u);
  run("SFPNOP");  // the third: next cycle it executes, whatever happens
  cycle += 1;
  EXPECT_EQ(lane0(2), 0xC0000000u);
  EXPECT_TRUE(sfpu.drain(kThread).is_done());
  EXPECT_EQ(lane0(2), 0x40000000u);
}

TEST_F(Macro, CyclesPassBetweenInstructions) {
  make_template(0, "SFPABS instr_mod1=1");
  sequence(0, step(kSimple, 4, 5));
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  cycle += 20;
  run("SFPMOV lreg_dest=3, lreg_c=2");
  EXPECT_EQ(lane0(3), 0x40000000u);
  run(kMacro0ToLreg2);
  EXPECT_TRUE(sfpu.drain(kThread + 1).is_done()) << "another thread's idleness does not count";
  EXPECT_EQ(lane0(2), 0xC0000000u);
  EXPECT_TRUE(sfpu.drain(kThread).is_done());
  EXPECT_EQ(lane0(2), 0x40000000u);
}

TEST_F(Macro, ALaterMacroReplacesWhatWouldExecuteInTheSameCycle) {
  make_template(0, "SFPABS instr_mod1=1");
  make_template(1, "SFPNOT");
  sequence(0, step(kSimple, 4, 2));
  sequence(1, step(kSimple, 5, 1));
  sequence(2, step(kSimple, 0, 1));
  dst(0, 0xC0000000);
  run(kMacro0ToLreg2);
  run("SFPLOADMACRO lreg_ind=7, instr_mod0=4, sfpu_addr_mode=7");  // macro 1 to LReg 3
  nops(3);
  EXPECT_EQ(lane0(2), 0xC0000000u);
  EXPECT_EQ(lane0(3), 0x3FFFFFFFu);
  run(kMacro0ToLreg2);
  run("SFPLOADMACRO lreg_ind=11, instr_mod0=4, sfpu_addr_mode=7");  // macro 2 cancels only
  nops(3);
  EXPECT_EQ(lane0(2), 0xC0000000u);
}

TEST_F(Macro, AnInstructionOfAnotherSubUnitIsANop) {
  make_template(0, "SFPMAD lreg_src_a=10, lreg_src_b=10, lreg_src_c=10");
  sequence(0, step(kSimple, 4, 0));
  dst(0, 5);
  run(kMacro0ToLreg2);
  nops(3);
  EXPECT_EQ(lane0(2), 5u);
}

TEST_F(Macro, WhatTheDocumentForbidsIsRefused) {
  make_template(0, "SFPABS instr_mod1=1");
  make_template(1, "SFP_STOCH_RND instr_mod1=1");
  make_template(2, "SFPSWAP instr_mod1=1");
  make_template(3, "SFPMAD lreg_src_a=10, lreg_src_b=10, lreg_src_c=10");
  sequence(0, step(kSimple, 1, 0));
  EXPECT_NE(refusal(kMacro0ToLreg2).find("selector 1"), std::string::npos);
  sequence(0, step(kStore, 4, 0));
  EXPECT_NE(refusal(kMacro0ToLreg2).find("store"), std::string::npos);
  sequence(0, step(kSimple, 4, 0) | step(kRound, 5, 0));
  run(kMacro0ToLreg2);
  EXPECT_NE(refusal("SFPNOP").find("LReg 16"), std::string::npos);
  sfpu.reset();
  make_template(2, "SFPSWAP instr_mod1=1");
  make_template(3, "SFPMAD lreg_src_a=10, lreg_src_b=10, lreg_src_c=10");
  sequence(0, step(kSimple, 6, 0) | step(kMad, 7, 0));
  run(kMacro0ToLreg2);
  EXPECT_NE(refusal("SFPNOP").find("SFPSWAP"), std::string::npos);
  sfpu.reset();
  run("SFPLOADI lreg_ind=0, instr_mod0=2, imm16=2\nSFPCONFIG config_dest=4, instr_mod1=8, imm16_math=1");
  EXPECT_NE(refusal(kMacro0ToLreg2).find("columns"), std::string::npos);
}

TEST_F(Macro, AScheduledSfpswapTakesANegativeNumberAsSmallerThanItsEqual) {
  for (const u32 value : {0x41200000u, 0xC1200000u}) {
    sfpu.reset();
    make_template(2, "SFPSWAP instr_mod1=1, lreg_src_c=1");
    sequence(0, step(kSimple, 6, 0, kKeep));
    set(1, value);
    set(5, 101);
    set(6, 102);
    dst(0, value);
    run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=4");
    run(kMacro0ToLreg2);
    nops(3);
    const bool negative = value >> 31;
    EXPECT_EQ(lane0(2), value);
    EXPECT_EQ(lane0(6), negative ? 101u : 102u) << std::hex << value;
    EXPECT_EQ(lane0(5), negative ? 102u : 101u) << std::hex << value;
  }
}

TEST_F(Macro, ResetForgetsWhatIsPending) {
  make_template(0, "SFPABS instr_mod1=1");
  sequence(0, step(kSimple, 4, 5));
  run(kMacro0ToLreg2);
  EXPECT_TRUE(sfpu.busy());
  sfpu.reset();
  EXPECT_FALSE(sfpu.busy());
}

}  // namespace
}  // namespace kerr::emu::tensix
