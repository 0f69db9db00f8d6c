#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/bf16.hpp"
#include "graph/check.hpp"
#include "graph/tensor.hpp"

namespace kerr::graph {
namespace {

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bf16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bf16(1.00390625f), 0x3F80);  // exactly between 3F80 and 3F81
  EXPECT_EQ(float_to_bf16(1.01171875f), 0x3F82);  // exactly between 3F81 and 3F82
  EXPECT_EQ(float_to_bf16(3.4e38f), 0x7F80);      // above the largest bf16
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Tiles, FacesLieLeftToRightTopToBottom) {
  Tensor t{32, 32, Format::Bf16, std::vector<float>(1024)};
  t.values[16] = bf16_to_float(0x3F01);            // (0,16): first element of face 1
  t.values[16 * 32] = bf16_to_float(0x3F02);       // (16,0): first element of face 2
  t.values[17 * 32 + 18] = bf16_to_float(0x3F03);  // (17,18): row 1, column 2 of face 3
  const std::vector<std::byte> tiles = to_tiles(t, 1, 1);
  EXPECT_EQ(tiles[2 * 256], std::byte{1});
  EXPECT_EQ(tiles[2 * 512], std::byte{2});
  EXPECT_EQ(tiles[2 * (768 + 16 + 2)], std::byte{3});
}

TEST(Tiles, OddShapesComeBackAndWhatLiesOutsideIsPadding) {
  for (const kernels::FormatInfo& format : kernels::kFormats) {
    const Tensor t = random_tensor(33, 65, format.format, 7);
    std::vector<std::byte> tiles = to_tiles(t, 3, 4);
    EXPECT_EQ(tiles.size(), 12u * format.tile_bytes);
    Tensor back{33, 65, format.format, {}};
    from_tiles(tiles, 4, back);
    EXPECT_EQ(back.values, t.values) << format.name;
    Tensor all{96, 128, format.format, {}};
    from_tiles(tiles, 4, all);
    EXPECT_EQ(all.at(95, 127), 0.0f) << format.name;
    tiles = to_tiles(t, 3, 4, 1.0f);
    from_tiles(tiles, 4, all);
    EXPECT_EQ(all.at(95, 127), 1.0f) << format.name;
    EXPECT_EQ(all.at(0, 127), 1.0f) << format.name;
  }
}

TEST(Formats, RoundToTheNearestNumber) {
  const auto rounded = [](Format format, std::vector<float> row) {
    Tensor t{1, static_cast<std::uint32_t>(row.size()), format, std::move(row)};
    from_tiles(to_tiles(t, 1, 1), 1, t);
    return t.values;
  };
  EXPECT_EQ(rounded(Format::Fp16, {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 1e30f, -0x1p-24f}),
            (std::vector<float>{1.0f, 1.0f + 0x1p-9f, 131008.0f, -0x1p-24f}));
  EXPECT_EQ(rounded(Format::Bfp8, {1.0f, 0.5f / 64, 1.5f / 64, -1.999f}),
            (std::vector<float>{1.0f, 0.0f, 2.0f / 64, -127.0f / 64}));
  EXPECT_EQ(rounded(Format::Bfp4, {4.0f, 1.4f, -0.6f, 0.4f}), (std::vector<float>{4.0f, 1.0f, -1.0f, 0.0f}));
  EXPECT_EQ(rounded(Format::Int8, {1.5f, -200.0f, 0.4f}), (std::vector<float>{2.0f, -127.0f, 0.0f}));
}

TEST(Check, AcceptsTheRoundedProductAndRefusesOneWrongElement) {
  const Tensor a = random_tensor(64, 96, Format::Bf16, 1), b = random_tensor(96, 80, Format::Bf16, 2);
  Tensor c{64, 80, Format::Bf16, std::vector<float>(64 * 80)};
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t j = 0; j < 80; ++j) {
      double sum = 0;
      for (std::uint32_t k = 0; k < 96; ++k) sum += double{a.at(i, k)} * b.at(k, j);
      c.values[i * 80 + j] = bf16_to_float(float_to_bf16(static_cast<float>(sum)));
    }
  }
  const Agreement agreement = check_matmul(a, b, c);
  EXPECT_TRUE(agreement.good());
  EXPECT_EQ(agreement.checked_rows, 64u);
  EXPECT_GT(agreement.pcc, 0.9999);

  Tensor wrong = c;
  wrong.values[1234] += 2;
  EXPECT_FALSE(check_matmul(a, b, wrong).good());
  wrong.values[1234] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_matmul(a, b, wrong).good());
}

TEST(RandomTensor, DependsOnTheSeedOnly) {
  EXPECT_EQ(hash(random_tensor(10, 10, Format::Bf16, 3)), hash(random_tensor(10, 10, Format::Bf16, 3)));
  EXPECT_NE(hash(random_tensor(10, 10, Format::Bf16, 3)), hash(random_tensor(10, 10, Format::Bf16, 4)));
}

}  // namespace
}  // namespace kerr::graph
