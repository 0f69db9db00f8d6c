#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "isa/errors.hpp"
#include "isa/riscv/instructions.hpp"
#include "tests/isa/golden_rv32.hpp"

namespace kerr::isa::riscv {
namespace {

using namespace reg;

TEST(RiscvTable, DecodesAndEncodesAsGnuAssemblerDoes) {
  for (const Golden& g : kGolden) {
    const Instruction i = decode(g.word);
    EXPECT_EQ(i.op, g.op) << g.text;
    EXPECT_EQ(encode(i), g.word) << g.text;
  }
}

TEST(RiscvTable, EveryRowHasAWitness) {
  for (const Row& r : rows().subspan(2)) {
    bool seen = false;
    for (const Golden& g : kGolden) seen |= g.op == r.op;
    EXPECT_TRUE(seen) << r.text;
  }
}

TEST(RiscvTable, OperandsLandInTheirMembers) {
  EXPECT_EQ(decode(0x00458513), (Instruction{.op = Op::Addi, .rd = 10, .rs1 = 11, .imm = 4}));
  EXPECT_EQ(decode(0xFE112E23), (Instruction{.op = Op::Sw, .rs1 = 2, .rs2 = 1, .imm = -4}));
  EXPECT_EQ(decode(0x12345537), (Instruction{.op = Op::Lui, .rd = 10, .imm = 0x12345000}));
  EXPECT_EQ(decode(0x7C002573), (Instruction{.op = Op::Csrrs, .rd = 10, .csr = 0x7C0}));
  EXPECT_EQ(decode(0x0200006F), (Instruction{.op = Op::Jal, .imm = 32}));
}

// docs/hardware/kernels.md 1.2
TEST(RiscvTable, TtinsnIsTheTensixWordRotated) {
  const std::pair<uint32_t, uint32_t> examples[] = {{0x01800000, 0x06000000},
                                                    {0x04000050, 0x10000140},
                                                    {0x04000053, 0x1000014C},
                                                    {0xB2050004, 0xC8140012},
                                                    {0x60000000, 0x80000001}};
  for (const auto& [tensix_word, word] : examples) {
    EXPECT_EQ(ttinsn(tensix_word), word);
    const Instruction i = decode(word);
    EXPECT_EQ(i.op, Op::Ttinsn);
    EXPECT_EQ(static_cast<uint32_t>(i.imm), tensix_word);
    EXPECT_EQ(encode(i), word);
  }
  EXPECT_THROW(encode({.op = Op::Ttinsn, .imm = static_cast<int32_t>(0xC0000000)}), RangeError);
}

TEST(RiscvTable, ImmediatesThatDoNotFitAreRefusedByName) {
  try {
    encode({.op = Op::Addi, .rd = 10, .rs1 = 10, .imm = 2048});
    FAIL();
  } catch (const RangeError& e) {
    EXPECT_STREQ(e.what(), "addi: imm=2048 is out of range; allowed: -2048 to 2047");
  }
  EXPECT_THROW(encode({.op = Op::Sw, .imm = -2049}), RangeError);
  EXPECT_THROW(encode({.op = Op::Beq, .imm = 4096}), RangeError);
  EXPECT_THROW(encode({.op = Op::Beq, .imm = 3}), RangeError);
  EXPECT_THROW(encode({.op = Op::Jal, .imm = 1 << 20}), RangeError);
  EXPECT_THROW(encode({.op = Op::Lui, .imm = 0x123}), RangeError);
  EXPECT_THROW(encode({.op = Op::Slli, .imm = 32}), RangeError);
  EXPECT_THROW(encode({.op = Op::Csrrwi, .csr = 0x7C0, .imm = 32}), RangeError);
  EXPECT_THROW(encode({.op = Op::Add, .rd = 32}), RangeError);
}

TEST(RiscvTable, WhatTheMachineLacksIsIllegal) {
  for (const uint32_t word : {0x1005252Fu /* lr.w */, 0x18C5252Fu /* sc.w */, 0x58057553u /* fsqrt.s */,
                              0x18B57553u /* fdiv.s */, 0x28001013u /* bseti */, 0xFFFFFFFFu, 0x0000007Fu,
                              0x00003003u /* ld */, 0x69005013u /* an undocumented GREVI */}) {
    const Instruction i = decode(word);
    EXPECT_EQ(i.op, Op::Illegal) << std::hex << word;
    EXPECT_EQ(encode(i), word);
  }
}

// fence carries reserved register fields that implementations ignore; every other word survives the round trip.
RC_GTEST_PROP(RiscvTable, AnyWordSurvivesDecodeAndEncode, (uint32_t word)) {
  for (const uint32_t w : {word, word | 3}) {
    const Instruction i = decode(w);
    if (i.op == Op::Fence) continue;
    if (i.op == Op::Ttinsn && tensix_of(w) >= 0xC0000000) RC_FAIL("low bits 11 cannot be a ttinsn");
    RC_ASSERT(encode(i) == w);
  }
}

RC_GTEST_PROP(RiscvTable, EveryRowSurvivesWithRandomOperands, (uint32_t operands)) {
  for (const Row& r : rows().subspan(2)) {
    uint32_t word = r.match | (operands & ~r.mask);
    if (r.op == Op::Fence) word &= 0xFFF0707F;
    const Instruction i = decode(word);
    RC_ASSERT(i.op == r.op);
    RC_ASSERT(encode(i) == word);
  }
}

TEST(Registers, AreKnownByEveryName) {
  EXPECT_EQ(reg_named("a0"), a0);
  EXPECT_EQ(reg_named("x10"), a0);
  EXPECT_EQ(reg_named("fp"), s0);
  EXPECT_EQ(reg_named("x32"), std::nullopt);
  EXPECT_EQ(reg_named("x010"), std::nullopt);
  EXPECT_EQ(freg_named("f31"), ft11);
  EXPECT_EQ(freg_named("a0"), std::nullopt);
  for (uint8_t n = 0; n < 32; ++n) {
    EXPECT_EQ(reg_named(name(Reg{n})), Reg{n});
    EXPECT_EQ(freg_named(name(FReg{n})), FReg{n});
  }
  EXPECT_EQ(csr_named("mcycle"), csr::kMcycle);
  EXPECT_EQ(csr_name(0x7C0), "cfg0");
  EXPECT_EQ(csr_name(0x123), "0x123");
}

}  // namespace
}  // namespace kerr::isa::riscv
