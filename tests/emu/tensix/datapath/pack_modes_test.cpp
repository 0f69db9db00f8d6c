// The packer's less common modes. The reference simulator refuses them all, so the expectations follow
// tt-isa-documentation (Blackhole's PACR, Wormhole's pages on the packer's stages) and LLK's list of instructions.
// docs/hardware/tensix-datapath.md 12
#include "tests/emu/tensix/datapath/units.hpp"

namespace kerr::emu::tensix {
namespace {

using isa::tensix::PACR;
using U16s = std::vector<uint16_t>;

constexpr uint16_t kOne = 0x3F80, kTwo = 0x4000, kThree = 0x4040, kHalf = 0x3F00;

class PackModes : public testing::Test, protected DataPathUnits {};

TEST_F(PackModes, MaskedColumnsBecomeZeroOrMinusInfinity) {
  dst_bf16(0, U16s(16, kOne));
  config({{cfg::PCK_EDGE_OFFSET_SEC0_mask, 0x000F}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(6), (U16s{kOne, kOne, kOne, kOne, 0, 0}));
  config({{cfg::PCK_EDGE_MODE_mode, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(6), (U16s{kOne, kOne, kOne, kOne, 0xFF80, 0xFF80}));
}

TEST_F(PackModes, ReluRemovesAMaskOfMinusInfinity) {
  dst_bf16(0, U16s(16, kOne));
  config({{cfg::PCK_EDGE_OFFSET_SEC0_mask, 0x0001}, {cfg::PCK_EDGE_MODE_mode, 1}, {cfg::STACC_RELU_ApplyRelu, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(2), (U16s{kOne, 0}));
}

TEST_F(PackModes, MasksFollowRowsOfTheTileAndFacesWithThePlane) {
  for (unsigned r = 0; r < 4; ++r) dst_bf16(r, U16s(16, kOne));
  // Row set 0: rows 0, 1 take mask 0 (all), rows 2, 3 mask 1 (none).
  config({{cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_2, 1}, {cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_3, 1}});
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(64)[16], kOne);
  EXPECT_EQ(out<uint16_t>(64)[32], 0);
  // By face: face 1 takes row set 1, which masks every row; the offset makes this tile's plane 0 face 1.
  config({{cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_2, 0},
          {cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_3, 0},
          {whole(cfg::TILE_ROW_SET_MAPPING_1_row_set_mapping_0), 0x55555555},
          {cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable, 1},
          {cfg::TILE_FACE_SET_MAPPING_0_face_set_mapping_1, 1},
          {cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset, 1}});
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(64)[0], 0);
}

TEST_F(PackModes, PlanesAndRowsCanChangeTheirRoles) {
  for (unsigned r = 0; r < 4; ++r) dst_bf16(r, U16s(16, kOne));
  // With two planes a row, the third row read is row 1 of plane 0.
  config({{cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 2},
          {cfg::PACK_COUNTERS_SEC0_pack_yz_transposed, 1},
          {cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_1, 1}});
  EXPECT_EQ(pack({.read_intf_sel = 3}), "");
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 3}), "");
  EXPECT_EQ(out<uint16_t>(32)[16], kOne);
  EXPECT_EQ(out<uint16_t>(64)[32], 0);
}

TEST_F(PackModes, DownsamplingKeepsTheDatumsOfItsMask) {
  dst_bf16(
      0, {kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf});
  config({{cfg::THCON_SEC0_REG1_Downsample_mask, 0x5555}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(9), (U16s{kOne, kThree, kOne, kThree, kOne, kThree, kOne, kThree, 0}));
}

TEST_F(PackModes, PartialRowsArePaddedToSixteen) {
  for (unsigned r = 0; r < 4; ++r) dst_bf16(r, U16s(16, kTwo));
  pack_columns(0, 2);
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 3, .row_pad_zero = 1}), "");  // each row
  EXPECT_EQ(out<uint16_t>(20)[2], kTwo);
  EXPECT_EQ(out<uint16_t>(20)[3], 0);
  EXPECT_EQ(out<uint16_t>(20)[16], kTwo);
  EXPECT_EQ(pack({.read_intf_sel = 3, .row_pad_zero = 7}), "");  // the sum, at the last one
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 3, .row_pad_zero = 7}), "");
  EXPECT_EQ(out<uint16_t>(12), U16s(12, kTwo));
  EXPECT_EQ(out<uint16_t>(16)[12], 0);
}

TEST_F(PackModes, PaddingCanWaitForTheEndOfAConcatenatedRow) {
  dst_bf16(0, U16s(16, kTwo));
  pack_columns(0, 7);
  EXPECT_EQ(pack({.concat = 1, .read_intf_sel = 1, .row_pad_zero = 2}), "");
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 1, .row_pad_zero = 2}), "");
  EXPECT_EQ(out<uint16_t>(16), U16s(16, kTwo));
  EXPECT_EQ(out<uint16_t>(24)[16], 0);
}

TEST_F(PackModes, SmallExponentsBecomeZeroBelowTheThreshold) {
  dst_bf16(0, {kOne, kTwo, kHalf, 0xBF00, 0xC000});
  config({{cfg::THCON_SEC0_REG1_Exp_threshold_en, 1}, {cfg::THCON_SEC0_REG1_Exp_threshold, 127}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(5), (U16s{kOne, kTwo, 0, 0, 0xC000}));
}

TEST_F(PackModes, TheHistogramCountsExponentsOnlyWhileItIsEnabled) {
  dst_bf16(0, U16s(16, kOne));
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(state.packer_signals.largest_exponent, 127);
  EXPECT_EQ(state.packer_signals.exponent_histogram[127 % 32], 0);
  thread_config(1, {thread_cfg::ENABLE_ACC_STATS_Enable, 1});
  for (unsigned n = 0; n < 20; ++n) EXPECT_EQ(pack(), "");
  EXPECT_EQ(state.packer_signals.exponent_histogram[127 % 32], 255) << "saturates";
  state.packer_signals.clear_histogram();
  dst_bf16(0, U16s(16, kTwo));
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(state.packer_signals.exponent_histogram[128 % 32], 16);
  EXPECT_EQ(state.packer_signals.largest_exponent, 128);
}

TEST_F(PackModes, ZerosComeWithoutDst) {
  dst_bf16(0, U16s(16, kOne));
  l1.store<uint32_t>(kOut + 4, 0x12345678);
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 1, .zero_write = 1}), "");
  EXPECT_EQ(l1.load<uint32_t>(kOut + 4), 0u);
}

TEST_F(PackModes, ZerosWithoutAnInterfaceAreAsManyAsXSays) {
  for (unsigned n = 0; n < 1024; ++n) l1.store<uint16_t>(kOut + 2 * n, kOne);
  pack_columns(0, 1007);
  EXPECT_EQ(pack({.last = 1, .zero_write = 1}), "");
  EXPECT_EQ(out<uint16_t>(1008), U16s(1008, 0));
  EXPECT_EQ(out<uint16_t>(1024)[1008], kOne);
  pack_columns(0, 8);
  EXPECT_NE(pack({.last = 1, .zero_write = 1}).find("multiple of 16"), std::string::npos);
}

TEST_F(PackModes, StridedInterfacesReadTheSameRowOfFaces) {
  config({{cfg::DEST_ACCESS_CFG_swizzle_32b, 1}, {cfg::DEST_ACCESS_CFG_remap_addrs, 1}});
  const DstAddressing addressing = state.dst.addressing(state.config.bank(0));
  const uint16_t values[] = {kOne, kTwo, kThree, kHalf};
  for (unsigned face = 0; face < 4; ++face) dst_bf16(addressing.row_16(5 + 16 * face), U16s(16, values[face]));
  config({{cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 5}});
  EXPECT_EQ(pack({.last = 1, .dst_access_mode = 1}), "");
  for (unsigned face = 0; face < 4; ++face) EXPECT_EQ(out<uint16_t>(64)[16 * face], values[face]);
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 0xC, .dst_access_mode = 1}), "");
  EXPECT_EQ(out<uint16_t>(32)[0], kThree);
  EXPECT_EQ(out<uint16_t>(32)[16], kHalf);
}

TEST_F(PackModes, AdjacentRowsFollowRemappedAddresses) {
  for (const uint32_t bits : {1u, 2u, 3u}) {
    config({{cfg::DEST_ACCESS_CFG_swizzle_32b, bits & 1},
            {cfg::DEST_ACCESS_CFG_remap_addrs, bits >> 1},
            {cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 36}});
    const DstAddressing addressing = state.dst.addressing(state.config.bank(0));
    for (unsigned r = 0; r < 4; ++r) dst_bf16(addressing.row_16(36 + r), U16s(16, static_cast<uint16_t>(kOne + r)));
    EXPECT_EQ(pack({.last = 1}), "");
    for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(out<uint16_t>(64)[16 * r], kOne + r) << bits;
  }
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Fp32},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride, 4},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, 64},
          {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 4 * 256},
          {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 4 * 1024},
          {cfg::PCK_DEST_RD_CTRL_Read_32b_data, 1},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp32},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Fp32}});
  const DstAddressing addressing = state.dst.addressing(state.config.bank(0));
  for (unsigned r = 0; r < 4; ++r) {
    state.dst.row(addressing.row_32(36 + r))[0] = static_cast<uint16_t>(math::encode_32(0x3F800000 + r) >> 16);
    state.dst.row(addressing.row_32(36 + r) + Dst::kLowHalf)[0] = static_cast<uint16_t>(r);
  }
  EXPECT_EQ(pack({.last = 1}), "");
  for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(out<uint32_t>(64)[16 * r], 0x3F800000 + r);
}

TEST_F(PackModes, TheLastPacrOfAPlaneTakesTheRowsThatAreLeft) {
  for (unsigned r = 0; r < 8; ++r) dst_bf16(r, U16s(16, static_cast<uint16_t>(kOne + r)));
  config({{cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 6}, {cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, 1}});
  thread_config(0, {thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr, 4});
  EXPECT_EQ(pack({}), "");
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(112)[16 * 5], kOne + 5);
  EXPECT_EQ(out<uint16_t>(112)[16 * 6], 0);
}

TEST_F(PackModes, RawReadsKeepWhatRoundingWouldFlush) {
  dst_bf16(0, {0x0001, 0x8000, 0x7FC0});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(3), (U16s{0, 0, 0x7F80}));
  config({{cfg::PCK_DEST_RD_CTRL_Read_int8, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(3), (U16s{0x0001, 0x8000, 0x7FC0}));
}

TEST_F(PackModes, TheFiveBitFamilySharesFiveBitExponents) {
  dst_fp16(0, {0x3C00, 0xBC00, 0x4000, 0x3800, 0x0001});
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_Exp_section_size, 1},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Bfp8a},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Fp16}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(l1.load<uint8_t>(kOut), 16);  // of 2.0
  const std::vector<uint8_t> data = {0x20, 0xA0, 0x40, 0x10, 0x00};
  for (unsigned n = 0; n < data.size(); ++n) EXPECT_EQ(l1.load<uint8_t>(kOut + 16 + n), data[n]) << n;
}

TEST_F(PackModes, Tf32RoundsTenBits) {
  dst_32(0, {0x3F801000, 0x3F800FFF, 0x7F800001, 0x80000001});
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Tf32},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride, 4},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, 64},
          {cfg::PCK_DEST_RD_CTRL_Read_32b_data, 1},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Tf32},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Tf32}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F802000, 0x3F800000, 0x7F800000, 0}));
}

TEST_F(PackModes, E5M2TruncatesAndE4M3Saturates) {
  dst_fp16(0, {0x3C00, 0x3FFF, 0xBE00, 0x7BFF});
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp8},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Fp16}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x3C, 0x3F, 0xBE, 0x7B}));
  config({{cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x38, 0x3F, 0xBC, 0x7F}));
}

TEST_F(PackModes, IntegersAreScaledDownWithRounding) {
  dst_32(0, {5, 6, 7, 0x80000006, 1000});
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Int8},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride, 1},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16},
          {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 256},
          {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 1024},
          {cfg::PCK_DEST_RD_CTRL_Read_32b_data, 1},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Int8},
          {cfg::INT_DESCALE_Enable, 1},
          {cfg::INT_DESCALE_VALUES_SEC0_Value, 2}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(5), (std::vector<uint8_t>{1, 2, 2, 0x82, 127}));
}

TEST_F(PackModes, AccumulationOfFp16HasItsFaultUnlessSwitchedOff) {
  dst_fp16(0, {0x0400});
  l1.store<uint16_t>(kOut, 0x8401);  // the sum is too small for FP16
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_Pack_L1_Acc, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(l1.load<uint16_t>(kOut), 0xFFFF);
  l1.store<uint16_t>(kOut, 0x8401);
  Packer without_fault(state.config, state.adcs, state.dst, state.packer_signals, l1, false);
  EXPECT_EQ(run(without_fault, PACR{.last = 1, .read_intf_sel = 1}), "");
  EXPECT_EQ(l1.load<uint16_t>(kOut), 0x8000);
}

TEST_F(PackModes, TheSizeOfATileIsToldInUnitsOfSixteenBytes) {
  dst_bf16(0, U16s(16, kOne));
  EXPECT_EQ(pack({}), "");
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 1}), "");
  EXPECT_EQ(state.packer_signals.last_size, 10);
  EXPECT_EQ(state.packer_signals.last_thread, 0);
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(state.packer_signals.accumulated_size[0], 12);
}

TEST_F(PackModes, AllThirteenBitsOfACounterReachDstWhichWraps) {
  dst_bf16(1023, U16s(16, kThree));
  Adc& adc = state.adcs.of(0, AdcUnit::Packer);
  config({{cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 2 * 16}});  // a plane is a row
  adc.channel[0].z.set(0x1FFF);
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(1)[0], kThree) << "row 8191 modulo 1024";
  adc.channel[1].y.set(0x1FFF);
  config({{cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride, 0xFFFF}});
  EXPECT_EQ(pack(), "");
  constexpr uint32_t kUnit = (kOut + 0x1FFF * 0xFFFF) / 16 & 0x1FFFF;  // 17 bits of the address reach L1
  EXPECT_EQ(l1.load<uint16_t>(16 * kUnit), kThree);
}

TEST_F(PackModes, ATinyTileGoesThroughWithTheExponentsThatItHas) {
  const uint8_t exponents[] = {127, 128, 126, 130};
  for (unsigned r = 0; r < 4; ++r) l1.store(kIn + r, exponents[r]);
  for (unsigned n = 0; n < 64; ++n) l1.store(kIn + 16 + n, static_cast<uint8_t>(0x40 + n % 16));
  config({{cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, DataFormat::Bfp8},
          {cfg::THCON_SEC0_REG0_TileDescriptor_y_dim, 4},
          {cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bfp8},
          {cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1},
          {cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 4}});
  config({{cfg::THCON_SEC0_REG1_Exp_section_size, 1}, {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Bfp8}});
  thread_config(0, {thread_cfg::SRCA_SET_SetOvrdWithAddr, 0});
  unpack_datums(0, 63);
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(pack({.last = 1}), "");
  for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(l1.load<uint8_t>(kOut + r), exponents[r]);
  for (unsigned n = 0; n < 64; ++n) EXPECT_EQ(l1.load<uint8_t>(kOut + 16 + n), 0x40 + n % 16) << n;
  EXPECT_EQ(l1.load<uint32_t>(kOut + 80), 0u);
}

TEST_F(PackModes, TheOffsetSetThroughTdmaIsAddedOnRequest) {
  dst_bf16(0, U16s(16, kOne));
  state.packer_signals.l1_offset = 4;
  config({{cfg::THCON_SEC0_REG1_Add_l1_dest_addr_offset, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(l1.load<uint16_t>(kOut), 0);
  EXPECT_EQ(l1.load<uint16_t>(kOut + 64), kOne);
}

TEST_F(PackModes, ResettingTheContextCounterDoesNothingElse) {
  EXPECT_EQ(pack({.ctxt_ctrl = 2}), "");
  EXPECT_EQ(state.packer_signals.last_thread, -1);
}

// --- packing from L1 -------------------------------------------------------------------------------------------------

TEST_F(PackModes, DatumsOfL1PassTheEarlyConversionUnchanged) {
  in16({0x0001, 0x8000, 0x7FC0, kThree});  // a denormal, -0 and a NaN: of Dst, all three would change
  config({{cfg::PCK0_ADDR_BASE_REG_0_Base, kIn}, {cfg::THCON_SEC0_REG1_Source_interface_selection, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x8000, 0x7FC0, kThree}));
  config({{cfg::PCK_DEST_RD_CTRL_Read_32b_data, 1},
          {cfg::PCK_EDGE_OFFSET_SEC0_mask, 0x0000}});  // how Dst would be read, and masked, does not matter
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x8000, 0x7FC0, kThree}));
}

TEST_F(PackModes, DatumsOfL1TakeAllLaterStages) {
  in16({kOne, 0xBF80, kHalf, kTwo});
  config({{cfg::PCK0_ADDR_BASE_REG_0_Base, kIn},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp32},
          {cfg::THCON_SEC0_REG1_Source_interface_selection, 1},
          {cfg::STACC_RELU_ApplyRelu, 1},
          {cfg::THCON_SEC0_REG1_Exp_threshold_en, 1},
          {cfg::THCON_SEC0_REG1_Exp_threshold, 127}});  // to FP32, ReLU, threshold
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F800000, 0, 0, 0x40000000}));
}

TEST_F(PackModes, AnAddressInL1HasItsHighBitsElsewhereAndItsLowOnesFromX) {
  for (unsigned n = 0; n < 16; ++n) l1.store(0x140000 + 0x30 + 4 * n, 0x3F800000 + n);
  // Four bytes a datum: base 0x20, a plane is 16 bytes; X counts in whole units of 16 bytes and inside one.
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Fp32},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride, 4},
          {cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, 0},
          {cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 16},
          {whole(cfg::PCK0_ADDR_BASE_REG_0_Base), 0xC0020},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp32},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Fp32},
          {cfg::THCON_SEC0_REG1_Source_interface_selection, 1},
          {cfg::THCON_SEC0_REG1_L1_source_addr, 5}});
  state.adcs.of(0, AdcUnit::Packer).channel[0].z.set(1);
  pack_columns(6, 9);
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F800006, 0x3F800007, 0x3F800008, 0x3F800009}));
}

TEST_F(PackModes, BytesOfL1BecomeSignAndMantissaOfABlockFloat) {
  for (const uint8_t byte : {0x01, 0x7F, 0x81, 0x80})
    l1.store(kIn + (byte == 0x01 ? 0u : byte == 0x7F ? 1u : byte == 0x81 ? 2u : 3u), byte);
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Bfp8},
          {cfg::PCK0_ADDR_BASE_REG_0_Base, kIn},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Bfp8},
          {cfg::THCON_SEC0_REG1_Source_interface_selection, 1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x007F, 0x8001, 0x8000}));
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Bfp8a},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Fp16},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Bfp8a}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0008, 0x03F8, 0x8008, 0x8000}));
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Int8}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x01, 0x7F, 0x81, 0x80}));
}

TEST_F(PackModes, ReadingBehindL1IsAFault) {
  config({{cfg::PCK0_ADDR_BASE_REG_0_Base, 0x3FFF0},
          {cfg::THCON_SEC0_REG1_Source_interface_selection, 1},
          {cfg::THCON_SEC0_REG1_L1_source_addr, 5}});  // 0x17FFF0: eight datums are left
  pack_columns(0, 7);
  EXPECT_EQ(pack(), "");
  pack_columns(0, 8);
  EXPECT_NE(pack().find("L1 ends"), std::string::npos);
  config({{cfg::THCON_SEC0_REG1_L1_source_addr, 6}});
  EXPECT_NE(pack().find("0x1bfff0"), std::string::npos);
}

// --- what no document describes --------------------------------------------------------------------------------------

TEST_F(PackModes, WhatIsNotDocumentedIsRefusedWithTheReason) {
  EXPECT_NE(pack({.ctxt_ctrl = 1}).find("context"), std::string::npos);
  EXPECT_NE(pack({.cfg_context = 1}).find("ISA page of PACR"), std::string::npos);
  EXPECT_NE(pack({.ovrd_thread_id = 1, .addr_cnt_context = 3}).find("no thread"), std::string::npos);
  EXPECT_NE(run(packer, isa::tensix::PACR_SETREG{}).find("TDMA"), std::string::npos);
  EXPECT_NE(run(packer, isa::tensix::TBUFCMD{}).find("reserved"), std::string::npos);
  config({{cfg::ALU_ROUNDING_MODE_Packer_srnd_en, 1}});
  EXPECT_NE(pack().find("pseudo-random"), std::string::npos);
  config({{cfg::ALU_ROUNDING_MODE_Packer_srnd_en, 0}, {cfg::THCON_SEC0_REG1_Downsample_rate, 1}});
  EXPECT_NE(pack().find("Downsample_rate = 1"), std::string::npos);
  config({{cfg::THCON_SEC0_REG1_Downsample_rate, 0}, {cfg::THCON_SEC0_REG1_Source_interface_selection, 1}});
  EXPECT_NE(pack({.read_intf_sel = 3}).find("interface 0"), std::string::npos);
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Tf32},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Tf32},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Tf32}});
  EXPECT_NE(pack().find("from L1"), std::string::npos);
  config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_In_data_format, DataFormat::Int8},
          {cfg::THCON_SEC0_REG1_Source_interface_selection, 0},
          {cfg::INT_DESCALE_Enable, 1},
          {cfg::INT_DESCALE_Mode, 1},
          {cfg::PCK_DEST_RD_CTRL_Read_32b_data, 1}});
  EXPECT_NE(pack().find("some value z"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu::tensix
