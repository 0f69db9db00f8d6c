// Lane flags, their stack, and who obeys them.   docs/hardware/tensix-math.md 9.1, 9.2
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

using Predication = VectorUnit;

TEST_F(Predication, AllLanesAreEnabledAfterReset) {
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
  run("SFPLOADI lreg_ind=0, instr_mod0=2, imm16=5");
  for (const u32 v : get(0)) EXPECT_EQ(v, 5u);
}

TEST_F(Predication, OnlyEnabledLanesAreWritten) {
  set(0, numbered(0));
  set_flags(0x0000FF0F);
  run("SFPNOT lreg_dest=0, lreg_c=9");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get(0)[l], 0x0000FF0Fu >> l & 1 ? ~0u : 10 * l) << l;
}

TEST_F(Predication, FlagsOfDisabledLanesDoNotChange) {
  set_flags(0x0000FFFF);
  run("SFPSETCC lreg_c=9, instr_mod1=2");  // zero is not different from zero: all enabled lanes off
  EXPECT_EQ(sfpu.flags(), 0u);
  set_flags(0x0000FFFF);
  run("SFPSETCC lreg_c=9, instr_mod1=6");
  EXPECT_EQ(sfpu.flags(), 0x0000FFFFu);
}

TEST_F(Predication, ACompareBeforeTheFirstSfpenccLeavesNoFlagSet) {
  run("SFPSETCC lreg_c=9, instr_mod1=6");
  EXPECT_EQ(sfpu.flags(), 0u);
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
}

TEST_F(Predication, SfpenccSetsInvertsAndKeepsTheUseOfFlags) {
  run("SFPENCC instr_mod1=10, imm12=1");  // use flags, and they are off
  EXPECT_EQ(sfpu.enabled(), 0u);
  run("SFPENCC instr_mod1=1");  // do not use them; without bit 3 they are set
  EXPECT_EQ(sfpu.flags(), kAllLanes);
  run("SFPENCC instr_mod1=9, imm12=0");
  EXPECT_EQ(sfpu.enabled(), 0u);
  run("SFPENCC instr_mod1=8, imm12=2");
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
}

TEST_F(Predication, IfElseEndif) {
  set_flags(0x00FFFF00);
  run("SFPPUSHC");
  set(0, 0);
  LReg condition{};
  for (unsigned l = 0; l < kLanes; l += 2) condition[l] = 1;
  set(1, condition);
  run("SFPSETCC lreg_c=1, instr_mod1=2\nSFPLOADI lreg_ind=0, instr_mod0=2, imm16=1\n"
      "SFPCOMPC\nSFPLOADI lreg_ind=0, instr_mod0=2, imm16=2\nSFPPOPC");
  EXPECT_EQ(sfpu.flags(), 0x00FFFF00u);
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(get(0)[l], l < 8 || l >= 24 ? 0u : l % 2 ? 2u : 1u) << l;
  }
}

TEST_F(Predication, TheStackHoldsEight) {
  for (int n = 0; n < 8; ++n) run("SFPPUSHC");
  EXPECT_NE(refusal("SFPPUSHC").find("eight"), std::string::npos);
  for (int n = 0; n < 8; ++n) run("SFPPOPC");
  EXPECT_NE(refusal("SFPPOPC").find("empty"), std::string::npos);
  EXPECT_NE(refusal("SFPPUSHC instr_mod1=1").find("empty"), std::string::npos);
}

// op(old, new) for the four combinations of two bits, as a truth table: bit 2 * a + b.
unsigned truth(unsigned op) {
  constexpr unsigned kTables[] = {0,      0b1010, 0b0101, 0b1000, 0b1110, 0b0100, 0b1101,
                                  0b0010, 0b1011, 0b0001, 0b0111, 0b0110, 0b1001};
  return kTables[op];
}

TEST_F(Predication, OperationsOnTheTopOfTheStack) {
  for (unsigned op = 1; op <= 12; ++op) {
    set_flags(0xFFFF0000);
    run("SFPPUSHC");
    set_flags(0xFF00FF00);
    run("SFPPUSHC instr_mod1=" + std::to_string(op) + "\nSFPPOPC");
    for (unsigned l = 0; l < kLanes; l += 8) {
      const unsigned a = 0xFFFF0000u >> l & 1, b = 0xFF00FF00u >> l & 1;
      EXPECT_EQ(sfpu.flags() >> l & 1, truth(op) >> (2 * a + b) & 1) << "push " << op << " lane " << l;
    }
    set_flags(0xFF00FF00);
    run("SFPPUSHC");
    set_flags(0xFFFF0000);
    run("SFPPOPC instr_mod1=" + std::to_string(op));
    for (unsigned l = 0; l < kLanes; l += 8) {
      const unsigned a = 0xFFFF0000u >> l & 1, b = 0xFF00FF00u >> l & 1;
      EXPECT_EQ(sfpu.flags() >> l & 1, truth(op) >> (2 * a + b) & 1) << "peek " << op << " lane " << l;
    }
    run("SFPPOPC");
  }
}

TEST_F(Predication, InvertAndConstantsOnTheStack) {
  set_flags(0x0F0F0F0F);
  run("SFPPUSHC\nSFPPUSHC instr_mod1=13");
  EXPECT_EQ(sfpu.flags(), 0xF0F0F0F0u);
  run("SFPPOPC instr_mod1=13");
  EXPECT_EQ(sfpu.flags(), 0x0F0F0F0Fu);
  run("SFPPOPC");
  EXPECT_EQ(sfpu.flags(), 0xF0F0F0F0u);
  run("SFPPUSHC\nSFPPUSHC instr_mod1=15\nSFPPOPC");
  EXPECT_EQ(sfpu.enabled(), 0u);
  run("SFPPOPC instr_mod1=14");
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
  run("SFPPOPC instr_mod1=15");
  EXPECT_EQ(sfpu.enabled(), 0u);
  run("SFPPOPC instr_mod1=1");  // an empty stack reads as F = 0, U = 0
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
  EXPECT_EQ(sfpu.flags(), 0u);
}

TEST_F(Predication, ComparisonsReachTheStackInDisabledLanesToo) {
  set_flags(kAllLanes);
  run("SFPPUSHC");
  set(0, numbered(0));
  set(1, 155);
  set_flags(0);
  run("SFPLE lreg_dest=0, lreg_c=1, instr_mod1=2");  // and
  run("SFPPOPC");
  EXPECT_EQ(sfpu.flags(), 0x0000FFFFu);
  set_flags(0x80000000);
  run("SFPPUSHC");
  set_flags(0);
  run("SFPGT lreg_dest=0, lreg_c=1, instr_mod1=6\nSFPPOPC");  // or
  EXPECT_EQ(sfpu.flags(), 0xFFFF0000u);
}

TEST_F(Predication, SfpmovInModeTwoIgnoresIt) {
  set(0, 1);
  set_flags(0);
  run("SFPMOV lreg_dest=0, lreg_c=10, instr_mod1=2");
  for (const u32 v : get(0)) EXPECT_EQ(v, 0x3F800000u);
}

TEST_F(Predication, RowMaskDisablesRowsOfAColumn) {
  run("SFPLOADI lreg_ind=0, instr_mod0=2, imm16=0x2000");          // ROW_MASK bit 1
  run("SFPCONFIG config_dest=15, instr_mod1=8, imm16_math=0x10");  // of column 2: mask bit 4
  EXPECT_EQ(sfpu.enabled(), ~(1u << 10));
  run("SFPENCC instr_mod1=10, imm12=3");
  EXPECT_EQ(sfpu.enabled(), ~(1u << 10));
}

// ---------------------------------------------------------------- VD of 8 and more

TEST_F(Predication, ConstantsCannotBeWritten) {
  run("SFPMOV lreg_dest=8, lreg_c=9\nSFPMAD lreg_dest=11, lreg_src_a=10, lreg_src_b=10, lreg_src_c=10\n"
      "SFPLOADI lreg_ind=12, imm16=7\nSFPLOAD lreg_ind=15\nSFPSWAP lreg_dest=10, lreg_src_c=11");
  EXPECT_EQ(lane0(8), 0x3F56594Bu);
  EXPECT_EQ(lane0(10), 0x3F800000u);
  EXPECT_EQ(lane0(11), 0xBF800000u);
  EXPECT_EQ(lane0(12), 0x3B000000u);
  EXPECT_EQ(get(15)[31], 62u);
}

TEST_F(Predication, FlagsFollowArithmeticOnlyIfTheResultIsWritten) {
  set_flags(kAllLanes);
  run("SFPIADD lreg_dest=8, lreg_c=10, instr_mod1=1");
  EXPECT_EQ(sfpu.flags(), kAllLanes);
  run("SFPLE lreg_dest=8, lreg_c=9, instr_mod1=1");  // a comparison has no such condition
  EXPECT_EQ(sfpu.flags(), 0u);
}

TEST_F(Predication, AnInstructionToRegisters12To15BecomesATemplate) {
  const u32 word = isa::assemble_tensix("SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=13");
  ASSERT_TRUE(issue(word).is_done());
  run("SFPMOV lreg_dest=0, lreg_c=1, instr_mod1=8");
  for (const u32 v : get(0)) EXPECT_EQ(v, word);
  run("SFPPUSHC lreg_dest=12\nSFPENCC lreg_dest=14, instr_mod1=10, imm12=1");
  EXPECT_EQ(sfpu.enabled(), kAllLanes);
  EXPECT_NE(refusal("SFPPOPC"), "") << "the template was pushed";
}

TEST_F(Predication, DisableBackdoorLoadLetsThemExecute) {
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=2");
  run("SFPMOV lreg_dest=13, lreg_c=10\nSFPMOV lreg_dest=0, lreg_c=1, instr_mod1=8");
  EXPECT_EQ(lane0(0), 0u) << "no template";
  set(1, 0xC0000000);
  run("SFPSWAP lreg_dest=13, lreg_src_c=1");  // LReg 13 cannot be written, LReg 1 can
  EXPECT_EQ(lane0(1), 0xBF2CC4C7u);
}

TEST_F(Predication, ColumnsMayDisagreeAboutTemplates) {
  run("SFPLOADI lreg_ind=0, instr_mod0=2, imm16=2\nSFPCONFIG config_dest=15, instr_mod1=8, imm16_math=1");  // column 0
  set(1, 0xC0000000);
  const u32 word = isa::assemble_tensix("SFPSWAP lreg_dest=13, lreg_src_c=1");
  ASSERT_TRUE(issue(word).is_done());
  run("SFPMOV lreg_dest=2, lreg_c=1, instr_mod1=8");
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(get(1)[l], l % 8 == 0 ? 0xBF2CC4C7u : 0xC0000000u);
    EXPECT_EQ(get(2)[l], l % 8 == 0 ? 0 : word);
  }
  EXPECT_NE(refusal("SFPPUSHC lreg_dest=12").find("columns"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu::tensix
