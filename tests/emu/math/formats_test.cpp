#include <gtest/gtest.h>

#include "emu/math/formats.hpp"

namespace kerr::emu::math {
namespace {

TEST(Formats, DstEncodingsAreInversesForEveryPattern) {
  for (unsigned v = 0; v < 0x10000; ++v) {
    const auto x = static_cast<uint16_t>(v);
    ASSERT_EQ(decode_bf16(encode_bf16(x)), x);
    ASSERT_EQ(encode_bf16(decode_bf16(x)), x);
    ASSERT_EQ(decode_fp16(encode_fp16(x)), x);
    ASSERT_EQ(encode_fp16(decode_fp16(x)), x);
    ASSERT_EQ(fp16_from_cell(cell_from_fp16(x)), x);
    ASSERT_EQ(bf16_from_cell(cell_from_bf16(x)), x);
  }
  EXPECT_EQ(decode_32(0x03007200), 0x00037200u);
  EXPECT_EQ(encode_32(0x00037200), 0x03007200u);
}

TEST(Formats, HardwareOrderSwapsExponentAndMantissa) {
  EXPECT_EQ(hardware_order(make_cell(true, 0x81, 0x155)), 0x40000u | 0x155 << 8 | 0x81);
  for (Cell c = 0; c <= kCellMask; ++c) ASSERT_EQ(cell_from_hardware_order(hardware_order(c)), c);
}

TEST(Formats, DstRowsOfTheWideViewPairWithTheRowEightFurther) {
  const unsigned plain[][2] = {{7, 7}, {8, 16}, {16, 32}, {255, 503}, {256, 512}, {511, 1015}, {1023, 1015}};
  for (const auto& [row, physical] : plain) EXPECT_EQ(dst_row_32(row), physical);
  EXPECT_EQ(dst_row_16(8, true), 32u);
  EXPECT_EQ(dst_row_16(16, true), 8u);
  EXPECT_EQ(dst_row_16(32, true), 16u);
  EXPECT_EQ(dst_row_32(4, true, true), 16u);
  EXPECT_EQ(dst_row_32(8, true, true), 64u);
  EXPECT_EQ(dst_row_32(16, true, true), 4u);
  EXPECT_EQ(dst_row_32(24, true, true), 68u);
}

TEST(Formats, OnlyExponentsOfFiveBitsAreTrimmed) {
  EXPECT_EQ(trim(kCellMask, Format::Fp16), 0x47FFFu);
  EXPECT_EQ(trim(kCellMask, Format::Fp8), 0x47FFFu);
  EXPECT_EQ(trim(kCellMask, Format::Tf32), kCellMask);
  EXPECT_EQ(trim(kCellMask, Format::Bf16), kCellMask);
}

}  // namespace
}  // namespace kerr::emu::math
