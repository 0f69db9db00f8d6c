// Words of Tensix instructions that kernels in C++ write are those of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "device/tensix/operand_order.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr {
namespace {

struct Written {
  const char* mnemonic;
  uint32_t bits;
  size_t operands;
  tensix::OperandBits (*at)(size_t);
};
constexpr Written kWritten[] = {
#define X(mnemonic, ...)                                                               \
  {#mnemonic, tensix::mnemonic{}.bits, tensix::OperandOrder<tensix::mnemonic>::kCount, \
   [](size_t i) { return tensix::OperandOrder<tensix::mnemonic>::at(i); }},
#include "isa/tensix/instructions.def"
};

TEST(TensixWords, AreWrittenFromTheHighestBitsToTheLowest) {
  ASSERT_EQ(std::size(kWritten), isa::tensix::rows().size());
  for (const Written& w : kWritten) {
    EXPECT_EQ(w.bits >> 24, static_cast<uint32_t>(isa::tensix::find(w.mnemonic)->opcode)) << w.mnemonic;
    for (size_t i = 1; i < w.operands; ++i)
      EXPECT_GE(w.at(i - 1).low, w.at(i).low + w.at(i).width) << w.mnemonic << " " << i;
  }
}

TEST(TensixWords, OperandsLieWhereTheTableSaysThat) {
  uint32_t of_the_table = 0;
  for (const Written& w : kWritten) {
    const isa::tensix::Row& row = *isa::tensix::find(w.mnemonic);
    for (size_t i = 0; i < w.operands; ++i) {
      const auto known = std::ranges::find(row.fields, w.at(i).low, &isa::tensix::Field::low);
      if (known == row.fields.end()) continue;                   // of tt-metal only
      if (w.mnemonic == std::string_view("STOREIND")) continue;  // its mode is three operands there
      EXPECT_GE(w.at(i).width, known->width) << w.mnemonic << " " << i;
      ++of_the_table;
    }
  }
  EXPECT_GT(of_the_table, 500u);
}

TEST(TensixWords, TakeOperandsByNameInAnyOrder) {
  static_assert(tensix::SFPLOAD().lreg_ind(3).instr_mod0(2).sfpu_addr_mode(7).dest_reg_addr(64).word() ==
                tensix::SFPLOAD().dest_reg_addr(64).sfpu_addr_mode(7).lreg_ind(3).instr_mod0(2).word());
  EXPECT_EQ(tensix::word_of<tensix::SFPLOAD>(3, 2, 7, 64),
            (isa::tensix::SFPLOAD{.dest_reg_addr = 64, .sfpu_addr_mode = 7, .instr_mod0 = 2, .lreg_ind = 3}.encode()));
  EXPECT_EQ(tensix::word_of<tensix::SFPIADD>(-5, 1, 2, 5),
            (isa::tensix::SFPIADD{.instr_mod1 = 5, .lreg_dest = 2, .lreg_c = 1, .imm12 = 0xFFB}.encode()));
  EXPECT_EQ(tensix::word_of<tensix::STALLWAIT>(0x100, 0x10),
            (isa::tensix::STALLWAIT{.wait_res = 0x10, .stall_res = 0x100}.encode()));
  EXPECT_EQ(tensix::word_of<tensix::SFPMOV>(0, 4, 5, 1),
            (isa::tensix::SFPMOV{.instr_mod1 = 1, .lreg_dest = 5, .lreg_c = 4}.encode()));
  EXPECT_EQ(tensix::word_of<tensix::ZEROACC>(1, 0, 0, 3, 9),
            (isa::tensix::ZEROACC{.where = 9, .addr_mode = 3, .clear_mode = 1}.encode()));
  EXPECT_EQ(tensix::word_of<tensix::SETADCZW>(4, 0, 0, 1, 2, 5),
            (isa::tensix::SETADCZW{.bit_mask = 5, .ch0_z = 2, .ch0_w = 1, .cnt_set_mask = 4}.encode()));
}

}  // namespace
}  // namespace kerr
