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

}  // namespace
}  // namespace kerr::loops::tiles
