#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "isa/tensix/instructions.hpp"

namespace kerr::isa::tensix {
namespace {

TEST(TensixTable, HasEveryInstructionOfTheReference) {
  std::map<Unit, int> count;
  for (const Row& row : rows()) ++count[row.unit];
  const std::map<Unit, int> expected = {{Unit::Fpu, 39},   {Unit::Sfpu, 42},  {Unit::Scalar, 19}, {Unit::Misc, 10},
                                        {Unit::Config, 9}, {Unit::Sync, 8},   {Unit::Pack, 3},    {Unit::Mop, 2},
                                        {Unit::Unpack, 2}, {Unit::Replay, 1}, {Unit::TtSync, 1},  {Unit::Mover, 1}};
  EXPECT_EQ(count, expected);
  EXPECT_EQ(rows().size(), 137u);
}

// Words that public kernels and the reference documents use.
TEST(TensixTable, EncodesKnownWords) {
  EXPECT_EQ((MOP{.mop_type = 1}.encode()), 0x01800000u);
  EXPECT_EQ((REPLAY{.len = 5}.encode()), 0x04000050u);
  EXPECT_EQ((REPLAY{.load_mode = 1, .execute_while_loading = 1, .len = 5}.encode()), 0x04000053u);
  EXPECT_EQ((SETC16{.setc16_value = 4, .setc16_reg = 5}.encode()), 0xB2050004u);
  EXPECT_EQ(DMANOP{}.encode(), 0x60000000u);
  EXPECT_EQ((ZEROACC{.clear_mode = 3}.encode()), 0x10180000u);
  EXPECT_EQ((PACR{.last = 1, .read_intf_sel = 1}.encode()), 0x41000101u);
  EXPECT_EQ((SFPENCC{.instr_mod1 = 10, .imm12 = 3}.encode()), 0x8A00300Au);
  EXPECT_EQ((GATESRCRST{.reset_srca_gate_control = 1, .reset_srcb_gate_control = 1}.encode()), 0x35000003u);
}

TEST(TensixTable, DecodesOperandsByPosition) {
  constexpr MVMUL i = MVMUL::decode(0x26000000u | 2u << 22 | 1u << 19 | 5u << 14 | 0x3C8u);
  static_assert(i.dst == 0x3C8 && i.addr_mode == 5 && i.instr_mod19 == 1 && i.clear_dvalid == 2);
  EXPECT_EQ(i.encode(), 0x26000000u | 2u << 22 | 1u << 19 | 5u << 14 | 0x3C8u);
}

TEST(TensixTable, AnOperandThatDoesNotFitIsNamedWithItsLimit) {
  try {
    MVMUL{.addr_mode = 8}.encode();
    FAIL() << "8 does not fit three bits";
  } catch (const RangeError& e) {
    EXPECT_EQ(e.mnemonic, "MVMUL");
    EXPECT_EQ(e.field, "addr_mode");
    EXPECT_EQ(e.value, 8);
    EXPECT_EQ(e.highest, 7);
    EXPECT_STREQ(e.what(), "MVMUL: addr_mode=8 is out of range; allowed: 0 to 7");
  }
}

TEST(TensixTable, NegativeOperandsAreTwosComplementOfTheField) {
  EXPECT_EQ(signed_operand(-5, 12), 0xFFBu);
  EXPECT_THROW(signed_operand(2048, 12), RangeError);
  EXPECT_THROW(signed_operand(-2049, 12), RangeError);
}

TEST(TensixTable, UnknownOpcodesAndUnnamedBitsAreSeen) {
  EXPECT_EQ(row_of(0x00000000), nullptr);
  EXPECT_EQ(row_of(0xC0000000), nullptr);
  EXPECT_EQ(row_of(0x26000000)->mnemonic, "MVMUL");
  EXPECT_EQ(unnamed_bits(0x26000000), 0u);
  EXPECT_EQ(unnamed_bits(0x26000000 | 1u << 18 | 1u << 10), 1u << 18 | 1u << 10);
  EXPECT_EQ(unnamed_bits(0x02000001), 1u);
  EXPECT_EQ(unnamed_bits(0xA2000000 | 1u << 12), 0u) << "STALLWAIT has thirteen conditions";
}

TEST(TensixTable, OperandsAreReachedByName) {
  const Row* row = find("SEMINIT");
  ASSERT_NE(row, nullptr);
  ASSERT_NE(row->field("max_value"), nullptr);
  EXPECT_EQ(row->field("max_value")->get(0xA3200004), 2u);
  EXPECT_EQ(row->field("no_such"), nullptr);
  EXPECT_EQ(find("mvmul"), nullptr);
}

RC_GTEST_PROP(TensixTable, StructsAndRowsNameTheSameBits, (uint32_t word)){
#define X(mnemonic, opcode, ...)                                               \
  {                                                                            \
    const Row& row = *find(Opcode::mnemonic);                                  \
    const uint32_t valid = (uint32_t{opcode} << 24) | (word & row.named_bits); \
    RC_ASSERT(mnemonic::decode(valid).encode() == valid);                      \
    RC_ASSERT(mnemonic::decode(word).encode() == valid);                       \
    RC_ASSERT(unnamed_bits(valid) == 0u);                                      \
  }
#include "isa/tensix/instructions.def"
}

TEST(TensixTable, FrontEndInstructionsNeverReachTheGate) {
  for (const Row& row : rows()) {
    const bool front_end = row.unit == Unit::Mop || row.unit == Unit::Replay || row.unit == Unit::TtSync;
    if (front_end) {
      EXPECT_EQ(row.gate, gate::Never) << row.mnemonic;
    }
    EXPECT_GE(row.cycles, 1) << row.mnemonic;
  }
  EXPECT_FALSE(held_by(find("NOP")->gate, 0x1FE));
  EXPECT_TRUE(held_by(find("NOP")->gate, 0x1FF));
  EXPECT_TRUE(held_by(find("MVMUL")->gate, gate::B6));
  EXPECT_FALSE(held_by(find("MVMUL")->gate, gate::Any & ~gate::B6));
  EXPECT_TRUE(held_by(find("SEMWAIT")->gate, gate::B2));
}

}  // namespace
}  // namespace kerr::isa::tensix
