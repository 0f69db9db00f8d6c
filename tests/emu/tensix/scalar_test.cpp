#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {

using namespace isa::tensix;

class Scalar : public Tensix {
 protected:
  void set(unsigned reg, uint32_t value) { cop().state.gpr.write(T0, reg, value); }
};

TEST_F(Scalar, SetdmaregReplacesOneHalf) {
  set(3, 0x11112222);
  run(T0, SETDMAREG{.reg_index_16b = 7, .payload_sig_sel = 0xABCD & 0x3FFF, .payload_sig_sel_size = 0xABCD >> 14});
  EXPECT_EQ(gpr(T0, 3), 0xABCD2222u);
  run(T0, set_gpr(3, 0xFFFF));
  EXPECT_EQ(gpr(T0, 3), 0xABCDFFFFu);
}

// SETDMAREG in signal mode, as the ISA page packs its operands.
SETDMAREG signals(unsigned source, unsigned half, unsigned result_half, unsigned size, unsigned packers = 0) {
  return {.reg_index_16b = result_half,
          .set_signals_mode = 1,
          .payload_sig_sel = packers << 7 | source << 3 | half,
          .payload_sig_sel_size = size};
}

TEST_F(Scalar, SetdmaregFromASourceThatDoesNotExistGivesZero) {
  for (unsigned r = 8; r < 12; ++r) set(r, 0x01010101 * r);
  run(T0, signals(15, 0, 17, 0));
  EXPECT_EQ(gpr(T0, 8), 0x00000808u) << "one half";
  run(T0, signals(15, 0, 16, 1));
  EXPECT_EQ(gpr(T0, 8), 0u);
  run(T0, signals(15, 0, 19, 2));
  EXPECT_EQ(gpr(T0, 11), 0u) << "the aligned group of four";
}

TEST_F(Scalar, SetdmaregMergesATileHeaderAndKeepsReservedFields) {
  set_config(
      {{cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Bf16}, {cfg::THCON_SEC0_REG1_Disable_zero_compress, 1}});
  for (unsigned r = 8; r < 12; ++r) set(r, 0xFFFFFFFF);
  run(T0, signals(2, 0, 16, 3));
  EXPECT_EQ(gpr(T0, 8), 0xFFFF0001u) << "no tile was packed yet: size 0, plus 1";
  EXPECT_EQ(gpr(T0, 9), 0xFF15FFFFu);
  EXPECT_EQ(gpr(T0, 10), 0u);
  EXPECT_EQ(gpr(T0, 11), 0xFFFFFFFFu);
  run(T0, signals(3, 0, 16, 3));
  EXPECT_EQ(the_fault().category, FaultCategory::Unsupported) << "Blackhole has one packer";
}

TEST_F(Scalar, StoreindToSrcFillsFourColumnsOfTheUnpackersBank) {
  // By the ISA page: the low half of a register is sign, mantissa, exponent, the high half sign, exponent, mantissa.
  set(4, 0x3FC00000 | 0xC07F);  // column 0: sign 1, mantissa 0x40, exponent 0x7F; column 1: 1.5
  set(5, 0x40000000 | 0x0080);  // column 2: 2.0; column 3: 2.0
  set(1, 3 << 2 | 1);           // row 3, columns 4..7
  set(2, 0);
  run(T0, STOREIND{.addr_reg = 1, .data_reg = 5, .auto_inc_spec = 3, .offset_half_reg = 4, .mode = 1});
  EXPECT_EQ(gpr(T0, 2), 16u) << "the offset steps";
  run(T0, STOREIND{.addr_reg = 1, .data_reg = 4, .offset_half_reg = 4, .mode = 1});  // offset 16 >> 4: columns 8..11
  run(T0, SETDVALID{.setvalid = 2}, SETC16{.setc16_value = 1, .setc16_reg = 2},
      SETC16{.setc16_value = 1, .setc16_reg = 3});
  set_config({{cfg::ALU_FORMAT_SPEC_REG0_SrcA, DataFormat::Bf16}, {cfg::ALU_FORMAT_SPEC_REG1_SrcB, DataFormat::Bf16}});
  run(T1, SETC16{.setc16_value = 1, .setc16_reg = 2}, SETC16{.setc16_value = 1, .setc16_reg = 3},
      MOVB2D{.dst = 7, .src = 3});
  expect_no_fault();
  set_config({{cfg::RISC_DEST_ACCESS_CTRL_SEC1_fmt, 3}});  // thread 1 reads Dst as BF16
  for (unsigned quad = 1; quad < 3; ++quad) {
    uint32_t cells[4];
    for (unsigned k = 0; k < 4; ++k) {
      ASSERT_EQ(tile.windows.load_dst(T1, 2 * (16 * 7 + 4 * quad + k), 2, cells[k]), Access::Done);
    }
    EXPECT_EQ(cells[0], 0xBFC0u) << quad;
    EXPECT_EQ(cells[1], 0x3FC0u) << quad;
    EXPECT_EQ(cells[2], 0x4000u) << quad;
    EXPECT_EQ(cells[3], 0x4000u) << quad;
  }
}

TEST_F(Scalar, StoreindToSrcWaitsForTheBankAndRefusesRowsThatDoNotExist) {
  run(T0, SETDVALID{.setvalid = 1}, SETDVALID{.setvalid = 1});
  run(T0, STOREIND{.addr_reg = 1, .data_reg = 4, .auto_inc_spec = 1, .offset_half_reg = 4});
  EXPECT_EQ(cop().threads[T0].waits_for, wait::kSrcA);
  EXPECT_EQ(gpr(T0, 2), 0u) << "nothing has happened yet";
  run(T1, SETRWC{.clear_ab_vld = 1});
  EXPECT_EQ(gpr(T0, 2), 2u) << "row 0 - 4 is dropped, the offset steps";
  set(1, 16 << 2);
  run(T0, STOREIND{.addr_reg = 1, .data_reg = 4, .offset_half_reg = 6, .mode = 1});
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

TEST_F(Scalar, ArithmeticWrapsAndMultipliesSixteenBits) {
  set(1, 0xFFFFFFFF);
  set(2, 0x00030005);
  run(T0, ADDDMAREG{.op_a_reg_index = 1, .op_b_reg_index = 2, .result_reg_index = 10},
      SUBDMAREG{.op_a_reg_index = 2, .op_b_reg_index = 1, .result_reg_index = 11},
      MULDMAREG{.op_a_reg_index = 1, .op_b_reg_index = 2, .result_reg_index = 12},
      ADDDMAREG{.op_a_reg_index = 2, .op_b_reg_index = 63, .result_reg_index = 13, .op_b_is_const = 1});
  EXPECT_EQ(gpr(T0, 10), 0x00030004u);
  EXPECT_EQ(gpr(T0, 11), 0x00030006u);
  EXPECT_EQ(gpr(T0, 12), 0xFFFFu * 5u);
  EXPECT_EQ(gpr(T0, 13), 0x00030005u + 63);
}

TEST_F(Scalar, BitwiseShiftsAndComparesSelectByOperation) {
  set(1, 0xF0F0F0F0);
  set(2, 0xFF00FF21);
  const auto bit = [](unsigned op, unsigned result) {
    return BITWOPDMAREG{.op_a_reg_index = 1, .op_b_reg_index = 2, .result_reg_index = result, .op_sel = op};
  };
  const auto shift = [](unsigned op, unsigned result) {
    return SHIFTDMAREG{.op_a_reg_index = 1, .op_b_reg_index = 2, .result_reg_index = result, .op_sel = op};
  };
  const auto compare = [](unsigned op, unsigned result) {
    return CMPDMAREG{.op_a_reg_index = 1, .op_b_reg_index = 2, .result_reg_index = result, .op_sel = op};
  };
  run(T0, bit(0, 10), bit(1, 11), bit(2, 12), shift(0, 13), shift(1, 14), compare(0, 15), compare(1, 16),
      compare(2, 17));
  EXPECT_EQ(gpr(T0, 10), 0xF0F0F0F0u & 0xFF00FF21u);
  EXPECT_EQ(gpr(T0, 11), 0xF0F0F0F0u | 0xFF00FF21u);
  EXPECT_EQ(gpr(T0, 12), 0xF0F0F0F0u ^ 0xFF00FF21u);
  EXPECT_EQ(gpr(T0, 13), 0xF0F0F0F0u << 1);
  EXPECT_EQ(gpr(T0, 14), 0xF0F0F0F0u >> 1);
  EXPECT_EQ(gpr(T0, 15), 0u);
  EXPECT_EQ(gpr(T0, 16), 1u);
  EXPECT_EQ(gpr(T0, 17), 0u);
  run(T0, bit(3, 18));
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

TEST_F(Scalar, StoresAndLoadsOfL1UseUnitsOfSixteenBytesAndAHalfRegister) {
  set(1, 0x2000 / 16);
  set(2, 0x00100004);  // half 4: 4, half 5: 16
  for (unsigned r = 4; r < 8; ++r) set(r, 0x01010101 * r);
  run(T0,
      STOREIND{.addr_reg = 1, .data_reg = 4, .auto_inc_spec = 3, .offset_half_reg = 5, .mode = 4},   // 16 bytes at +16
      STOREIND{.addr_reg = 1, .data_reg = 5, .auto_inc_spec = 2, .offset_half_reg = 4, .mode = 5});  // 4 bytes at +4
  EXPECT_EQ(tile.l1.load<uint32_t>(0x2010), 0x04040404u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x201C), 0x07070707u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x2004), 0x05050505u);
  EXPECT_EQ(gpr(T0, 2), 0x00200008u) << "16 and 4 were added";
  set(2, 0x00100000);
  run(T0, LOADIND{.addr_reg = 1, .result_reg = 21, .offset_half_reg = 5, .size_sel = 0},
      LOADIND{.addr_reg = 1, .result_reg = 30, .offset_half_reg = 5, .size_sel = 3});
  EXPECT_EQ(gpr(T0, 20), 0x04040404u);
  EXPECT_EQ(gpr(T0, 23), 0x07070707u);
  EXPECT_EQ(gpr(T0, 30), 0x04u);
}

TEST_F(Scalar, L1AccessesBeyondTheEndFault) {
  set(1, 0xFFFFFFFF);
  run(T0, LOADIND{.addr_reg = 1, .size_sel = 1});
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::OutOfBounds);
  EXPECT_EQ(f.address, 0xFFFFFFFF0u);
}

TEST_F(Scalar, RegistersAreReachedThroughTheTile) {
  set(5, 42);
  const uint32_t address = 0xFFB40018;
  run(T0, STOREREG{.reg_addr = (address - 0xFFB00000) >> 2, .tdma_data_reg_index = 5},
      LOADREG{.reg_addr = (address - 0xFFB00000) >> 2, .tdma_data_reg_index = 6});
  EXPECT_EQ(tile.registers[address], 42u);
  EXPECT_EQ(gpr(T0, 6), 42u);
  run(T0, STOREREG{.reg_addr = 0x1000 >> 2});
  EXPECT_EQ(the_fault().address, 0xFFB01000u) << "local memory is out of reach";
}

TEST_F(Scalar, ARegisterThatIsNotReadyHoldsTheThread) {
  tile.answer = Access::Wait;
  run(T0, LOADREG{.reg_addr = (0xFFB40018 - 0xFFB00000) >> 2, .tdma_data_reg_index = 6});
  EXPECT_TRUE(cop().stuck(T0));
  EXPECT_TRUE(cop().threads[T0].waits_for & wait::kNiu);
  tile.answer = Access::Done;
  tile.registers[0xFFB40018] = 9;
  cop().threads[T0].wake();
  settle();
  EXPECT_EQ(gpr(T0, 6), 9u);
}

TEST_F(Scalar, AtomicIncrementWrapsInsideItsField) {
  tile.l1.store<uint32_t>(0x104, 0xABCD00FF);
  set(1, 0x10);
  set(2, 3);
  run(T0, ATINCGET{.addr_reg = 1, .in_out_reg = 2, .sel32b = 1, .wrap_val = 7});
  EXPECT_EQ(tile.l1.load<uint32_t>(0x104), 0xABCD0002u);
  EXPECT_EQ(gpr(T0, 2), 0xABCD00FFu);
}

TEST_F(Scalar, AtomicCompareAndSetRetriesAndKeepsTheUnitBusy) {
  set(1, 0x10);
  run(T0, ATCAS{.addr_reg = 1, .sel32b = 2, .cmp_val = 5, .swap_val = 9}, set_gpr(3, 1));
  EXPECT_EQ(cop().threads[T0].waits_for, wait::kL1);
  run(T1, set_gpr(3, 1), NOP{});
  EXPECT_EQ(gpr(T1, 3), 0u) << "the unit is busy for the other threads";
  EXPECT_EQ(cop().threads[T1].waits_for, wait::kUnitIdle);
  tile.l1.store<uint32_t>(0x108, 4);
  settle();
  EXPECT_EQ(gpr(T0, 3), 0u) << "still another value";
  tile.l1.store<uint32_t>(0x108, 5);
  settle();
  EXPECT_EQ(tile.l1.load<uint32_t>(0x108), 9u);
  EXPECT_EQ(gpr(T0, 3), 1u);
  EXPECT_EQ(gpr(T1, 3), 1u);
  expect_no_fault();
}

TEST_F(Scalar, FifoCountersPushAndPopAndWaitWhileFullOrEmpty) {
  set(1, 0x10);
  const ATINCGETPTR push_one{.addr_reg = 1, .result_reg = 4, .sel32b = 1, .wrap_val = 2};  // capacity 2
  const ATINCGETPTR pop_one{.addr_reg = 1, .result_reg = 5, .sel32b = 0, .wrap_val = 2};
  run(T0, pop_one, set_gpr(9, 1));
  EXPECT_EQ(cop().threads[T0].waits_for, wait::kL1) << "empty";
  tile.l1.store<uint32_t>(0x104, 1);  // somebody else pushes
  settle();
  EXPECT_EQ(gpr(T0, 9), 1u);
  EXPECT_EQ(gpr(T0, 5), 0u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x100), 1u);
  run(T0, push_one, push_one);
  EXPECT_EQ(gpr(T0, 4), 2u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x104), 3u);
  run(T0, push_one);
  EXPECT_TRUE(cop().stuck(T0)) << "full";
  tile.l1.store<uint32_t>(0x100, 2);
  settle();
  EXPECT_EQ(tile.l1.load<uint32_t>(0x104), 0u) << "3 + 1 wraps at two bits";
}

TEST_F(Scalar, AFifoCheckWithoutIncrementOnlyReads) {
  set(1, 0x10);
  tile.l1.store<uint32_t>(0x100, 4);
  tile.l1.store<uint32_t>(0x104, 6);
  run(T0, ATINCGETPTR{.addr_reg = 1, .result_reg = 5, .sel32b = 0, .wrap_val = 4, .incr_val = 1, .no_incr = 1},
      ATINCGETPTR{.addr_reg = 1, .result_reg = 6, .sel32b = 0, .wrap_val = 4, .incr_val = 1});
  EXPECT_EQ(gpr(T0, 5), 4u);
  EXPECT_EQ(gpr(T0, 6), 4u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x100), 6u);
}

TEST_F(Scalar, AtomicSwapReplacesSelectedLanes) {
  set(1, 0x10);
  for (unsigned r = 4; r < 8; ++r) set(r, 0x00020001 * r);
  run(T0, ATSWAP{.addr_reg = 1, .data_reg = 4, .swap_mask = 0b10000011});
  EXPECT_EQ(tile.l1.load<uint32_t>(0x100), 0x00080004u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x104), 0u);
  EXPECT_EQ(tile.l1.load<uint32_t>(0x10C), 0x000E0000u);
}

TEST_F(Scalar, Reg2flopWritesThconConfigurationAndCounters) {
  set(8, 123);
  run(T0, REG2FLOP{.reg_index = 8, .flop_index = 5, .size_sel = 1});
  EXPECT_EQ(config(69), 123u);
  run(T0, REG2FLOP{.reg_index = 8, .flop_index = 116, .size_sel = 1});
  EXPECT_EQ(the_fault().category, FaultCategory::UndefinedBehavior);
}

}  // namespace kerr::emu
