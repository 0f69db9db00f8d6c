// The packer's vector forms against their definition, on every instruction set that this CPU has.
#include "emu/math/pack_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace kerr::emu::math {
namespace {

constexpr unsigned kRows = 4, kDatums = kRows * 16;

// Every combination of formats, flags and ReLU that is not refused.
std::vector<PackFormat> all_formats() {
  std::vector<PackFormat> out;
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned o = 0; o < 16; ++o) {
        for (unsigned relu = 0; relu < 4; ++relu) {
          PackFormat f;
          f.intermediate = format_from_code(i);
          f.out = format_from_code(o);
          f.read_32b = bits & 1, f.read_raw = bits & 2, f.read_unsigned = bits & 4, f.round_10b_mantissa = bits & 8;
          f.relu_mode = static_cast<uint8_t>(relu);
          f.relu_threshold = style_of(f.intermediate) == Style::Fp16 ? 0x4200 : 0x4040;
          if (pack_refusal(f) == nullptr) out.push_back(f);
        }
      }
    }
  }
  return out;
}

struct Cells {
  std::array<uint16_t, kDatums> high, low;
};

// Patterns on the borders of every rule, and anything else.
Cells random_cells(std::mt19937& random, const PackFormat& f) {
  static constexpr uint16_t kEdges[] = {0,      1,      0x7F,   0x80,   0x81,   0x3FF,  0x400,  0x7F7F, 0x7F80,
                                        0x7F81, 0x7FEF, 0x7FF7, 0x7FF8, 0x7FFF, 0x3F80, 0x4040, 0x4041, 0x4200};
  const bool fp16 = !f.read_32b && style_of(f.intermediate) == Style::Fp16;
  const unsigned kind = random() % 3;
  const uint16_t exponent = static_cast<uint16_t>(random());
  Cells cells;
  for (unsigned n = 0; n < kDatums; ++n) {
    uint16_t v = static_cast<uint16_t>(random());
    if (kind == 0) v = static_cast<uint16_t>(kEdges[random() % std::size(kEdges)] | (random() & 0x8000));
    if (kind == 1)  // neighbours in size, so that shared exponents matter
      v = static_cast<uint16_t>((exponent & 0x7C00) + (random() & 0x83FF) + (random() % 9 << 7));
    cells.high[n] = fp16 ? encode_fp16(v) : encode_bf16(v);
    static constexpr uint16_t kLow[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
    cells.low[n] = random() % 2 ? kLow[random() % std::size(kLow)] : static_cast<uint16_t>(random());
  }
  return cells;
}

class PackKernelsTest : public testing::TestWithParam<unsigned> {};

TEST_P(PackKernelsTest, GiveWhatTheDefinitionGives) {
  const PackKernels& kernels = pack_kernels()[GetParam()];
  std::mt19937 random(1);
  for (const PackFormat& f : all_formats()) {
    const PackFunction function = kernels.find(f);
    if (function == nullptr) continue;
    const PackPath path(f);
    const unsigned bits = datum_bits(f.out);
    for (unsigned round = 0; round < 60; ++round) {
      const Cells cells = random_cells(random, f);
      const unsigned datums = 16 * (1 + random() % kRows);
      std::array<uint8_t, kDatums * 4> data{}, expected{};
      std::array<uint8_t, kRows> exponents{}, expected_exponents{};
      unsigned largest = 0;
      std::array<uint32_t, kDatums> packed{};
      for (unsigned n = 0; n < datums; ++n) {
        const uint32_t v =
            path.relu(path.early(f.read_32b ? uint32_t{cells.high[n]} << 16 | cells.low[n] : cells.high[n]));
        largest = std::max(largest, path.exponent(v));
        packed[n] = path.late(v);
        if (!has_shared_exponent(f.out)) std::memcpy(&expected[n * bits / 8], &packed[n], bits / 8);
      }
      if (has_shared_exponent(f.out)) {
        for (unsigned g = 0; g < datums / 16; ++g)
          expected_exponents[g] = assemble_bfp(f.out, &packed[16 * g], &expected[g * 2 * bits]);
      }
      PackJob job{cells.high.data(), cells.low.data(), datums, data.data(), exponents.data(), relu_bounds(f), 0};
      function(job);
      const std::string what = std::string(kernels.name) + ", " + (f.read_32b ? "32" : "16") + "-bit Dst, I " +
                               name_of(f.intermediate) + " to " + name_of(f.out) + ", ReLU " +
                               std::to_string(f.relu_mode) + (f.read_raw ? ", raw" : "");
      ASSERT_EQ(data, expected) << what;
      ASSERT_EQ(exponents, expected_exponents) << what;
      const Middle m = path.middle();
      ASSERT_EQ(job.largest >> (m == Middle::Fp16 ? 10 : m == Middle::Int16 ? 0 : 7), largest) << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PackKernelsTest, testing::Range(0u, static_cast<unsigned>(pack_kernels().size())));

TEST(PackKernels, KnowTheCommonFormats) {
  if (pack_kernels().size() == 1) GTEST_SKIP() << "this CPU has no vectors";
  for (const bool wide : {false, true}) {
    for (const Format out : {Format::Bf16, Format::Bfp8, Format::Bfp4, Format::Bfp2}) {
      EXPECT_NE(pack_kernels()[0].find({.intermediate = Format::Bf16, .out = out, .read_32b = wide}), nullptr);
    }
  }
  EXPECT_NE(pack_kernels()[0].find({.intermediate = Format::Fp32, .out = Format::Fp32, .read_32b = true}), nullptr);
}

}  // namespace
}  // namespace kerr::emu::math
