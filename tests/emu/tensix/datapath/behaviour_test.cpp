// One behaviour of unpackers, matrix unit and packer each, and what they say when they refuse.
#include <numeric>

#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tensix/datapath/lone_coprocessor.hpp"

namespace kerr::emu {
namespace {

using namespace isa::tensix;
using testing::Test;

constexpr uint32_t kIn = 0x20000, kOut = 0x40000;

// A BF16 set-up in which one UNPACR reads 16 datums to a row of SrcA or SrcB and one PACR packs four rows of Dst.
class DataPath : public Test {
 protected:
  DataPath() {
    for (uint32_t n = 0; n < 4096; ++n) tile_.l1().store<uint16_t>(kIn + 2 * n, bf16(n));
    tile_.set(bf16_data_path(kIn, kOut, 4));
    tile_.set({{cfg::ALU_FORMAT_SPEC_REG0_SrcA, DataFormat::Bf16}, {cfg::ALU_FORMAT_SPEC_REG1_SrcB, DataFormat::Bf16}});
    tile_.push(0, {SETC16{.setc16_value = 4, .setc16_reg = 5}.encode()});
    read(0, 16);
    tile_.push(0, {SETADCXX{.x_start = 0, .x_end2 = 15, .cnt_set_mask = 4}.encode()});
  }

  // A value that BF16 holds exactly and that is different for 512 neighbours.
  static uint16_t bf16(uint32_t n) { return static_cast<uint16_t>(0x3F80 + n % 512); }
  uint16_t out(uint32_t n) { return tile_.l1().load<uint16_t>(kOut + 2 * n); }

  void read(unsigned first, unsigned count) {
    tile_.push(0, {SETADCXX{.x_start = first, .x_end2 = first + count - 1, .cnt_set_mask = 3}.encode()});
  }
  void unpack(unsigned unpacker, bool valid = true) {
    tile_.push(
        0,
        {UNPACR{.last = 1, .set_dat_valid = valid, .ovrd_thread_id = 1, .unpack_block_selection = unpacker}.encode()});
  }
  void pack_four_rows() { tile_.push(0, {PACR{.last = 1}.encode()}); }
  std::string run() { return tile_.run(); }

  LoneCoprocessor tile_;
};

TEST_F(DataPath, AnUnpackerFillsBothBanksAndWaitsForTheThird) {
  unpack(0), unpack(0), unpack(0);
  EXPECT_EQ(run(), "");
  EXPECT_NE(tile_.stuck(0).find("SrcA bank of the unpackers"), std::string::npos) << tile_.stuck(0);
  tile_.push(1, {SETRWC{.clear_ab_vld = 1}.encode()});  // the matrix unit gives one back
  EXPECT_EQ(run(), "");
  EXPECT_EQ(tile_.stuck(0), "");
}

TEST_F(DataPath, TheMatrixUnitWaitsForBothSources) {
  tile_.push(1, {MVMUL{}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_NE(tile_.stuck(1).find("SrcA"), std::string::npos) << tile_.stuck(1);
  unpack(0);
  EXPECT_EQ(run(), "");
  EXPECT_NE(tile_.stuck(1).find("SrcB"), std::string::npos) << tile_.stuck(1);
  unpack(1);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(tile_.stuck(1), "");
  EXPECT_EQ(tile_.coprocessor().fpu.mvmuls(), 1u);
}

TEST_F(DataPath, ReleasingWithValidDisabledFlipsTheBankButKeepsIt) {
  unpack(0), unpack(0);
  tile_.push(0, {SETC16{.setc16_value = 1, .setc16_reg = 7}.encode(), SETRWC{.clear_ab_vld = 1}.encode()});
  unpack(0);
  EXPECT_EQ(run(), "");
  EXPECT_NE(tile_.stuck(0), "");
}

TEST_F(DataPath, TheDestinationOfSrcAIsBiasedByFourRows) {
  tile_.set({{cfg::THCON_SEC0_REG5_Dest_cntx0_address, 16 * (4 + 8)}});
  unpack(0);
  tile_.push(0, {MOVA2D{.dst = 0, .instr_mod = 2, .src = 8}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(0));
  EXPECT_EQ(out(15), bf16(15));
}

TEST_F(DataPath, EachBankRemembersTheFormatInWhichItWasFilled) {
  unpack(0);
  EXPECT_EQ(run(), "");
  tile_.set({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Fp16},
             {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Fp16}});
  unpack(0);  // the second bank: FP16
  tile_.push(0, {MOVA2D{.instr_mod = 2}.encode(), CLEARDVALID{.cleardvalid = 1}.encode(),
                 MOVA2D{.dst = 8, .instr_mod = 2}.encode()});
  EXPECT_EQ(run(), "");
  const tensix::Dst& dst = tile_.coprocessor().state.dst;
  EXPECT_EQ(dst.row(0)[1], math::encode_bf16(bf16(1)));
  EXPECT_EQ(dst.row(8)[1], math::encode_fp16(bf16(1)));
  // Switched off, the configured format counts: BF16 of FP16's cells.
  tile_.push(0, {SETC16{.setc16_value = 1, .setc16_reg = 2}.encode(), MOVA2D{.dst = 8, .instr_mod = 2}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(dst.row(8)[1], math::encode_bf16(math::bf16_from_cell(math::cell_from_fp16(bf16(1)))));
}

TEST_F(DataPath, SfpconfigCanKeepMovesOfTheMatrixUnitOutOfColumns) {
  unpack(0);
  tile_.push(0, {SFPCONFIG{.instr_mod1 = 1, .config_dest = 15, .imm16_math = 0x200}.encode(),  // even columns
                 MOVA2D{.instr_mod = 2}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(out(n), n % 2 ? bf16(n) : 0) << n;
}

TEST_F(DataPath, CountersStepBehindTheTransfer) {
  // Z of the input by 1, Z of the output by 1: the next face to the next 16 rows.
  tile_.set({{cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 512}, {cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1}});
  read(0, 16);
  const uint32_t increments = 1 | 1 << 4;
  tile_.push(0, 2, UNPACR{.last = 1, .ovrd_thread_id = 1, .addr_mode = increments}.encode());
  unpack(0);
  tile_.push(0, {MOVA2D{.dst = 0, .src = 32}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(2 * 256));
}

TEST_F(DataPath, ContextOffsetSelectsBaseAndDestination) {
  tile_.set({{cfg::THCON_SEC0_REG3_Base_cntx1_address, kIn / 16 - 1 + 2},
             {cfg::THCON_SEC0_REG5_Dest_cntx1_address, 64 + 16 * 4}});
  tile_.push(0, {SETC16{.setc16_value = 0x0101, .setc16_reg = 41}.encode()});
  unpack(0);
  tile_.push(0, {MOVA2D{.dst = 0, .src = 4}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(16));
}

TEST_F(DataPath, HaloizeTransposesWithinAFace) {
  tile_.set({{cfg::THCON_SEC0_REG2_Haloize_mode, 1},
             {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, 256},
             {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1, 256}});
  read(0, 256);
  unpack(0);
  tile_.push(0, {MOVA2D{.instr_mod = 2}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(0));
  EXPECT_EQ(out(1), bf16(16));
  EXPECT_EQ(out(16), bf16(1));
}

TEST_F(DataPath, UnpacrNopClearsTheBankAndHandsItOver) {
  tile_.push(0, {UNPACR_NOP{.unpack_pop = 1, .src_clr_val_ctrl = 1, .set_dvalid = 1}.encode()});
  tile_.push(0, {MOVA2D{.instr_mod = 2}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), 0xFF80);  // all ones is a NaN, which packs as minus infinity
}

TEST_F(DataPath, ZeroaccHidesRowsUntilTheyAreWritten) {
  read(0, 128);
  unpack(0);
  tile_.push(0, {MOVA2D{.instr_mod = 2}.encode(), ZEROACC{.where = 1}.encode()});
  pack_four_rows();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(0));
  EXPECT_EQ(out(16), 0);
  EXPECT_EQ(out(32), bf16(32));
}

TEST_F(DataPath, APartialUnitStaysInThePackerUntilTheLastRow) {
  unpack(0);
  tile_.push(0, {MOVA2D{}.encode(), SETADCXX{.x_start = 0, .x_end2 = 3, .cnt_set_mask = 4}.encode()});
  tile_.push(0, {PACR{.read_intf_sel = 1}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), 0);
  tile_.push(0, {PACR{.last = 1, .read_intf_sel = 1}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), bf16(0));
  EXPECT_EQ(out(4), bf16(0));
}

TEST_F(DataPath, FlushWritesWhatIsBufferedAndReadsNothing) {
  unpack(0);
  tile_.push(0, {MOVA2D{}.encode(), SETADCXX{.x_start = 0, .x_end2 = 3, .cnt_set_mask = 4}.encode()});
  tile_.push(0, {PACR{.read_intf_sel = 1}.encode(), PACR{.flush = 1}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(3), bf16(3));
  EXPECT_EQ(out(4), 0);
}

TEST_F(DataPath, ANewAddressIsTakenOnlyBehindTheLastRow) {
  unpack(0);
  tile_.push(0, {MOVA2D{}.encode(), PACR{.read_intf_sel = 1}.encode()});
  EXPECT_EQ(run(), "");
  tile_.set({{cfg::THCON_SEC0_REG1_L1_Dest_addr, kOut / 16 - 1 + 0x100}});
  tile_.push(0, {PACR{.last = 1, .read_intf_sel = 1}.encode(), PACR{.last = 1, .read_intf_sel = 1}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(16), bf16(0));
  EXPECT_EQ(out(0x1000 / 2), bf16(0));
}

TEST_F(DataPath, PackingCanAccumulateInL1) {
  tile_.l1().store<uint16_t>(kOut, 0x4000);  // 2 + 1
  tile_.set({{cfg::THCON_SEC0_REG1_Pack_L1_Acc, 1}});
  unpack(0);
  tile_.push(0, {MOVA2D{}.encode(), PACR{.last = 1, .read_intf_sel = 1}.encode()});
  EXPECT_EQ(run(), "");
  EXPECT_EQ(out(0), 0x4040);
}

// --- refusals --------------------------------------------------------------------------------------------------------

TEST_F(DataPath, ReadingBeyondL1NamesTheAddress) {
  tile_.set({{cfg::THCON_SEC0_REG3_Base_address, L1::kBytes / 16 - 2}});
  unpack(0);
  EXPECT_NE(run().find("0x17fff0"), std::string::npos);
}

TEST_F(DataPath, WritingBeyondL1NamesTheAddressAndChangesNothing) {
  tile_.set({{cfg::THCON_SEC0_REG1_L1_Dest_addr, L1::kBytes / 16 - 2}});
  pack_four_rows();
  EXPECT_NE(run().find("0x17fff0"), std::string::npos);
  EXPECT_EQ(tile_.l1().load<uint32_t>(L1::kBytes - 4), 0u);
}

TEST_F(DataPath, SrcBHasNoRowSixtyFour) {
  tile_.set({{cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 0x800}});  // Z stride of the output: 64 rows
  tile_.push(0, {SETADCZW{.bit_mask = 4, .ch1_z = 1, .cnt_set_mask = 2}.encode()});
  unpack(1);
  EXPECT_NE(run().find("row 64 of SrcB"), std::string::npos);
}

TEST_F(DataPath, UnmodelledConfigurationIsNamedWithItsValue) {
  tile_.set({{cfg::THCON_SEC0_REG2_Unpack_fifo_size, 4}});
  unpack(0);
  EXPECT_NE(run().find("Unpack_fifo_size = 4"), std::string::npos);
}

TEST_F(DataPath, StochasticRoundingIsRefused) {
  tile_.set({{cfg::ALU_ROUNDING_MODE_Fpu_srnd_en, 1}});
  unpack(0), unpack(1);
  tile_.push(0, {MVMUL{}.encode()});
  EXPECT_NE(run().find("Fpu_srnd_en = 1"), std::string::npos);
}

TEST_F(DataPath, ThePackerWantsItsTwoFormatFieldsToAgree) {
  tile_.set({{cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Bfp8}});
  pack_four_rows();
  EXPECT_NE(run().find("In_data_format = 6 but ALU_FORMAT_SPEC_REG2_Dstacc = 5"), std::string::npos);
}

TEST_F(DataPath, CompressionIsRefusedWithAdvice) {
  tile_.set({{cfg::THCON_SEC0_REG1_Disable_zero_compress, 0}});
  pack_four_rows();
  EXPECT_NE(run().find("compressed"), std::string::npos);
}

TEST_F(DataPath, InterfacesBeyondAnAlignedGroupOfRowsAreRefused) {
  tile_.set({{cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 2}});  // from Dst row 2 on, all four interfaces
  pack_four_rows();
  EXPECT_NE(run().find("aligned groups of four rows"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu
