// The unpackers' less common modes. The reference simulator refuses them all, so the expectations follow the functional
// model of tt-isa-documentation (Wormhole's UNPACR, with its Blackhole branches) and LLK's list of instructions.
// docs/hardware/tensix-datapath.md 11
#include "emu/math/unpack_convert.hpp"
#include "tests/emu/tensix/datapath/units.hpp"

namespace kerr::emu::tensix {
namespace {

using isa::tensix::UNPACR;
using isa::tensix::UNPACR_NOP;
using U16s = std::vector<uint16_t>;

constexpr uint16_t kOne = 0x3F80, kTwo = 0x4000, kThree = 0x4040;

class UnpackModes : public testing::Test, protected DataPathUnits {
 protected:
  // Compressed BF16: row starts, then 32 datums and 32 run lengths a group.
  void compressed(const U16s& starts, const U16s& datums, const std::vector<unsigned>& zeros_behind) {
    in16(starts);
    const uint32_t data = 16 * ((2 * 17 + 15) / 16);  // 16 rows and one more entry
    for (unsigned k = 0; k < datums.size(); ++k) {
      const uint32_t group = data + k / 32 * 80;
      in16({datums[k]}, group + 2 * (k % 32));
      const uint32_t at = kIn + group + 64 + k % 32 / 2;
      l1.store(at, static_cast<uint8_t>(l1.load<uint8_t>(at) | zeros_behind[k] << (k % 2 * 4)));
    }
    config({{cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0}});  // context 0 is compressed
  }
};

TEST_F(UnpackModes, LastMayBeZero) {
  in16(U16s(16, kTwo));
  EXPECT_EQ(unpack({.ovrd_thread_id = 1}), "");
  EXPECT_EQ(src_a(0), U16s(16, kTwo));
}

TEST_F(UnpackModes, RunLengthsBecomeZeros) {
  compressed({0, 3, 5}, {kOne, kTwo, kThree, kOne, kTwo}, {2, 0, 10, 15, 0});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0), (U16s{kOne, 0, 0, kTwo, kThree, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  // The second row, through Y.
  state.adcs.of(0, AdcUnit::Unpacker0).channel[0].y.set(1);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[0], kOne);
  EXPECT_EQ(src_a(0)[1], 0);
  EXPECT_EQ(src_a(1)[0], kTwo);
}

TEST_F(UnpackModes, APartOfACompressedRowIsCutOut) {
  compressed({0, 3}, {kOne, kTwo, kThree}, {2, 0, 10});
  unpack_datums(2, 4);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0, 4), (U16s{0, kTwo, kThree, 0}));
}

TEST_F(UnpackModes, RowSearchTakesTheEndFromTheTable) {
  compressed({0, 3, 5}, {kOne, kTwo, kThree, kOne, kTwo}, {0, 0, 0, 0, 0});
  unpack_datums(1, 0);  // from row Y = 0 to the end of row X = 1
  EXPECT_EQ(unpack({.last = 1, .row_search = 1, .ovrd_thread_id = 1}), "");
  EXPECT_EQ(src_a(0, 6), (U16s{kOne, kTwo, kThree, kOne, kTwo, 0}));
}

TEST_F(UnpackModes, RowSearchOfPlainDataStartsAtZeroAndEndsBeforeX) {
  in16({kOne, kTwo, kThree});
  unpack_datums(7, 2);
  EXPECT_EQ(unpack({.last = 1, .row_search = 1, .ovrd_thread_id = 1}), "");
  EXPECT_EQ(src_a(0, 3), (U16s{kOne, kTwo, 0}));
}

TEST_F(UnpackModes, BlobsStartWhereTheDescriptorSays) {
  for (uint16_t n = 0; n < 64; ++n) in16({static_cast<uint16_t>(kOne + n)}, 2u * n);
  config({{cfg::THCON_SEC0_REG0_TileDescriptor_blobs_per_xy_plane, 2},
          {cfg::THCON_SEC0_REG0_TileDescriptor_x_dim, 64},
          {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, 64},
          {cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1, 64},
          {cfg::UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start, 32}});  // two blobs: datums 0..31 and 32..63
  state.adcs.of(0, AdcUnit::Unpacker0).channel[0].y.set(1);
  unpack_datums(1, 0);
  EXPECT_EQ(unpack({.last = 1, .row_search = 1, .ovrd_thread_id = 1}), "");
  EXPECT_EQ(src_a(0)[0], kOne + 32);
  EXPECT_EQ(src_a(1)[15], kOne + 63);
  EXPECT_EQ(src_a(2)[0], 0);
}

TEST_F(UnpackModes, RunLengthsThatLeaveL1AreAFault) {
  compressed({0, 3}, {kOne, kTwo, kThree}, {0, 0, 0});
  config({{cfg::THCON_SEC0_REG3_Base_address, L1::kBytes / 16 - 4}});
  l1.store<uint16_t>(L1::kBytes - 48 + 2, 100);
  EXPECT_NE(unpack().find("L1 ends"), std::string::npos);
}

TEST_F(UnpackModes, UpsamplingPutsAZeroBehindEachDatum) {
  in16({kOne, kTwo, kThree, kOne});
  unpack_datums(0, 3);
  config({{cfg::THCON_SEC0_REG2_Upsample_rate, 1}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0, 9), (U16s{kOne, 0, kTwo, 0, kThree, 0, kOne, 0, 0}));
}

// By the formula of UNPACR's page; its text says two and four.
TEST_F(UnpackModes, UpsamplingPutsThreeOrSevenZerosBehindEachDatum) {
  in16({kOne, kTwo});
  unpack_datums(0, 1);
  for (const unsigned rate : {2u, 3u}) {
    config({{cfg::THCON_SEC0_REG2_Upsample_rate, rate}});
    EXPECT_EQ(unpack(), "");
    U16s expected(1u << rate, 0);
    expected[0] = kOne;
    EXPECT_EQ(src_a(0, 1u << rate), expected) << rate;
    const unsigned second = 1u << rate;
    EXPECT_EQ(src_a(0)[second % 16], kTwo) << rate;
  }
}

TEST_F(UnpackModes, UpsamplingCanLeaveGaps) {
  in16(U16s(16, kThree));
  EXPECT_EQ(unpack(), "");
  in16({kOne, kTwo});
  unpack_datums(0, 1);
  config({{cfg::THCON_SEC0_REG2_Upsample_rate, 1}, {cfg::THCON_SEC0_REG2_Upsample_and_interleave, 1}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0, 5), (U16s{kOne, kThree, kTwo, kThree, kThree}));
}

TEST_F(UnpackModes, BlockFloatsWithoutExponentsReadThemFromTheDatums) {
  l1.store<uint8_t>(kIn, 0x7F);  // exponent, and datums 0 and 1
  config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bfp4},
          {cfg::THCON_SEC0_REG0_TileDescriptor_no_bfp_exp_section, 1},
          {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bfp4}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[1], math::bf16_from_bfp(0x70, 0x7F));
}

TEST_F(UnpackModes, TilizingBlockFloatsTakesExponentsInOrder) {
  l1.store<uint8_t>(kIn, 127);
  l1.store<uint8_t>(kIn + 1, 128);
  for (unsigned n = 0; n < 16; ++n) {
    l1.store<uint8_t>(kIn + 16 + n, 0x40);
    l1.store<uint8_t>(kIn + 16 + 256 + n, 0x40);
  }
  config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bfp8},
          {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bfp8},
          {cfg::THCON_SEC0_REG2_Tileize_mode, 1},
          {cfg::THCON_SEC0_REG2_Shift_amount_cntx1, 1}});  // stride 256
  unpack_datums(0, 31);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[15], kOne);
  EXPECT_EQ(src_a(1)[0], kTwo);
}

TEST_F(UnpackModes, Unpacker1TilizesAsUnpacker0Does) {
  for (uint16_t n = 0; n < 32; ++n) {
    in16({static_cast<uint16_t>(kOne + n)}, 2 * n);
    in16({static_cast<uint16_t>(kTwo + n)}, 256 + 2 * n);
  }
  config({{cfg::THCON_SEC1_REG2_Tileize_mode, 1}, {cfg::THCON_SEC1_REG2_Shift_amount_cntx1, 1}});  // stride 256
  unpack_datums(0, 63);
  EXPECT_EQ(unpack({.last = 1, .ovrd_thread_id = 1, .unpack_block_selection = 1}), "");
  const auto src_b = [&](unsigned row, unsigned column) {
    return math::bf16_from_cell(state.src_b.bank(0).cells[row][column]);
  };
  EXPECT_EQ(src_b(0, 15), kOne + 15);  // 32 datums of 16 bits lie together
  EXPECT_EQ(src_b(1, 15), kOne + 31);
  EXPECT_EQ(src_b(2, 0), kTwo);
  EXPECT_EQ(src_b(3, 15), kTwo + 31);
}

TEST_F(UnpackModes, ExponentsOfTheFiveBitFamilyMustNotRunOut) {
  l1.store<uint8_t>(kIn, 1);
  l1.store<uint8_t>(kIn + 16, 0x40);
  config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bfp8a},
          {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bfp8a}});
  EXPECT_EQ(unpack(), "");
  l1.store<uint8_t>(kIn + 17, 0x01);  // six leading zeros
  EXPECT_NE(unpack().find("datum 1 of BFP8a"), std::string::npos);
}

TEST_F(UnpackModes, TheInputSideSeesEightBitsOfZAndWAndAllOfXAndY) {
  AdcChannel& in = state.adcs.of(0, AdcUnit::Unpacker0).channel[0];
  in16({kOne});
  in.z.set(0x100), in.w.set(0x1F00);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[0], kOne) << "Z and W are 0 here";
  in.z.set(0), in.w.set(0);
  in16({kThree}, 2 * 0x3FFFF);
  unpack_datums(0x3FFFF, 0x3FFFF);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[0], kThree);
  in16({kTwo}, 2 * 16 * 0x1FFF);
  unpack_datums(0, 15);
  in.y.set(0x1FFF);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0)[0], kTwo);
  config({{cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, 0xFFFF}});
  EXPECT_NE(unpack().find("L1 ends"), std::string::npos);
}

TEST_F(UnpackModes, ColumnsCanBeShifted) {
  in16({kOne, kTwo, kThree});
  config({{cfg::THCON_SEC0_REG2_Shift_amount_cntx0, 1}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0, 2), (U16s{kTwo, kThree}));
}

TEST_F(UnpackModes, AllFormatsReachDst) {
  struct Case {
    unsigned code;
    uint16_t datum, cell;
  };
  for (const Case& c :
       {Case{5, 0x3FC0, math::encode_bf16(0x3FC0)}, Case{1, 0x3E00, math::encode_fp16(0x3E00)}, Case{9, 0x1234, 0x1234},
        Case{10, 0x3C, math::encode_fp16(0x3C00)}, Case{14, 0x85, static_cast<uint16_t>(0x8000 | 5 << 5 | 16)}}) {
    thread_config(0, {thread_cfg::SRCA_SET_SetOvrdWithAddr, 0});
    in16({c.datum});
    config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, c.code},
            {cfg::THCON_SEC0_REG2_Out_data_format, c.code},
            {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1}});
    EXPECT_EQ(unpack(), "") << c.code;
    EXPECT_EQ(state.dst.row(0)[0], c.cell) << c.code;
  }
}

TEST_F(UnpackModes, ABankCanBeHandedOverUntouched) {
  in16(U16s(16, kOne));
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(run(unpackers, UNPACR_NOP{.unpack_pop = 1, .clr_to1_fmt_ctrl = 3}), "");
  EXPECT_TRUE(state.src_a.fpu_may_read());
  EXPECT_EQ(src_a(0), U16s(16, kOne));
}

TEST_F(UnpackModes, ARingOfSizeZeroChangesNothing) {
  in16(U16s(16, kOne));
  config({{cfg::THCON_SEC0_REG2_Unpack_limit_address, 1}, {cfg::THCON_SEC0_REG10_Unpack_limit_address, 1}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(src_a(0), U16s(16, kOne));
}

// --- what no document describes --------------------------------------------------------------------------------------

TEST_F(UnpackModes, WhatIsNotDocumentedIsRefusedWithTheReason) {
  EXPECT_NE(unpack({.srcb_bcast = 1, .ovrd_thread_id = 1}).find("eight rows"), std::string::npos);
  config({{cfg::THCON_SEC0_REG2_Unpack_fifo_size, 4}});
  EXPECT_NE(unpack().find("Unpack_fifo_size = 4"), std::string::npos);
  config({{cfg::THCON_SEC0_REG2_Unpack_fifo_size, 0}});
  EXPECT_NE(run(unpackers, UNPACR_NOP{.unpack_pop = 0}).find("overlay"), std::string::npos);
  EXPECT_NE(run(unpackers, UNPACR_NOP{.unpack_pop = 1, .src_clr_val_ctrl = 2}).find("19 bits"), std::string::npos);
  EXPECT_NE(run(unpackers, UNPACR_NOP{.unpack_pop = 1, .bank_clr_ctrl = 1}).find("both banks"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu::tensix
