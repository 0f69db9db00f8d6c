// Unpacker and packer conversions: the rows of docs/hardware/tensix-datapath.md 11.5, 12.6 to 12.8 and A.3.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "emu/math/pack_convert.hpp"
#include "emu/math/unpack_convert.hpp"

namespace kerr::emu::math {
namespace {

Cell unpack_one(const UnpackFormat& f, uint32_t datum, uint8_t exponent = 0) {
  EXPECT_EQ(unpack_to_src_refusal(f), nullptr);
  std::array<uint8_t, 4> bytes{};
  for (unsigned n = 0; n < 4; ++n) bytes[n] = static_cast<uint8_t>(datum >> 8 * n);
  Cell c = 0;
  unpack_to_src(f, bytes.data(), &exponent, 0, 1, &c);
  return c;
}

TEST(Unpack, SixteenBitFormatsKeepTheirBits) {
  for (uint32_t v = 0; v < 0x10000; v += 7) {
    EXPECT_EQ(unpack_one({Format::Bf16, Format::Bf16}, v), v << 3);
    EXPECT_EQ(unpack_one({Format::Fp16, Format::Fp16}, v), (v & 0x8000) << 3 | (v & 0x7FFF));
  }
}

TEST(Unpack, Fp32IsTruncated) {
  EXPECT_EQ(unpack_one({Format::Fp32, Format::Tf32}, 0x3F801FFF), 0x3F800000u >> 13);
  EXPECT_EQ(unpack_one({Format::Fp32, Format::Tf32}, 0x807FFFFF), 0x807FFFFFu >> 13);
  EXPECT_EQ(bf16_from_cell(unpack_one({Format::Fp32, Format::Bf16}, 0xBF80FFFF)), 0xBF80);
  EXPECT_EQ(bf16_from_cell(unpack_one({Format::Fp32, Format::Bf16}, 0x807FFFFF)), 0x8000);
  const uint32_t fp16[][2] = {{0x3F801FFF, 0x3C00}, {0x37FFFFFF, 0x0000}, {0x38400000, 0x0200},
                              {0x47800000, 0x7C00}, {0x48000000, 0x7FFF}, {0xFF800000, 0xFFFF}};
  for (const auto& [in, out] : fp16) EXPECT_EQ(fp16_from_cell(unpack_one({Format::Fp32, Format::Fp16}, in)), out);
}

TEST(Unpack, BlockFloatNormalisesItsMagnitude) {
  EXPECT_EQ(bf16_from_bfp(0x40, 127), 0x3F80);  // 1.0
  EXPECT_EQ(bf16_from_bfp(0x20, 127), 0x3F00);
  EXPECT_EQ(bf16_from_bfp(0xC1, 127), 0xBF82);
  EXPECT_EQ(bf16_from_bfp(0x00, 127), 0x0000);
  EXPECT_EQ(bf16_from_bfp(0x80, 127), 0xFF80);
  EXPECT_EQ(bf16_from_cell(unpack_one({Format::Bfp4, Format::Bfp4}, 0x4, 127)), 0x3F80);
  EXPECT_EQ(bf16_from_cell(unpack_one({Format::Bfp2, Format::Bfp2}, 0x3, 127)), 0xBF80);
}

TEST(Unpack, NarrowDatumsComeLowBitsFirstAndShareAnExponentBySixteen) {
  std::vector<uint8_t> data(16, 0x44);
  data[8] = 0x42;  // datums 16 and 17
  const uint8_t exponents[] = {127, 130};
  Cell c[2];
  unpack_to_src({Format::Bfp4, Format::Bfp4}, data.data(), exponents, 15, 2, c);
  EXPECT_EQ(bf16_from_cell(c[0]), 0x3F80);  // 1.0 * 2^0
  EXPECT_EQ(bf16_from_cell(c[1]), 0x4080);  // 0.5 * 2^3
}

TEST(Unpack, Fp8AndIntegers) {
  EXPECT_EQ(fp16_from_fp8(0x3C, false), 0x3C00);
  EXPECT_EQ(fp16_from_fp8(0xFF, false), 0xFFFF);
  EXPECT_EQ(fp16_from_fp8(0x38, true), 0x3C00);
  EXPECT_EQ(fp16_from_fp8(0x03, true), 0x0180);
  EXPECT_EQ(fp16_from_fp8(0x7F, true), 23u << 10 | 7 << 7 | 0x7F);
  EXPECT_EQ(cell_from_int8(0x85, false), make_cell(true, 16, 5));
  EXPECT_EQ(cell_from_int8(0x85, true), make_cell(false, 16, 0x85));
  EXPECT_EQ(cell_from_int8(0x80, false), make_cell(true, 0, 0));
  const Cell opaque = unpack_one({Format::Int16, Format::Int16}, 0x8123);
  EXPECT_EQ(hardware_order(opaque), 0x40000u | 0x01 << 11 | 0x23);
}

TEST(Unpack, ToDstKeepsThirtyTwoBitsAndShufflesThem) {
  const uint32_t v = 0xC0490FDB;
  uint32_t raw = 0;
  unpack_to_dst({Format::Fp32, Format::Fp32}, reinterpret_cast<const uint8_t*>(&v), nullptr, 0, 1, &raw);
  EXPECT_EQ(decode_32(raw), v);
  unpack_to_dst({Format::Fp32, Format::Bf16}, reinterpret_cast<const uint8_t*>(&v), nullptr, 0, 1, &raw);
  EXPECT_EQ(decode_bf16(static_cast<uint16_t>(raw)), 0xC049);
}

TEST(Unpack, RefusesPairsThatTheHardwareDoesNotConvert) {
  EXPECT_NE(unpack_to_src_refusal({Format::Bf16, Format::Fp16}), nullptr);
  EXPECT_NE(unpack_to_src_refusal({Format::Fp32, Format::Fp32}), nullptr);
  EXPECT_NE(unpack_to_src_refusal({Format::Int32, Format::Int32}), nullptr);
  EXPECT_NE(unpack_to_dst_refusal({format_from_code(12), Format::Fp16}), nullptr);
  EXPECT_EQ(unpack_to_dst_refusal({Format::Int32, Format::Int32}), nullptr);
}

const uint32_t kBf16[16] = {0x3F80, 0xBF80, 0x3F00, 0x3FFF, 0x4000, 0xC049, 0x3C00, 0x0001,
                            0x8000, 0x3B80, 0x0080, 0x3E99, 0xBDCC, 0x4049, 0x3DFF, 0x3F7F};
const uint32_t kFp32[16] = {0x3F800000, 0xBF808000, 0x3F807FFF, 0x7F800001, 0x00400000, 0x80000000,
                            0x3F818000, 0x47800000, 0x387FFFFF, 0x38000000, 0x37FFFFFF, 0xC7000001,
                            0x3DCCCCCD, 0x7F7FFFFF, 0x33800000, 0xFF800000};

PackFormat path(Format intermediate, Format out, bool read_32b, bool round = false) {
  PackFormat f;
  f.intermediate = intermediate;
  f.out = out;
  f.read_32b = read_32b;
  f.round_10b_mantissa = round;
  EXPECT_EQ(pack_refusal(f), nullptr);
  return f;
}

uint32_t pack_datum(const PackFormat& f, uint32_t raw) {
  const PackPath path(f);
  return path.late(path.relu(path.early(raw)));
}

void pack_datums(const PackFormat& f, const uint32_t* raw, size_t count, uint32_t* out) {
  for (size_t n = 0; n < count; ++n) out[n] = pack_datum(f, raw[n]);
}

std::vector<uint32_t> pack_fp32(const PackFormat& f) {
  uint32_t raw[16], out[16];
  for (unsigned n = 0; n < 16; ++n) raw[n] = encode_32(kFp32[n]);
  pack_datums(f, raw, 16, out);
  return {out, out + 16};
}

TEST(Pack, Fp32DstRoundsToBf16HalfAway) {
  EXPECT_EQ(pack_fp32(path(Format::Bf16, Format::Bf16, true)),
            (std::vector<uint32_t>{0x3F80, 0xBF81, 0x3F80, 0x7F80, 0, 0, 0x3F82, 0x4780, 0x3880, 0x3800, 0x3800, 0xC700,
                                   0x3DCD, 0x7F80, 0x3380, 0xFF80}));
}

TEST(Pack, Fp32DstToFp16TruncatesOrRoundsInTenBits) {
  EXPECT_EQ(pack_fp32(path(Format::Fp32, Format::Fp16, true)),
            (std::vector<uint32_t>{0x3C00, 0xBC04, 0x3C03, 0x7FFF, 0, 0x8000, 0x3C0C, 0x7C00, 0x03FF, 0, 0, 0xF800,
                                   0x2E66, 0x7FFF, 0, 0xFFFF}));
  EXPECT_EQ(pack_fp32(path(Format::Fp16, Format::Fp16, true, true)),
            (std::vector<uint32_t>{0x3C00, 0xBC04, 0x3C04, 0x7FFF, 0, 0, 0x3C0C, 0x7C00, 0x0400, 0, 0, 0xF800, 0x2E66,
                                   0x7FFF, 0, 0xFFFF}));
}

TEST(Pack, Bf16DstFlushesDenormalsAndMinusZero) {
  const PackFormat f = path(Format::Bf16, Format::Bf16, false);
  for (const uint32_t v : kBf16) {
    const bool flushed = v == 0x0001 || v == 0x8000;
    EXPECT_EQ(pack_datum(f, encode_bf16(static_cast<uint16_t>(v))), flushed ? 0 : v);
  }
}

TEST(Pack, BlockFloatVectors) {
  for (const Format intermediate : {Format::Bf16, Format::Bfp8 /* E8M6 */}) {
    uint32_t raw[16], v[16];
    for (unsigned n = 0; n < 16; ++n) raw[n] = encode_bf16(static_cast<uint16_t>(kBf16[n]));
    pack_datums(path(intermediate, Format::Bfp8, false), raw, 16, v);
    std::array<uint8_t, 16> data{};
    EXPECT_EQ(assemble_bfp(Format::Bfp8, v, data.data()), 0x80);
    EXPECT_EQ(data, (std::array<uint8_t, 16>{0x20, 0xA0, 0x10, 0x40, 0x40, 0xE5, 0, 0, 0, 0, 0, 0x0A, 0x83, 0x65, 0x04,
                                             0x20}));
  }
  std::array<uint8_t, 8> four{};
  EXPECT_EQ(assemble_bfp(Format::Bfp4, kBf16, four.data()), 0x80);
  EXPECT_EQ(four, (std::array<uint8_t, 8>{0xA2, 0x41, 0xE4, 0, 0, 0, 0x60, 0x20}));
  std::array<uint8_t, 4> two{};
  EXPECT_EQ(assemble_bfp(Format::Bfp2, kBf16, two.data()), 0x80);
  EXPECT_EQ(two, (std::array<uint8_t, 4>{0x40, 0x0D, 0x00, 0x04}));
}

TEST(Pack, ReluClearsNegativesAndClampsAtItsThreshold) {
  PackFormat f = path(Format::Bf16, Format::Bf16, false);
  f.relu_mode = 1;
  EXPECT_EQ(pack_datum(f, encode_bf16(0xC049)), 0u);
  EXPECT_EQ(pack_datum(f, encode_bf16(0x4049)), 0x4049u);
  f.relu_mode = 2;
  f.relu_threshold = 0x4000;
  EXPECT_EQ(pack_datum(f, encode_bf16(0x4000)), 0u);
  f.relu_mode = 3;
  EXPECT_EQ(pack_datum(f, encode_bf16(0x4049)), 0x4000u);
  PackFormat wide = path(Format::Fp32, Format::Fp32, true);
  wide.relu_mode = 3;
  wide.relu_threshold = 0x4000;
  EXPECT_EQ(pack_datum(wide, encode_32(0x40001FFF)), 0x40001FFFu) << "less than a TF32 step above passes";
  EXPECT_EQ(pack_datum(wide, encode_32(0x40002000)), 0x40000000u);
}

TEST(Pack, IntegerSaturates) {
  PackFormat f = path(Format::Int8, Format::Int8, true);
  EXPECT_EQ(pack_datum(f, encode_32(0x80000200)), 0xFFu);
  EXPECT_EQ(pack_datum(f, encode_32(5)), 5u);
  EXPECT_EQ(pack_datum(f, encode_32(0x80000000)), 0x80u);
  f.read_unsigned = true;
  EXPECT_EQ(pack_datum(f, encode_32(0x80000001)), 0u);
  EXPECT_EQ(pack_datum(f, encode_32(300)), 255u);
}

TEST(Pack, RefusesUnknownCombinations) {
  PackFormat f;
  f.intermediate = Format::Fp32;
  EXPECT_NE(pack_refusal(f), nullptr);
  f = {};
  f.round_10b_mantissa = true;
  EXPECT_NE(pack_refusal(f), nullptr);
}

TEST(L1Accumulate, AddsInTheFormatOfTheOutput) {
  EXPECT_EQ(l1_accumulate(Format::Fp32, 0x3F800000, 0x3F800000), 0x40000000u);
  EXPECT_EQ(l1_accumulate(Format::Fp32, 0x7F800000, 0xFF800000), 0x7FC00000u);
  EXPECT_EQ(l1_accumulate(Format::Fp32, 0x00800001, 0x80800000), 0x00000000u) << "a denormal result is flushed";
  EXPECT_EQ(l1_accumulate(Format::Bf16, 0x3F80, 0x3B80), 0x3F80u) << "2^-8 is a tie: to even";
  EXPECT_EQ(l1_accumulate(Format::Bf16, 0x3F81, 0x3B80), 0x3F82u);
  EXPECT_EQ(l1_accumulate(Format::Bf16, 0x7F80, 0xFF80), 0x7FC0u);
  EXPECT_EQ(l1_accumulate(Format::Bf16, 0x7F7F, 0x7F7F), 0x7F80u);
  EXPECT_EQ(l1_accumulate(Format::Fp16, 0x3C00, 0x3C00), 0x4000u);
  EXPECT_EQ(l1_accumulate(Format::Fp16, 0x7FFF, 0x7FFF), 0x7FFFu);
  EXPECT_EQ(l1_accumulate(Format::Fp16, 0x7800, 0xF800), 0x7FFFu);
  EXPECT_NE(l1_accumulate_refusal(Format::Bfp8), nullptr);
}

// Random patterns, small differences of exponents, and what is special, in every place of a row.
TEST(L1Accumulate, OfManyDatumsIsThatOfEach) {
  std::mt19937 random(7);
  for (const Format out : {Format::Fp32, Format::Bf16, Format::Fp16}) {
    const bool wide = out == Format::Fp32;
    for (int row = 0; row < 20000; ++row) {
      const size_t bytes = 4 + 4 * (random() % 64);
      std::array<uint8_t, 256> old, added, sums;
      for (size_t at = 0; at < bytes; at += 4) {
        uint32_t x = random(), y = random();
        if (row % 2) {  // near each other, so that they cancel or meet at a rounding boundary
          const uint32_t near = wide ? (random() % 26) << 23 : (random() % 10 << 7) | (random() % 10 << 23);
          y = (x ^ (random() & 0x80008000)) - near;
        }
        if (row % 1000 == 0) x |= wide ? 0x7F800000 : 0x7F80;
        if (row % 1000 == 1) y &= wide ? 0x807FFFFF : 0x807F807F;
        std::memcpy(&old[at], &x, 4);
        std::memcpy(&added[at], &y, 4);
      }
      l1_accumulate_datums(out, old.data(), added.data(), bytes, sums.data());
      for (size_t at = 0; at < bytes; at += wide ? 4 : 2) {
        uint32_t x = 0, y = 0, sum = 0;
        std::memcpy(&x, &old[at], wide ? 4 : 2);
        std::memcpy(&y, &added[at], wide ? 4 : 2);
        std::memcpy(&sum, &sums[at], wide ? 4 : 2);
        ASSERT_EQ(sum, l1_accumulate(out, x, y)) << std::hex << x << " + " << y;
      }
      l1_accumulate_datums(out, old.data(), added.data(), bytes, old.data());
      ASSERT_TRUE(std::equal(old.begin(), old.begin() + static_cast<ptrdiff_t>(bytes), sums.begin()));
    }
  }
}

}  // namespace
}  // namespace kerr::emu::math
