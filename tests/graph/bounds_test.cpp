#include "graph/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "graph/evaluate.hpp"
#include "graph/packer_rounding.hpp"

namespace kerr::graph {
namespace {

using kernels::Format;
using kernels::Operation;

// Runs for each operation.
class Bounds : public testing::TestWithParam<kernels::OperationInfo> {
 protected:
  std::mt19937_64 bits{7};
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits); }

  // Whatever the sources are within their errors, the result is within its own.
  void expect_covered(bool integers) {
    const kernels::OperationInfo& what = GetParam();
    for (int i = 0; i < 2'000; ++i) {
      std::array<Bounded, 3> from{};
      for (Bounded& x : from) {
        const double value = integers ? std::floor(between(-40, 40)) : between(-4, 4);
        const double error = integers ? std::floor(between(0, 7)) : std::exp2(between(-20, 2));
        x = Bounded::around(value, i % 4 == 0 ? 0 : error);
      }
      const Bounded result = apply(what.operation, integers, what.sources, from);
      for (int k = 0; k < 20; ++k) {
        double x[3] = {};
        for (size_t j = 0; j < what.sources; ++j) {
          x[j] = from[j].value + from[j].error() * between(-1, 1);
          if (integers) x[j] = std::round(x[j]);
        }
        const double other =
            integers ? evaluate_integers(what.operation, x[0], x[1], x[2]) : evaluate(what.operation, x[0], x[1], x[2]);
        if (std::isnan(other)) {
          ASSERT_TRUE(result.nan()) << what.name << " of " << x[0] << ", " << x[1];
          continue;
        }
        const double slack = 1e-12 * std::abs(other);
        ASSERT_TRUE(result.low - slack <= other && other <= result.high + slack)
            << what.name << " of " << from[0].value << " +- " << from[0].error() << ", " << from[1].value << " +- "
            << from[1].error() << " is " << other << " at " << x[0] << ", " << x[1] << " and not from " << result.low
            << " to " << result.high;
      }
    }
  }
};

class BoundsOfFloats : public Bounds {};
class BoundsOfIntegers : public Bounds {};
TEST_P(BoundsOfFloats, CoverWhatErrorsMake) { expect_covered(false); }
TEST_P(BoundsOfIntegers, CoverWhatErrorsMake) { expect_covered(true); }

std::vector<kernels::OperationInfo> operations_of(bool integers) {
  using kernels::OperationTypes;
  std::vector<kernels::OperationInfo> all;
  for (const kernels::OperationInfo& what : kernels::operations()) {
    const bool other = integers ? what.types == OperationTypes::Float || what.types == OperationTypes::ToFloat
                                : what.types == OperationTypes::Integer;
    if (!other) all.push_back(what);
  }
  return all;
}
constexpr auto name_of = [](const auto& operation) { return std::string(operation.param.name); };
INSTANTIATE_TEST_SUITE_P(All, BoundsOfFloats, testing::ValuesIn(operations_of(false)), name_of);
INSTANTIATE_TEST_SUITE_P(All, BoundsOfIntegers, testing::ValuesIn(operations_of(true)), name_of);

TEST(BoundsOfFormats, CoverRounding) {
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  for (const Format format : {Format::Bfp8, Format::Bfp4}) {
    for (int i = 0; i < 2'000; ++i) {
      std::array<double, 16> exact{}, rounded{};
      double largest = 0;
      for (double& x : exact) x = normal(bits), largest = std::max(largest, std::abs(x));
      rounded = exact;
      round_as_packed(rounded, format);
      for (size_t k = 0; k < 16; ++k) {
        const Bounded x = stored(Bounded::exactly(exact[k]), format, largest);
        ASSERT_LE(std::abs(rounded[k] - exact[k]), x.error()) << exact[k];
      }
    }
  }
  for (int i = 0; i < 10'000; ++i) {
    const double exact = normal(bits);
    const double bf16 = evaluate(Operation::ToBf16, exact, 0, 0), fp16 = evaluate(Operation::ToFp16, exact, 0, 0);
    ASSERT_TRUE(stored(Bounded::exactly(exact), Format::Bf16, 0).holds(bf16, 0)) << exact;
    ASSERT_TRUE(stored(Bounded::exactly(exact), Format::Fp16, 0).holds(fp16, 0)) << exact;
    // The neighbours are wrong.
    ASSERT_FALSE(stored(Bounded::exactly(exact), Format::Bf16, 0).holds(bf16 * (1 + 0x1p-7), 0)) << exact;
    ASSERT_FALSE(fp16 != 0 && stored(Bounded::exactly(exact), Format::Fp16, 0).holds(fp16 * (1 + 0x1p-9), 0)) << exact;
  }
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Bounded of(Operation operation, double a, double b = 0) {
  const std::array<Bounded, 3> from{Bounded::exactly(a), Bounded::exactly(b), Bounded::exactly(0)};
  return apply(operation, false, kernels::info(operation).sources, from);
}

TEST(BoundsOfFormats, KnowWhatIsTooLarge) {
  const Bounded large = stored(Bounded::exactly(3.4e38), Format::Bf16, 0);
  EXPECT_TRUE(large.holds(INFINITY, 0x1p-126));
  EXPECT_FALSE(large.holds(-INFINITY, 0x1p-126));
  EXPECT_FALSE(large.holds(3.38e38, 0x1p-126));
  EXPECT_EQ(stored(Bounded::exactly(1e6), Format::Fp16, 0).low, 131008);
  EXPECT_EQ(stored(Bounded::exactly(-INFINITY), Format::Fp16, 0).high, -131008);
  EXPECT_EQ(stored(Bounded::exactly(1), Format::Bfp8, INFINITY).told(), Told::Not);
  EXPECT_EQ(of(Operation::Exp, 100).told(), Told::ByClass);
  EXPECT_TRUE(of(Operation::Exp, 100).holds(INFINITY, 0x1p-126));
  EXPECT_EQ(apply(Operation::Reciprocal, false, 1, {Bounded::around(0.5, 1)}).told(), Told::Not);
}

TEST(BoundsNearTheLargestNumber, AreNumbersWhereTheExactResultIsOne) {
  const Bounded x = of(Operation::Subtract, -3.4e38, 0.9);
  EXPECT_EQ(x.told(), Told::Within);
  EXPECT_TRUE(std::isfinite(x.low));
  const Bounded e = apply(Operation::Exp, false, 1, {x});
  EXPECT_EQ(e.low, 0);
  EXPECT_EQ(e.high, 0);
  // What may or may not reach infinity is told from everything that is small.
  const Bounded edge = of(Operation::Multiply, 0x1.fffffep127, 1.00000003);
  EXPECT_EQ(edge.told(), Told::Within);
  EXPECT_TRUE(edge.holds(INFINITY, 0x1p-126));
  EXPECT_FALSE(edge.holds(-INFINITY, 0x1p-126));
  EXPECT_FALSE(edge.holds(1e38, 0x1p-126));
}

TEST(Classes, InfinityHasItsSignAndNanIsNoInfinity) {
  const Bounded up = of(Operation::Divide, 3, 0), down = of(Operation::Divide, -3, 0);
  EXPECT_TRUE(up.holds(INFINITY, 0));
  EXPECT_TRUE(down.holds(-INFINITY, 0));
  EXPECT_FALSE(up.holds(-INFINITY, 0));
  EXPECT_FALSE(up.holds(kNaN, 0));
  EXPECT_FALSE(up.holds(1e38, 0));
  const Bounded none = of(Operation::Divide, 0, 0);
  EXPECT_TRUE(none.holds(kNaN, 0));
  EXPECT_FALSE(none.holds(INFINITY, 0));
  EXPECT_FALSE(none.holds(0, 0));
  for (const Bounded& x : {up, down, none}) EXPECT_EQ(x.told(), Told::ByClass);
}

// docs/hardware/tensix-math.md 8, tensix-datapath.md 12.6
TEST(Classes, NanHasTheSignThatArithmeticGivesItWhichDecidesMaximaAndBf16) {
  const double none = evaluate(Operation::Subtract, INFINITY, INFINITY, 0);
  EXPECT_FALSE(std::signbit(none));
  EXPECT_TRUE(std::isnan(evaluate(Operation::Maximum, 5, none, 0)));
  EXPECT_EQ(evaluate(Operation::Minimum, 5, none, 0), 5);
  EXPECT_EQ(evaluate(Operation::Maximum, 5, evaluate(Operation::Negate, none, 0, 0), 0), 5);
  EXPECT_TRUE(std::signbit(evaluate(Operation::Divide, 0, -0.0, 0)));
  EXPECT_TRUE(stored(of(Operation::SquareRoot, -1), Format::Bf16, 0).holds(INFINITY, 0));
  EXPECT_FALSE(stored(of(Operation::SquareRoot, -1), Format::Bf16, 0).holds(-INFINITY, 0));
}

// docs/hardware/tensix-datapath.md 12.8
TEST(Bounds, ThePackerCutsFp32OffToFp16AndDropsTheHiddenBitOfTheSmallest) {
  const auto packed = [](double x) { return packed_as_fp16(Bounded::exactly(x)); };
  const auto may_be = [&](double x, double got) { return packed(x).holds(got, 0x1p-14); };
  EXPECT_TRUE(may_be(0.9999, 0.99951171875));
  EXPECT_TRUE(may_be(-0.9999, -0.99951171875));
  EXPECT_FALSE(may_be(0.9999, 1));
  EXPECT_FALSE(may_be(0.9999, 0.9990234375));
  EXPECT_TRUE(may_be(0x1.8p-15, 0x1p-15)) << "without its hidden bit";
  EXPECT_FALSE(may_be(0x1.8p-15, -0x1p-15));
  EXPECT_TRUE(may_be(0x1.8p-16, 0));
  EXPECT_FALSE(may_be(0x1.8p-16, 0x1p-16));
  EXPECT_EQ(packed(1e9).low, 131008);
  EXPECT_EQ(packed(std::nan("")).high, 131008);
}

TEST(Classes, AnyFp16NumberAtAllTellsNothing) {
  const Bounded vague = stored(Bounded{.value = 0, .low = -1e9, .high = 1e9, .likely = 0}, Format::Fp16, 0);
  EXPECT_EQ(vague.told(), Told::Not);
  EXPECT_TRUE(vague.holds(-131008, 0x1p-14));
  const Bounded half = stored(Bounded{.value = 0, .low = -1e9, .high = 1, .likely = 0}, Format::Fp16, 0);
  EXPECT_EQ(half.told(), Told::Within);
  EXPECT_FALSE(half.holds(2, 0x1p-14));
}

TEST(Classes, WhatIsMadeOfAnythingTellsNothingUnlessItIsOneNumber) {
  const Bounded any = of(Operation::Sin, 1e6);
  const auto both = [&](Operation operation, double other) {
    return apply(operation, false, 2, {any, Bounded::exactly(other)});
  };
  EXPECT_EQ(both(Operation::Less, 0.5).told(), Told::Not);
  EXPECT_FALSE(both(Operation::Less, 0.5).holds(2, 0x1p-126));
  EXPECT_EQ(apply(Operation::Tanh, false, 1, {any}).told(), Told::Not);
  EXPECT_EQ(apply(Operation::Where, false, 3, {any, Bounded::exactly(2), Bounded::exactly(2)}).told(), Told::Within);
  EXPECT_EQ(apply(Operation::Where, false, 3, {any, Bounded::exactly(2), Bounded::exactly(3)}).told(), Told::Not);
}

TEST(Classes, AnInfinitePowerIsToldWhereItIsKnown) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of(Operation::Power, 2, kInf).told(), Told::ByClass);
  EXPECT_TRUE(of(Operation::Power, 0.5, kInf).holds(0, 0x1p-126));
  for (const double base : {1.0, -1.0, -2.0, -0.5, -kInf})
    EXPECT_EQ(of(Operation::Power, base, kInf).told(), Told::Not) << base;
}

TEST(Classes, ADenormalResultIsZeroAndADenormalIsWrong) {
  const Bounded x = of(Operation::Multiply, 0.5, 0x1p-126);
  EXPECT_EQ(x.told(), Told::ByClass);
  EXPECT_TRUE(x.holds(0, 0x1p-126));
  EXPECT_TRUE(x.holds(-0.0, 0x1p-126));
  EXPECT_FALSE(x.holds(0x1p-127, 0x1p-126));
  EXPECT_FALSE(x.holds(0x1p-126, 0x1p-126));
  // What only moves does not keep it either: the store makes zero of it.
  Bounded denormal = Bounded::exactly(0x1p-130);
  denormal.denormal = true;
  EXPECT_FALSE(apply(Operation::Negate, false, 1, {denormal}).holds(-0x1p-130, 0x1p-126));
  EXPECT_TRUE(apply(Operation::Negate, false, 1, {denormal}).holds(0, 0x1p-126));
  EXPECT_TRUE(apply(Operation::Add, false, 2, {denormal, Bounded::exactly(0)}).holds(0, 0x1p-126));
  EXPECT_FALSE(apply(Operation::Add, false, 2, {denormal, Bounded::exactly(0)}).holds(0x1p-130, 0x1p-126));
}

}  // namespace
}  // namespace kerr::graph
