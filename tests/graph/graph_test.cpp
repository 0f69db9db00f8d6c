#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/bf16.hpp"
#include "graph/check.hpp"
#include "graph/matrix.hpp"

namespace kerr::graph {
namespace {

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bf16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bf16(1.00390625f), 0x3F80);   // exactly between 3F80 and 3F81
  EXPECT_EQ(float_to_bf16(1.01171875f), 0x3F82);   // exactly between 3F81 and 3F82
  EXPECT_EQ(float_to_bf16(3.4e38f), 0x7F80);       // above the largest bf16
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Tiles, FacesLieLeftToRightTopToBottom) {
  Matrix m{32, 32, std::vector<std::uint16_t>(1024)};
  m.values[16] = 1;            // (0,16): first element of face 1
  m.values[16 * 32] = 2;       // (16,0): first element of face 2
  m.values[17 * 32 + 18] = 3;  // (17,18): row 1, column 2 of face 3
  const std::vector<std::byte> tiles = to_tiles(m, 1, 1);
  EXPECT_EQ(tiles[2 * 256], std::byte{1});
  EXPECT_EQ(tiles[2 * 512], std::byte{2});
  EXPECT_EQ(tiles[2 * (768 + 16 + 2)], std::byte{3});
}

TEST(Tiles, OddShapesComeBackAndPaddingIsZero) {
  const Matrix m = random_matrix(33, 65, 7);
  const std::vector<std::byte> tiles = to_tiles(m, 3, 4);
  EXPECT_EQ(tiles.size(), 12u * 2048);
  EXPECT_EQ(from_tiles(tiles, 4, 33, 65).values, m.values);
  for (const std::uint16_t value : from_tiles(tiles, 4, 96, 128).values) {
    if (value == 0) return;
  }
  FAIL() << "no padding found";
}

TEST(Check, AcceptsTheRoundedProductAndRefusesOneWrongElement) {
  const Matrix a = random_matrix(64, 96, 1), b = random_matrix(96, 80, 2);
  Matrix c{64, 80, std::vector<std::uint16_t>(64 * 80)};
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t j = 0; j < 80; ++j) {
      double sum = 0;
      for (std::uint32_t k = 0; k < 96; ++k) sum += double{bf16_to_float(a.at(i, k))} * bf16_to_float(b.at(k, j));
      c.values[i * 80 + j] = float_to_bf16(static_cast<float>(sum));
    }
  }
  const Agreement agreement = check_matmul(a, b, c);
  EXPECT_TRUE(agreement.good());
  EXPECT_EQ(agreement.checked_rows, 64u);
  EXPECT_GT(agreement.pcc, 0.9999);

  Matrix wrong = c;
  wrong.values[1234] = float_to_bf16(bf16_to_float(c.values[1234]) + 2);
  EXPECT_FALSE(check_matmul(a, b, wrong).good());
  wrong.values[1234] = 0x7FC0;  // NaN
  EXPECT_FALSE(check_matmul(a, b, wrong).good());
}

TEST(RandomMatrix, DependsOnTheSeedOnly) {
  EXPECT_EQ(hash(random_matrix(10, 10, 3)), hash(random_matrix(10, 10, 3)));
  EXPECT_NE(hash(random_matrix(10, 10, 3)), hash(random_matrix(10, 10, 4)));
}

}  // namespace
}  // namespace kerr::graph
