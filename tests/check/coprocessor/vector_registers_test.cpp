#include "check/coprocessor/vector_registers.hpp"

#include <gtest/gtest.h>

#include <ios>

#include "isa/tensix/instructions.hpp"

namespace kerr::check {
namespace {

namespace words = isa::tensix;

template <class Instruction>
uint32_t vector_word(Instruction i) {
  return i.encode();
}
uint32_t store_of(uint32_t r) { return vector_word(words::SFPSTORE{.lreg_ind = r}); }
uint32_t load_of(uint32_t r) { return vector_word(words::SFPLOADI{.lreg_ind = r}); }

TEST(VectorRegisters, AreAllUnknownBeforeTheFirstProgramAndUnwrittenBehindItsBegin) {
  VectorRegisters registers;
  EXPECT_EQ(registers.stored_unwritten(store_of(3)), -1);
  registers.program_begins();
  EXPECT_EQ(registers.stored_unwritten(store_of(3)), 3);
  EXPECT_EQ(registers.stored_unwritten(store_of(9)), -1) << "a constant";
  EXPECT_EQ(registers.stored_unwritten(load_of(3)), -1) << "no store";
  registers.executed(load_of(3));
  EXPECT_EQ(registers.stored_unwritten(store_of(3)), -1);
  registers.program_begins();
  EXPECT_EQ(registers.stored_unwritten(store_of(3)), 3);
}

TEST(VectorRegisters, StayUnwrittenWhenTheyAreMadeOfUnwrittenOnes) {
  VectorRegisters registers;
  registers.program_begins();
  registers.executed(load_of(0));
  registers.executed(vector_word(words::SFPMOV{.lreg_dest = 2, .lreg_c = 1}));
  EXPECT_EQ(registers.stored_unwritten(store_of(2)), 2);
  registers.executed(vector_word(words::SFPMOV{.lreg_dest = 2, .lreg_c = 0}));
  EXPECT_EQ(registers.stored_unwritten(store_of(2)), -1);
  registers.executed(vector_word(words::SFPMAD{.lreg_dest = 4, .lreg_src_c = 9, .lreg_src_b = 1, .lreg_src_a = 0}));
  EXPECT_EQ(registers.stored_unwritten(store_of(4)), 4) << "a factor is unwritten";
  registers.executed(vector_word(words::SFPMAD{.lreg_dest = 4, .lreg_src_c = 9, .lreg_src_b = 2, .lreg_src_a = 0}));
  EXPECT_EQ(registers.stored_unwritten(store_of(4)), -1);
}

TEST(VectorRegisters, CountAsWrittenWhereTheInstructionDoesNotSayWhichAre) {
  VectorRegisters registers;
  registers.program_begins();
  registers.executed(vector_word(words::SFPTRANSP{}));
  EXPECT_EQ(registers.stored_unwritten(store_of(1)), 1) << "none of the four holds anything";
  registers.executed(load_of(0));
  registers.executed(vector_word(words::SFPTRANSP{}));
  EXPECT_EQ(registers.stored_unwritten(store_of(1)), -1);
  EXPECT_EQ(registers.stored_unwritten(store_of(5)), 5) << "of the other four";
  registers.executed(vector_word(words::SFPLOADMACRO{}));
  EXPECT_EQ(registers.stored_unwritten(store_of(5)), -1);
}

TEST(VectorOperands, AreWhatAnInstructionReadsAndWrites) {
  const auto expect = [](uint32_t word, uint32_t reads, uint32_t writes) {
    const VectorOperands operands = vector_operands(word);
    EXPECT_EQ(operands.reads, reads) << std::hex << word;
    EXPECT_EQ(operands.writes, writes) << std::hex << word;
  };
  expect(load_of(3), 0, 1 << 3);
  expect(store_of(3), 1 << 3, 0);
  expect(vector_word(words::SFPMAD{.lreg_dest = 4, .lreg_src_c = 2, .lreg_src_b = 1, .lreg_src_a = 0}), 0b0111, 1 << 4);
  expect(vector_word(words::SFPSWAP{.lreg_dest = 4, .lreg_src_c = 2}), 0b1'0100, 0b1'0100);
  expect(vector_word(words::SFPSETCC{.lreg_c = 6}), 1 << 6, 0);
  expect(vector_word(words::SFPTRANSP{}), 0xFF, 0xFF);
  expect(vector_word(words::SFPNOP{}), 0, 0);
  // Constants: the program's own ones only.
  expect(vector_word(words::SFPCONFIG{.config_dest = 12}), 1, 1 << 12);
  expect(vector_word(words::SFPCONFIG{.config_dest = 15}), 1, 0);
  // LReg 7 says which register is meant.
  expect(vector_word(words::SFPMAD{.instr_mod1 = 8, .lreg_dest = 4}), 1 | 1 << 7, 0);
}

}  // namespace
}  // namespace kerr::check
