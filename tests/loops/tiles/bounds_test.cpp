#include "loops/tiles/bounds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kerr::loops::tiles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

Bound bound_of(Engine engine, float factor) {
  const std::vector<float> factors(32, factor);
  return bound_of_sum(engine, factors, factors);
}

TEST(SumsOfProducts, AreHeldToTheirBoundsAsLongAsNoPartOfThemCanOverflow) {
  const Bound bound = bound_of(Engine::Vector, 1e18f);  // S is 3.2e37
  EXPECT_FALSE(bound.may_overflow);
  EXPECT_TRUE(agree(2e36, 2e36 + 1e31, bound));
  EXPECT_FALSE(agree(2e36, 2e36 + 1e32, bound));
  EXPECT_FALSE(agree(kInfinity, 2e36, bound));
  EXPECT_FALSE(agree(2e36, kNan, bound_of(Engine::Matrix, 1e18f)));
}

TEST(SumsOfProducts, MayOverflowInOneOrderAlone) {
  const Bound vector = bound_of(Engine::Vector, 4e18f), matrix = bound_of(Engine::Matrix, 4e18f);  // S is 5.1e38
  for (const Bound& bound : {vector, matrix}) {
    EXPECT_TRUE(agree(kInfinity, 1e38, bound));
    EXPECT_TRUE(agree(1e38, kNan, bound));
  }
  EXPECT_FALSE(agree(1e36, 1e38, vector)) << "neither has overflowed";
  EXPECT_TRUE(agree(1e36, 1e38, matrix));
}

TEST(SumsOfProducts, OfInfinitiesAreTheSame) {
  const Bound bound = bound_of(Engine::Vector, std::numeric_limits<float>::infinity());
  EXPECT_TRUE(agree(kInfinity, kInfinity, bound));
  EXPECT_TRUE(agree(kNan, kNan, bound));
  EXPECT_FALSE(agree(kInfinity, -kInfinity, bound));
  EXPECT_FALSE(agree(kNan, kInfinity, bound));
  EXPECT_FALSE(agree(1, kInfinity, bound));
}

TEST(SumsOfProducts, ThatWereRoundedAreRoundingsOfSumsWithinTheBound) {
  const Bound bound{Engine::Matrix, 0.25, false};  // 256 and 258 are neighbours
  EXPECT_TRUE(agree_rounded(256.0f, 256.5, bound));
  EXPECT_TRUE(agree_rounded(258.0f, 256.8, bound)) << "a sum of 257.05 may be meant";
  EXPECT_FALSE(agree_rounded(258.0f, 256.7, bound));
  EXPECT_TRUE(agree_rounded(256.0f, 257.2, bound));
  EXPECT_FALSE(agree_rounded(256.0f, 257.3, bound));
  const Bound none{Engine::Matrix, 0, false};
  EXPECT_TRUE(agree_rounded(256.0f, 257, none)) << "half of the way is the even one's";
  EXPECT_FALSE(agree_rounded(258.0f, 257, none));
  EXPECT_TRUE(agree_rounded(260.0f, 259, none));
  EXPECT_FALSE(agree_rounded(std::numeric_limits<float>::infinity(), 257, none));
  EXPECT_FALSE(agree_rounded(std::numeric_limits<float>::quiet_NaN(), 257, none));
  EXPECT_TRUE(agree_rounded(1.0f, 257, {Engine::Matrix, 0, true})) << "a part of the sum may have overflowed";
}

}  // namespace
}  // namespace kerr::loops::tiles
