// What the device makes of numbers at the ends of their range is verified, whatever the seed, and one wrong element of
// it is not. docs/reference/verification.md
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "graph/check.hpp"
#include "graph/domain.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "graph/sampled_sums.hpp"
#include "host/device/emulated_device.hpp"

namespace kerr::graph {
namespace {

host::Chip& chip() {
  static host::EmulatedDevice device;
  static host::Chip chip(device);
  return chip;
}

struct Ran {
  Graph graph;
  Inputs inputs;
  RunOptions options;
  Tensor result;
  Agreement agreement(const Tensor& of) const { return check(graph, inputs, of, options); }
  Verdict verdict() const { return agreement(result).verdict(); }
};

Ran ran(std::string_view text, const std::map<std::string, Shape, std::less<>>& shapes, Format format, Range range = {},
        uint64_t seed = 1, const kernels::MatmulOptions& matmul = {}) {
  Ran r{parse(text, [&](std::string_view name) { return Matrix{shapes.find(name)->second}; }),
        {},
        {.format = format, .matmul = matmul},
        {}};
  for (const auto& [name, shape] : shapes)
    r.inputs.emplace(name, random_tensor(shape.rows, shape.columns, format, range.low, range.high, seed++));
  r.result = run(r.graph, r.inputs, chip(), r.options);
  return r;
}

// The result with one element as `change` makes it.
template <class Change>
Verdict changed(const Ran& r, size_t element, Change change) {
  Tensor other = r.result;
  other.values[element] = change(other.values[element]);
  return r.agreement(other).verdict();
}

float flipped(float x, int bit) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^ (1u << bit)); }

// Row 19 of the trial.
TEST(Verdicts, AMaskOfVeryLargeNumbersIsVerified) {
  for (const Format format : {Format::Fp32, Format::Bf16}) {
    const Ran r = ran("softmax(where(m > 0, x, -3.4e38))", {{"x", {64, 64}}, {"m", {64, 64}}}, format);
    EXPECT_EQ(r.verdict(), Verdict::Verified);
    EXPECT_EQ(r.agreement(r.result).bounds->untold, 0u);
    for (size_t i = 0; i < r.result.values.size(); i += 97)
      EXPECT_EQ(changed(r, i, [](float x) { return x + 0.01f; }), Verdict::Wrong);
  }
  const Ran one = ran("softmax(x)", {{"x", {3, 1}}}, Format::Fp32, {-1e30f, 1e30f});
  EXPECT_EQ(one.verdict(), Verdict::Verified);
}

// Row 20 of the trial.
TEST(Verdicts, InfinityNanAndFlushedDenormalsAreVerified) {
  for (const Format format : {Format::Fp32, Format::Bf16}) {
    for (const char* text :
         {"x / (x - x)", "x * 1e38 * 10", "max(x, 0 / 0)", "min(x, 0 / 0)", "1 / 0 - 1 / 0 + x", "x * 1e-40",
          "x * 1e-20 * 1e-20", "recip(x * 1e38)", "x / 0", "0 / x", "-x / 0", "exp(x * 1000)", "log(x * 0)", "sqrt(x)",
          "log(x)", "x ** 0.5", "rsqrt(x * 0)", "recip(recip(x) * 0)"}) {
      const Ran r = ran(text, {{"x", {32, 64}}}, format);
      const Agreement a = r.agreement(r.result);
      EXPECT_EQ(a.verdict(), Verdict::Verified) << text;
      EXPECT_EQ(a.bounds->within + a.bounds->by_class, 2048u) << text;
      int looked_at = 0;
      for (size_t i = 0; i < r.result.values.size() && looked_at < 20; i += 101, ++looked_at) {
        const float x = r.result.values[i];
        if (std::isinf(x)) {
          EXPECT_EQ(changed(r, i, [](float y) { return -y; }), Verdict::Wrong) << text;
          EXPECT_EQ(changed(r, i, [](float) { return std::numeric_limits<float>::quiet_NaN(); }), Verdict::Wrong)
              << text;
          EXPECT_EQ(changed(r, i, [](float) { return 3e38f; }), Verdict::Wrong) << text;
        } else if (std::isnan(x)) {
          EXPECT_EQ(changed(r, i, [](float) { return std::numeric_limits<float>::infinity(); }), Verdict::Wrong)
              << text;
          EXPECT_EQ(changed(r, i, [](float) { return 1.0f; }), Verdict::Wrong) << text;
        } else if (x == 0) {
          EXPECT_EQ(changed(r, i, [](float) { return 1e-41f; }), Verdict::Wrong) << text;
        } else {
          EXPECT_EQ(changed(r, i, [](float y) { return flipped(y, 21); }), Verdict::Wrong) << text;
          EXPECT_EQ(changed(r, i, [](float y) { return flipped(y, 31); }), Verdict::Wrong) << text;
          EXPECT_EQ(changed(r, i, [](float y) { return flipped(y, 27); }), Verdict::Wrong) << text;
        }
      }
    }
  }
}

TEST(Verdicts, DoNotDependOnTheSeed) {
  for (const char* text :
       {"sqrt(x)", "log(x)", "rsqrt(x)", "x ** y", "tan(x * 10)", "recip(x - 0.5)", "sin(x)", "x / 0"}) {
    for (const Format format : {Format::Bf16, Format::Fp32}) {
      for (uint64_t seed = 1; seed <= 6; ++seed) {
        const Range range = text == std::string_view("sin(x)") ? Range{-1, 1e9f} : Range{};
        const std::map<std::string, Shape, std::less<>> x{{"x", {32, 32}}}, both{{"x", {32, 32}}, {"y", {32, 32}}};
        const Ran r = ran(text, text == std::string_view("x ** y") ? both : x, format, range, seed);
        EXPECT_NE(r.verdict(), Verdict::Wrong) << text << ", seed " << seed;
      }
    }
  }
}

TEST(Verdicts, PowersOfWholeNumbersHaveTheirBounds) {
  for (const char* text : {"x ** 8", "x ** (2 * 4)", "x ** 2 ** 3", "x ** 2", "x ** 63", "(x * 1e20) ** 3"}) {
    const Ran r = ran(text, {{"x", {32, 64}}}, Format::Fp32);
    EXPECT_EQ(r.verdict(), Verdict::Verified) << text;
  }
}

// Sums that Dst rounds so often that they are far from float64.   Row 21 of the trial
TEST(Verdicts, LongSumsAreAsFarOffAsTheirArithmeticTakesThem) {
  const std::map<std::string, Shape, std::less<>> shapes{{"a", {8, 65536}}, {"b", {65536, 8}}};
  const Ran r = ran("a @ b", shapes, Format::Bf16);
  const Agreement a = r.agreement(r.result);
  EXPECT_EQ(a.verdict(), Verdict::AsFarAsTold) << a.relative_error;
  EXPECT_GT(a.relative_error, 0.25);
  EXPECT_EQ(a.bounds->outside, 0u);
  // The same rule for what 'kerr matmul' calls.
  const auto product = [&](const Tensor& c) { return check_matmul(r.inputs.at("a"), r.inputs.at("b"), c); };
  EXPECT_EQ(product(r.result).verdict(), Verdict::AsFarAsTold);
  EXPECT_EQ(product(r.result).bounds->outside, 0u);
  Tensor zeros = r.result, turned = r.result, exact = r.result;
  std::ranges::fill(zeros.values, 0.0f);
  std::rotate(turned.values.begin(), turned.values.begin() + 8, turned.values.end());
  for (const Tensor& wrong : {zeros, turned}) {
    EXPECT_EQ(r.agreement(wrong).verdict(), Verdict::Wrong);
    EXPECT_EQ(product(wrong).verdict(), Verdict::Wrong);
  }
  const auto largest = std::ranges::max_element(r.result.values, {}, [](float x) { return std::abs(x); });
  const auto at = static_cast<size_t>(largest - r.result.values.begin());
  EXPECT_EQ(changed(r, at, [](float x) { return -x; }), Verdict::Wrong);
  EXPECT_EQ(changed(r, 37, [](float x) { return x * 0x1p20f; }), Verdict::Wrong);
  EXPECT_EQ(changed(r, 37, [](float) { return std::numeric_limits<float>::quiet_NaN(); }), Verdict::Wrong);
}

// Every sum is added up on the host as the documents say, and has the device's bits.
TEST(Verdicts, SumsOfTheModelAreTheDevicesBits) {
  for (const bool fp32 : {false, true}) {
    for (const auto fidelity :
         {kernels::Fidelity::LoFi, kernels::Fidelity::HiFi2, kernels::Fidelity::HiFi3, kernels::Fidelity::HiFi4}) {
      const kernels::MatmulOptions options{.fidelity = fidelity, .fp32_accumulate = fp32};
      const Ran r = ran("a @ b", {{"a", {8, 1000}}, {"b", {1000, 8}}}, Format::Bf16, {}, 5, options);
      const Tensor& a = r.inputs.at("a");
      const Tensor& b = r.inputs.at("b");
      const SampledSums sample(
          options, 8, 8, 1000, [&](size_t i, size_t k) { return a.values[i * 1000 + k]; },
          [&](size_t k, size_t j) { return b.values[k * 8 + j]; });
      for (size_t i = 0; i < 64; ++i) {
        const Bounded likely = stored(sample.element(i / 8, i % 8, 0, 1), Format::Bf16, 0);
        EXPECT_EQ(likely.likely, r.result.values[i]) << fp32 << static_cast<int>(fidelity) << " at " << i;
      }
    }
  }
}

TEST(Verdicts, ExpressionsOfManyRepeatedOperandsRun) {
  const std::map<std::string, Shape, std::less<>> shapes{{"a", {40, 64}},  {"b", {40, 64}},     {"c", {40, 64}},
                                                         {"row", {1, 64}}, {"column", {40, 1}}, {"one", {1, 1}}};
  for (const char* text :
       {"exp(row * a) * sin(b * column) + c * one - tanh(row * a) + row * column",
        "max(a, row) * min(b, column) + where(c > 0, row, column) * (a + one) - rowsum(a * b) * (a * b) * c"}) {
    EXPECT_EQ(ran(text, shapes, Format::Fp32).verdict(), Verdict::Verified) << text;
  }
}

}  // namespace
}  // namespace kerr::graph
