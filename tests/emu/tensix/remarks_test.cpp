// What silicon takes no notice of executes, and is noted once.   docs/architecture.md "Remarks"
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

using namespace isa::tensix;
namespace cfg = arch::global_config;

class Remarks : public Tensix {
 protected:
  using Tensix::Tensix;
  const std::vector<Remark>& remarks() { return cop().remarks.remarks(); }
  /// Exactly one; its text.
  std::string the_remark() {
    EXPECT_EQ(remarks().size(), 1u);
    return remarks().empty() ? "" : remarks().front().text();
  }
  void expect_remark(const std::string& part) { EXPECT_NE(the_remark().find(part), std::string::npos) << the_remark(); }
  static ADDDMAREG add(unsigned reg) {
    return {.op_a_reg_index = reg, .op_b_reg_index = 1, .result_reg_index = reg, .op_b_is_const = 1};
  }
  void mop_words_of_template_0() {  // A0: gpr 1 + 1; skipped: gpr 2 + 1
    cop().threads[T1].front.write_mop_config(1, 0);
    cop().threads[T1].front.write_mop_config(3, add(1).encode());
    cop().threads[T1].front.write_mop_config(7, add(2).encode());
  }
  uint32_t lreg(unsigned index, unsigned lane = 0) { return cop().sfpu.lreg(index)[lane]; }
  void load(unsigned lreg, uint32_t value) {
    push(T1, SFPLOADI{.imm16 = value >> 16, .instr_mod0 = 8, .lreg_ind = lreg},
         SFPLOADI{.imm16 = value & 0xFFFF, .instr_mod0 = 10, .lreg_ind = lreg});
  }
};

const Options kStrict{.strict = true};
class StrictMachine : public Remarks {
 protected:
  StrictMachine() : Remarks(kStrict) {}
};

// --- bits of no operand ----------------------------------------------------------------------------------------------

TEST_F(Remarks, BitsWithoutMeaningAreIgnoredAndNoted) {
  run(T0, SEMPOST{.sem_sel = 1}.encode() | 1);
  expect_no_fault();
  EXPECT_EQ(cop().state.semaphores[0].value, 1u);
  expect_remark(
      "SEMPOST sem_sel=1 ; stray 0x1 (0xa4000005): operand bits 0x000001 of SEMPOST have no meaning; silicon ignores "
      "them");
  EXPECT_EQ(remarks()[0].agent, Agent::Thread0);
}

TEST_F(Remarks, TheCountOfStockSdpasIncrwcIsThatOfItsThreeBits) {
  run(T1, 0x38220000u);  // INCRWC with 8 in rwc_cr, of which bit 21 exists nowhere
  expect_no_fault();
  EXPECT_EQ(cop().state.rwcs[1].dst, 8u);
  expect_remark("0x200000");
}

TEST(StrayBits, AreIgnoredByEveryInstructionThatExecutesWithoutThem) {
  for (const Row& row : rows()) {
    const uint32_t plain_word = row.opcode == Opcode::REPLAY ? REPLAY{.load_mode = 1, .len = 2}.encode()
                                                             : static_cast<uint32_t>(row.opcode) << 24;
    for (uint32_t bit = 0; bit < 24; ++bit) {
      if (row.named_bits >> bit & 1) continue;
      CardboardTile plain, odd;
      for (auto* tile : {&plain, &odd}) {
        const uint32_t word = tile == &odd ? plain_word | 1u << bit : plain_word;
        tile->coprocessor.threads[1].front.push_before_mop(word);
        tile->coprocessor.run(1, 0, 100);
        for (Cycle cycle = 100; cycle < 200; ++cycle) {  // words that have been are still in the FIFOs
          tile->coprocessor.threads[1].front.push_before_mop(NOP{}.encode());
          tile->coprocessor.threads[1].wake();
          tile->coprocessor.run(1, cycle, cycle + 1);
        }
      }
      EXPECT_EQ(plain.faults.any(), odd.faults.any()) << row.mnemonic << " bit " << bit;
      if (plain.faults.any() || plain.coprocessor.stuck(1)) continue;
      EXPECT_EQ(hash_of(plain.coprocessor), hash_of(odd.coprocessor)) << row.mnemonic << " bit " << bit;
      const std::vector<Remark>& noted = odd.coprocessor.remarks.remarks();
      ASSERT_EQ(noted.size(), plain.coprocessor.remarks.remarks().size() + 1) << row.mnemonic << " bit " << bit;
      EXPECT_EQ(noted.back().oddity, Oddity::StrayBits);
      EXPECT_EQ(noted.back().bits, 1u << bit);
    }
  }
}

TEST_F(Remarks, ExpandersDoNotLookAtBitsOfNoOperandEither) {
  mop_words_of_template_0();
  run(T1, 0x03AA0001u);                                            // MOP_CFG: mask bit 16 of the mask
  push(T1, MOP{.zmask_lo16_or_loop_count = 0, .loop_count = 16});  // 17 iterations, the last one skipped
  settle();
  expect_no_fault();
  EXPECT_EQ(gpr(T1, 1), 16u);
  EXPECT_EQ(gpr(T1, 2), 1u);
  expect_remark("MOP_CFG zmask_hi16=1 ; stray 0xaa0000 (0x03aa0001): operand bits 0xaa0000 of MOP_CFG have no meaning");
  run(T1, REPLAY{.load_mode = 1, .len = 1}.encode() | 1u << 10, add(3));
  run(T1, REPLAY{.len = 1}.encode() | 1u << 10, REPLAY{.len = 1}.encode() | 1u << 19);  // not 65 words, not slot 32
  expect_no_fault();
  EXPECT_EQ(gpr(T1, 3), 2u);
  EXPECT_EQ(remarks().size(), 3u);
  EXPECT_EQ(remarks()[1].times, 2u);
}

// Words that BRISC pushes drive all before them out of the MOP expander.
TEST_F(Remarks, AnOddMopCfgIsNotedInItsPlaceAmongPushesBehindTheExpander) {
  push(T1, add(1), 0x03010000u, add(1));
  EXPECT_FALSE(cop().threads[T1].front.push_after_mop(add(2).encode())) << "not before the thread has come to it";
  EXPECT_TRUE(remarks().empty());
  settle();
  push_from_brisc(T1, add(2));
  push_from_brisc(T1, add(2));
  settle();
  expect_no_fault();
  EXPECT_EQ(gpr(T1, 1), 2u);
  EXPECT_EQ(gpr(T1, 2), 2u);
  expect_remark("operand bits 0x010000 of MOP_CFG");
}

TEST_F(Remarks, AStrictMachineStopsAtOddWordsOfTheExpanders) {
  for (const uint32_t word : {0x03010000u, 0x04000404u}) {
    CardboardTile strict(kStrict);
    strict.coprocessor.threads[0].front.push_before_mop(word);
    strict.coprocessor.run(0, 0, 10);
    const std::vector<Fault> faults = strict.faults.take();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults[0].what.find("have no meaning"), std::string::npos) << faults[0].what;
    EXPECT_EQ(faults[0].instruction, word);
  }
}

TEST_F(Remarks, AddressesOfVectorLoadsAndStoresHaveTenBits) {
  load(0, 0x3FC00000);
  run(T1, 0x7204E500u);  // SFPSTORE to row 0x100 and a bit above
  run(T1, 0x7004E500u);
  push(T1, 0x7014E100u);  // SFPLOAD of LReg 1 from row 0x100
  settle();
  expect_no_fault();
  EXPECT_EQ(lreg(1), 0x3FC00000u);
  EXPECT_EQ(remarks().size(), 2u);
}

TEST_F(Remarks, ATwoInTheOneBitFieldOfUnpacrNopIsIgnored) {
  run(T0, 0x43800201u);
  expect_no_fault();
  expect_remark("0x000200");
}

TEST_F(StrictMachine, MakesTheRemarkAFault) {
  run(T0, SEMPOST{.sem_sel = 1}.encode() | 1);
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(f.what, "operand bits 0x000001 of SEMPOST have no meaning");
  EXPECT_EQ(f.advice, "Leave them 0.");
  EXPECT_EQ(cop().state.semaphores[0].value, 0u);
  EXPECT_TRUE(remarks().empty());
}

// --- once ------------------------------------------------------------------------------------------------------------

TEST_F(Remarks, ComeOnceForEachThreadAndAreCounted) {
  for (int i = 0; i < 5; ++i) run(T0, 0x8F000001u);  // SFPNOP
  run(T1, 0x8F000001u);
  run(T0, 0x8F000002u);
  ASSERT_EQ(remarks().size(), 3u);
  EXPECT_EQ(remarks()[0].times, 5u);
  const std::vector<Remark> all = merged(remarks());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].times, 6u);
  EXPECT_EQ(all[0].tiles, 1u);
  EXPECT_EQ(all[0].agent, Agent::Thread0);
}

TEST_F(Remarks, ATileKeepsSixtyFourAndCountsTheRest) {
  for (uint32_t n = 1; n <= 70; ++n) run(T0, 0x8F000000u | n);
  EXPECT_EQ(remarks().size(), RemarkLog::kMost);
  EXPECT_EQ(cop().remarks.further(), 70 - RemarkLog::kMost);
}

TEST_F(Remarks, AreAnnouncedOnlyWhenTheyAreNew) {
  EXPECT_FALSE(cop().remarks.take_news());
  run(T0, 0x8F000001u);
  EXPECT_TRUE(cop().remarks.take_news());
  run(T0, 0x8F000001u);
  EXPECT_FALSE(cop().remarks.take_news());
}

TEST(MergedRemarks, NameTheFirstPlaceAndCountTiles) {
  const auto remark = [](int y, Cycle cycle, uint32_t bits) {
    return Remark{.oddity = Oddity::StrayBits,
                  .instruction = 0x8F000000 | bits,
                  .bits = bits,
                  .cycle = cycle,
                  .tile = TileId::at(0, 1, y)};
  };
  const std::vector<Remark> all = merged({remark(4, 30, 1), remark(2, 20, 1), remark(3, 10, 2), remark(2, 40, 1)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].bits, 2u);
  EXPECT_EQ(all[1].cycle, 20u);
  EXPECT_EQ(all[1].tiles, 2u);
  EXPECT_EQ(all[1].times, 3u);
}

// --- modes whose upper bits are not looked at ------------------------------------------------------------------------

TEST_F(Remarks, RoundingModesLookAtTheBitForTheAmountOnlyWhereOneIsTaken) {
  load(0, 0x43960000 | 0x4321);
  for (unsigned mode = 0; mode < 8; ++mode) {
    if (mode == 4 || mode == 5) continue;
    push(T1, SFP_STOCH_RND{.instr_mod1 = mode, .lreg_dest = 1});
    push(T1, SFP_STOCH_RND{.instr_mod1 = mode | 8, .lreg_dest = 2});
    settle();
    expect_no_fault();
    EXPECT_EQ(lreg(1), lreg(2)) << "mode " << mode;
  }
  EXPECT_EQ(remarks().size(), 6u);
  EXPECT_NE(remarks()[1].text().find("SFP_STOCH_RND has no instr_mod1 9"), std::string::npos) << remarks()[1].text();
  run(T1, SFP_STOCH_RND{.instr_mod1 = 12, .lreg_dest = 2});  // one of the two that take an amount
  EXPECT_EQ(remarks().size(), 6u);
}

TEST_F(StrictMachine, HasNoSuchRoundingMode) {
  run(T1, SFP_STOCH_RND{.instr_mod1 = 9, .lreg_dest = 1});
  EXPECT_EQ(the_fault().what, "SFP_STOCH_RND has no instr_mod1 9");
}

TEST_F(Remarks, ClearingTheZeroFlagsOfSixteenRowsKeepsWhatTheyHold) {
  cop().state.dst.row(5)[3] = 0x1234;
  run(T1, 0x100A0000u);  // ZEROACC: mode 1, clear_zero_flags, not use_32_bit_mode
  expect_no_fault();
  EXPECT_TRUE(cop().state.dst.valid(5));
  EXPECT_EQ(cop().state.dst.row(5)[3], 0x1234);
  expect_remark("clear_zero_flags = 1 and use_32_bit_mode = 0");
  run(T1, ZEROACC{.clear_zero_flags = 1, .clear_mode = 2});
  EXPECT_NE(the_fault().what.find("mode 2"), std::string::npos);
}

TEST_F(Remarks, BitZeroOfAMovesModeIsIgnored) {
  run(T1, MOVD2A{.instr_mod = 3});
  expect_no_fault();
  expect_remark("instr_mod = 3 of MOVD2A");
}

TEST_F(Remarks, BitsBetweenTheFieldsOfASignalAreIgnored) {
  run(T0, SETDMAREG{.reg_index_16b = 2, .set_signals_mode = 1, .payload_sig_sel = 1u << 11 | 10 << 3});
  expect_no_fault();
  expect_remark("0x80000 of SETDMAREG");
}

// --- what needs no result --------------------------------------------------------------------------------------------

// Unpacks 32-bit data as it is to SrcA: one row, from L1 address 0x20000.
class UnknownRows : public Remarks {
 protected:
  using Remarks::Remarks;
  void SetUp() override {
    set_config({{cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_x_dim, 256},
                {cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, 1},
                {cfg::THCON_SEC0_REG0_TileDescriptor_z_dim, 4},
                {cfg::THCON_SEC0_REG2_Throttle_mode, 2},
                {cfg::THCON_SEC0_REG3_Base_address, 0x20000 / 16 - 1}});
    write_from_row_0(4);
    push(T0, SETC16{.setc16_value = 4, .setc16_reg = arch::thread_config::SRCA_SET_SetOvrdWithAddr.word}, counters(16));
    settle();
    expect_no_fault();
  }
  /// SrcA has four rows too many in front.
  void write_from_row_0(uint32_t datum_bytes) { set_config({{cfg::UNP0_ADDR_BASE_REG_1_Base, 64 * datum_bytes}}); }
  static SETADCXX counters(unsigned datums) { return {.x_start = 0, .x_end2 = datums - 1, .cnt_set_mask = 1}; }
  static UNPACR unpack(bool give) { return {.set_dat_valid = give ? 1u : 0u}; }
};

TEST_F(UnknownRows, ThatNobodyReadsAreARemark) {
  run(T0, unpack(false));
  expect_no_fault();
  expect_remark("UNPACR between formats 0x00");
}

TEST_F(UnknownRows, AreAFaultForWhoeverReadsThem) {
  run(T0, unpack(true));
  expect_no_fault();
  run(T1, MOVA2D{.instr_mod = 2});
  const Fault f = the_fault();
  EXPECT_EQ(f.category, FaultCategory::Unsupported);
  EXPECT_NE(f.what.find("MOVA2D reads row 0 of SrcA, which nobody knows: UNPACR"), std::string::npos) << f.what;
  EXPECT_NE(f.what.find("of T0 unpacked FP32 to FP32 there, and 32-bit data has no form in SrcA and SrcB"),
            std::string::npos)
      << f.what;
}

TEST_F(UnknownRows, LeaveOtherRowsAlone) {
  run(T0, unpack(true));
  run(T1, MOVA2D{.instr_mod = 2, .src = 8});
  expect_no_fault();
}

TEST_F(UnknownRows, AreKnownAgainWhenTheyAreOverwritten) {
  run(T0, unpack(false));
  set_config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bf16},
              {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bf16}});
  write_from_row_0(2);
  run(T0, unpack(true));
  run(T1, MOVA2D{.instr_mod = 2});
  expect_no_fault();
}

TEST_F(UnknownRows, AreKnownAgainWhenTheBankIsCleared) {
  run(T0, unpack(false), UNPACR_NOP{.unpack_pop = 1}, SETDVALID{.setvalid = 1});
  run(T1, MOVA2D{.instr_mod = 2});
  expect_no_fault();
}

class UnknownRowsOfAStrictMachine : public UnknownRows {
 protected:
  UnknownRowsOfAStrictMachine() : UnknownRows(kStrict) {}
};
TEST_F(UnknownRowsOfAStrictMachine, AreAFaultAtOnce) {
  run(T0, unpack(false));
  EXPECT_EQ(the_fault().category, FaultCategory::Unsupported);
}

}  // namespace
}  // namespace kerr::emu
