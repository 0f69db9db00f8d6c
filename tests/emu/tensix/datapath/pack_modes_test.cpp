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
  config({{24, 0x000F}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(6), (U16s{kOne, kOne, kOne, kOne, 0, 0}));
  config({{24, 0x000F | 1u << 16}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(6), (U16s{kOne, kOne, kOne, kOne, 0xFF80, 0xFF80}));
}

TEST_F(PackModes, ReluRemovesAMaskOfMinusInfinity) {
  dst_bf16(0, U16s(16, kOne));
  config({{24, 0x0001 | 1u << 16}, {2, 1 << 2}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(2), (U16s{kOne, 0}));
}

TEST_F(PackModes, MasksFollowRowsOfTheTileAndFacesWithThePlane) {
  for (unsigned r = 0; r < 4; ++r) dst_bf16(r, U16s(16, kOne));
  // Row set 0: rows 0, 1 take mask 0 (all), rows 2, 3 mask 1 (none).
  config({{24, 0xFFFF}, {25, 0}, {20, 0x50}});
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(64)[16], kOne);
  EXPECT_EQ(out<uint16_t>(64)[32], 0);
  // By face: face 1 takes row set 1, which masks every row; the offset makes this tile's plane 0 face 1.
  config({{20, 0}, {21, 0x55555555}, {19, 1u << 8}, {36, 1 << 2}, {180, 1u << 12}});
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(64)[0], 0);
}

TEST_F(PackModes, PlanesAndRowsCanChangeTheirRoles) {
  for (unsigned r = 0; r < 4; ++r) dst_bf16(r, U16s(16, kOne));
  // With two planes a row, the third row read is row 1 of plane 0.
  config({{28, 2u << 8 | 1u << 23}, {20, 1 << 2}, {25, 0}});
  EXPECT_EQ(pack({.read_intf_sel = 3}), "");
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 3}), "");
  EXPECT_EQ(out<uint16_t>(32)[16], kOne);
  EXPECT_EQ(out<uint16_t>(64)[32], 0);
}

TEST_F(PackModes, DownsamplingKeepsTheDatumsOfItsMask) {
  dst_bf16(
      0, {kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf, kOne, kTwo, kThree, kHalf});
  config({{71, 0x5555}});
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
  config({{71, 1u << 20 | 127u << 24}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(5), (U16s{kOne, kTwo, 0, 0, 0xC000}));
}

TEST_F(PackModes, TheHistogramCountsExponentsOnlyWhileItIsEnabled) {
  dst_bf16(0, U16s(16, kOne));
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(state.packer_signals.largest_exponent, 127);
  EXPECT_EQ(state.packer_signals.exponent_histogram[127 % 32], 0);
  state.config.write_thread(1, 45, 1);
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
  config({{220, 3}});
  const DstAddressing addressing = state.dst.addressing(state.config.bank(0));
  const uint16_t values[] = {kOne, kTwo, kThree, kHalf};
  for (unsigned face = 0; face < 4; ++face) dst_bf16(addressing.row_16(5 + 16 * face), U16s(16, values[face]));
  config({{180, 5}});
  EXPECT_EQ(pack({.last = 1, .dst_access_mode = 1}), "");
  for (unsigned face = 0; face < 4; ++face) EXPECT_EQ(out<uint16_t>(64)[16 * face], values[face]);
  EXPECT_EQ(pack({.last = 1, .read_intf_sel = 0xC, .dst_access_mode = 1}), "");
  EXPECT_EQ(out<uint16_t>(32)[0], kThree);
  EXPECT_EQ(out<uint16_t>(32)[16], kHalf);
}

TEST_F(PackModes, AdjacentRowsFollowRemappedAddresses) {
  for (const uint32_t bits : {1u, 2u, 3u}) {
    config({{220, bits}, {180, 36}});
    const DstAddressing addressing = state.dst.addressing(state.config.bank(0));
    for (unsigned r = 0; r < 4; ++r) dst_bf16(addressing.row_16(36 + r), U16s(16, static_cast<uint16_t>(kOne + r)));
    EXPECT_EQ(pack({.last = 1}), "");
    for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(out<uint16_t>(64)[16 * r], kOne + r) << bits;
  }
  config({{1, 0}, {12, 0x00400004}, {13, 0x10000400}, {18, 1}, {70, 0x001}});  // FP32
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
  config({{28, 6u << 8}, {70, 0x551 | 1u << 13}});
  state.config.write_thread(0, 37, 4);
  EXPECT_EQ(pack({}), "");
  EXPECT_EQ(pack({.last = 1}), "");
  EXPECT_EQ(out<uint16_t>(112)[16 * 5], kOne + 5);
  EXPECT_EQ(out<uint16_t>(112)[16 * 6], 0);
}

TEST_F(PackModes, RawReadsKeepWhatRoundingWouldFlush) {
  dst_bf16(0, {0x0001, 0x8000, 0x7FC0});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(3), (U16s{0, 0, 0x7F80}));
  config({{18, 4}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(3), (U16s{0x0001, 0x8000, 0x7FC0}));
}

TEST_F(PackModes, TheFiveBitFamilySharesFiveBitExponents) {
  dst_fp16(0, {0x3C00, 0xBC00, 0x4000, 0x3800, 0x0001});
  config({{1, 1u << 25}, {68, 1u << 16}, {70, 0x121}});  // FP16 to BFP8a
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(l1.load<uint8_t>(kOut), 16);  // of 2.0
  const std::vector<uint8_t> data = {0x20, 0xA0, 0x40, 0x10, 0x00};
  for (unsigned n = 0; n < data.size(); ++n) EXPECT_EQ(l1.load<uint8_t>(kOut + 16 + n), data[n]) << n;
}

TEST_F(PackModes, Tf32RoundsTenBits) {
  dst_32(0, {0x3F801000, 0x3F800FFF, 0x7F800001, 0x80000001});
  config({{1, 4u << 25}, {12, 0x00400004}, {18, 1}, {70, 0x441}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F802000, 0x3F800000, 0x7F800000, 0}));
}

TEST_F(PackModes, E5M2TruncatesAndE4M3Saturates) {
  dst_fp16(0, {0x3C00, 0x3FFF, 0xBE00, 0x7BFF});
  config({{1, 1u << 25}, {70, 0x1A1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x3C, 0x3F, 0xBE, 0x7B}));
  config({{71, 1u << 23}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x38, 0x3F, 0xBC, 0x7F}));
}

TEST_F(PackModes, IntegersAreScaledDownWithRounding) {
  dst_32(0, {5, 6, 7, 0x80000006, 1000});
  config({{1, 14u << 25}, {12, 0x00100001}, {13, 0x04000100}, {18, 1}, {70, 0xEE1}, {8, 1}, {187, 2}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(5), (std::vector<uint8_t>{1, 2, 2, 0x82, 127}));
}

TEST_F(PackModes, AccumulationOfFp16HasItsFaultUnlessSwitchedOff) {
  dst_fp16(0, {0x0400});
  l1.store<uint16_t>(kOut, 0x8401);  // the sum is too small for FP16
  config({{1, 1u << 25}, {70, 0x111}, {71, 1u << 19}});
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
  config({{13, 32}});  // a plane is a row
  adc.channel[0].z.set(0x1FFF);
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(1)[0], kThree) << "row 8191 modulo 1024";
  adc.channel[1].y.set(0x1FFF);
  config({{14, 0xFFFFu << 16}});
  EXPECT_EQ(pack(), "");
  constexpr uint32_t kUnit = (kOut + 0x1FFF * 0xFFFF) / 16 & 0x1FFFF;  // 17 bits of the address reach L1
  EXPECT_EQ(l1.load<uint16_t>(16 * kUnit), kThree);
}

TEST_F(PackModes, ATinyTileGoesThroughWithTheExponentsThatItHas) {
  const uint8_t exponents[] = {127, 128, 126, 130};
  for (unsigned r = 0; r < 4; ++r) l1.store(kIn + r, exponents[r]);
  for (unsigned n = 0; n < 64; ++n) l1.store(kIn + 16 + n, static_cast<uint8_t>(0x40 + n % 16));
  config({{64, 0x00100016}, {65, 0x00010004}, {72, 0x26}, {73, 0x1F}, {28, 4u << 8}});
  config({{68, 1u << 16}, {70, 0x561}});
  state.config.write_thread(0, 5, 0);
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
  config({{70, 0x551 | 2}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(l1.load<uint16_t>(kOut), 0);
  EXPECT_EQ(l1.load<uint16_t>(kOut + 64), kOne);
}

TEST_F(PackModes, ResettingTheContextCounterDoesNothingElse) {
  EXPECT_EQ(pack({.ctxt_ctrl = 2}), "");
  EXPECT_EQ(state.packer_signals.last_thread, -1);
}

// --- packing from L1 -------------------------------------------------------------------------------------------------

constexpr uint32_t kFromL1 = 1u << 16;

TEST_F(PackModes, DatumsOfL1PassTheEarlyConversionUnchanged) {
  in16({0x0001, 0x8000, 0x7FC0, kThree});  // a denormal, -0 and a NaN: of Dst, all three would change
  config({{16, kIn}, {70, 0x551 | kFromL1}});
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x8000, 0x7FC0, kThree}));
  config({{18, 1}, {24, 0}});  // how Dst would be read, and masked, does not matter
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x8000, 0x7FC0, kThree}));
}

TEST_F(PackModes, DatumsOfL1TakeAllLaterStages) {
  in16({kOne, 0xBF80, kHalf, kTwo});
  config({{16, kIn}, {70, 0x501 | kFromL1}, {2, 1 << 2}, {71, 1u << 20 | 127u << 24}});  // to FP32, ReLU, threshold
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F800000, 0, 0, 0x40000000}));
}

TEST_F(PackModes, AnAddressInL1HasItsHighBitsElsewhereAndItsLowOnesFromX) {
  for (unsigned n = 0; n < 16; ++n) l1.store(0x140000 + 0x30 + 4 * n, 0x3F800000 + n);
  // Four bytes a datum: base 0x20, a plane is 16 bytes; X counts in whole units of 16 bytes and inside one.
  config({{1, 0}, {12, 4}, {13, 16}, {16, 0xC0020}, {70, 0x001 | kFromL1 | 5u << 24}});
  state.adcs.of(0, AdcUnit::Packer).channel[0].z.set(1);
  pack_columns(6, 9);
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint32_t>(4), (std::vector<uint32_t>{0x3F800006, 0x3F800007, 0x3F800008, 0x3F800009}));
}

TEST_F(PackModes, BytesOfL1BecomeSignAndMantissaOfABlockFloat) {
  for (const uint8_t byte : {0x01, 0x7F, 0x81, 0x80})
    l1.store(kIn + (byte == 0x01 ? 0u : byte == 0x7F ? 1u : byte == 0x81 ? 2u : 3u), byte);
  config({{1, 6u << 25}, {16, kIn}, {70, 0x651 | kFromL1}});  // In BFP8, out BF16
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0001, 0x007F, 0x8001, 0x8000}));
  config({{1, 2u << 25}, {70, 0x211 | kFromL1}});  // In BFP8a, out FP16
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint16_t>(4), (U16s{0x0008, 0x03F8, 0x8008, 0x8000}));
  config({{1, 14u << 25}, {70, 0xEE1 | kFromL1}});  // INT8
  EXPECT_EQ(pack(), "");
  EXPECT_EQ(out<uint8_t>(4), (std::vector<uint8_t>{0x01, 0x7F, 0x81, 0x80}));
}

TEST_F(PackModes, ReadingBehindL1IsAFault) {
  config({{16, 0x3FFF0}, {70, 0x551 | kFromL1 | 5u << 24}});  // 0x17FFF0: eight datums are left
  pack_columns(0, 7);
  EXPECT_EQ(pack(), "");
  pack_columns(0, 8);
  EXPECT_NE(pack().find("L1 ends"), std::string::npos);
  config({{70, 0x551 | kFromL1 | 6u << 24}});
  EXPECT_NE(pack().find("0x1bfff0"), std::string::npos);
}

// --- what no document describes --------------------------------------------------------------------------------------

TEST_F(PackModes, WhatIsNotDocumentedIsRefusedWithTheReason) {
  EXPECT_NE(pack({.ctxt_ctrl = 1}).find("context"), std::string::npos);
  EXPECT_NE(pack({.cfg_context = 1}).find("ISA page of PACR"), std::string::npos);
  EXPECT_NE(pack({.ovrd_thread_id = 1, .addr_cnt_context = 3}).find("no thread"), std::string::npos);
  EXPECT_NE(run(packer, isa::tensix::PACR_SETREG{}).find("TDMA"), std::string::npos);
  EXPECT_NE(run(packer, isa::tensix::TBUFCMD{}).find("reserved"), std::string::npos);
  config({{1, 5u << 25 | 4}});
  EXPECT_NE(pack().find("pseudo-random"), std::string::npos);
  config({{1, 5u << 25}, {71, 1u << 16}});
  EXPECT_NE(pack().find("Downsample_rate = 1"), std::string::npos);
  config({{71, 0}, {70, 0x551 | 1u << 16}});
  EXPECT_NE(pack({.read_intf_sel = 3}).find("interface 0"), std::string::npos);
  config({{1, 4u << 25}, {70, 0x441 | 1u << 16}});  // TF32
  EXPECT_NE(pack().find("from L1"), std::string::npos);
  config({{1, 14u << 25}, {70, 0xEE1}, {8, 3}, {18, 1}});
  EXPECT_NE(pack().find("some value z"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu::tensix
