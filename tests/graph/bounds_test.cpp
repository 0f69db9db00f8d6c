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

// Of each operation.
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
        x.value = integers ? std::floor(between(-40, 40)) : between(-4, 4);
        x.error = integers ? std::floor(between(0, 7)) : std::exp2(between(-20, 2));
        if (i % 4 == 0) x.error = 0;
      }
      const Bounded result = apply(what.operation, integers, what.sources, from);
      const double slack = 1e-12 * std::abs(result.value);
      for (int k = 0; k < 20; ++k) {
        double x[3] = {};
        for (std::size_t j = 0; j < what.sources; ++j) {
          x[j] = from[j].value + from[j].error * between(-1, 1);
          if (integers) x[j] = std::round(x[j]);
        }
        const double other =
            integers ? evaluate_integers(what.operation, x[0], x[1], x[2]) : evaluate(what.operation, x[0], x[1], x[2]);
        if (std::isinf(result.error)) continue;
        if (std::isfinite(result.value)) {
          ASSERT_LE(std::abs(other - result.value), result.error + slack)
              << what.name << " of " << from[0].value << " +- " << from[0].error << ", " << from[1].value << " +- "
              << from[1].error << " is " << other << " at " << x[0] << ", " << x[1];
        } else {
          ASSERT_FALSE(std::isfinite(other)) << what.name << " of " << x[0];
        }
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
      for (std::size_t k = 0; k < 16; ++k) {
        const Bounded x = stored({exact[k], 0}, format, largest);
        ASSERT_LE(std::abs(rounded[k] - exact[k]), x.error) << exact[k];
      }
    }
  }
  for (int i = 0; i < 10'000; ++i) {
    const double exact = normal(bits);
    ASSERT_LE(std::abs(evaluate(Operation::ToBf16, exact, 0, 0) - exact), stored({exact, 0}, Format::Bf16, 0).error);
    ASSERT_LE(std::abs(evaluate(Operation::ToFp16, exact, 0, 0) - exact), stored({exact, 0}, Format::Fp16, 0).error);
  }
}

TEST(BoundsOfFormats, KnowWhatIsTooLarge) {
  EXPECT_TRUE(std::isinf(stored({3.4e38, 0}, Format::Bf16, 0).error));
  EXPECT_EQ(stored({1e6, 0}, Format::Fp16, 0).value, 131008);
  EXPECT_TRUE(std::isinf(stored({-INFINITY, 0}, Format::Fp16, 0).error));
  EXPECT_TRUE(std::isinf(stored({1, 0}, Format::Bfp8, INFINITY).error));
  EXPECT_TRUE(std::isinf(apply(Operation::Exp, false, 1, {{{100, 0}}}).error));
  EXPECT_TRUE(std::isinf(apply(Operation::Reciprocal, false, 1, {{{0.5, 1}}}).error));
  EXPECT_EQ(apply(Operation::Reciprocal, false, 1, {{{0, 0}}}).error, 0);
}

}  // namespace
}  // namespace kerr::graph
