// What is called verified, right as far as it can be told, and wrong.   docs/reference/verification.md
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graph/dst_sum.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "graph/sampled_sums.hpp"
#include "graph/stages.hpp"

namespace kerr::graph {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor tensor(std::vector<float> values, Format format = Format::Fp32) {
  return {1, static_cast<uint32_t>(values.size()), format, std::move(values)};
}

// How far `result`, which a device is said to have made, agrees with the expression `text` of x.
Agreement agreement(std::string_view text, const Tensor& x, std::vector<float> result, Format format = Format::Fp32) {
  const Graph graph = parse(text, [&](std::string_view) { return Matrix{{x.rows, x.columns}, x.format}; });
  return check(graph, {{"x", x}}, tensor(std::move(result), format), {.format = format});
}
Verdict verdict(std::string_view text, const Tensor& x, std::vector<float> result, Format format = Format::Fp32) {
  return agreement(text, x, std::move(result), format).verdict();
}

float flipped(float x, int bit) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^ (1u << bit)); }

TEST(Verdict, EachWayToBeWrongIsWrong) {
  const Tensor x = tensor({1, -2, 0, 3});
  const std::vector<float> right{kInf, -kInf, kNaN, kInf};
  EXPECT_EQ(verdict("x / 0", x, right), Verdict::Verified);
  for (const float wrong : {-kInf, kNaN, 3e38f, 0.0f}) {
    std::vector<float> result = right;
    result[3] = wrong;
    EXPECT_EQ(verdict("x / 0", x, result), Verdict::Wrong) << wrong;
  }
  for (const float wrong : {kInf, 0.0f, 1.0f}) {
    std::vector<float> result = right;
    result[2] = wrong;
    EXPECT_EQ(verdict("x / 0", x, result), Verdict::Wrong) << wrong;
  }
}

TEST(Verdict, OneFlippedBitOfAFiniteResultIsWrong) {
  const Tensor x = tensor({0.5f, -0.75f, 0.1f, 0.9f, 3});
  const std::vector<float> right{1.5f, 0.25f, 1.1f, 1.9f, 4};
  ASSERT_EQ(verdict("x + 1", x, right), Verdict::Verified);
  for (int bit = 0; bit < 32; ++bit) {
    std::vector<float> result = right;
    result[2] = flipped(result[2], bit);
    EXPECT_EQ(verdict("x + 1", x, result), Verdict::Wrong) << "bit " << bit;
  }
}

TEST(Verdict, OneFlippedBitIsWrongAlsoBesideElementsThatCannotBeTold) {
  // 1 / (x - x * 1.0000001) is anything where the difference is rounding alone; 2 of 6 are told.
  const Tensor x = tensor({0.5f, -0.75f, 0.1f, 0.9f, 70000, 80000});
  std::vector<float> result;
  for (const float at : x.values) result.push_back(std::sin(at));
  EXPECT_EQ(verdict("sin(x)", x, result), Verdict::AsFarAsTold);
  const Agreement a = agreement("sin(x)", x, result);
  EXPECT_EQ(a.bounds->untold, 2u);
  EXPECT_EQ(a.bounds->within, 4u);
  for (int bit = 4; bit < 32; ++bit) {
    std::vector<float> wrong = result;
    wrong[1] = flipped(wrong[1], bit);
    EXPECT_EQ(verdict("sin(x)", x, wrong), Verdict::Wrong) << "bit " << bit;
  }
}

TEST(Verdict, ADenormalThatWasNotFlushedIsWrong) {
  const Tensor x = tensor({1, 0.5f, -1, 0.25f});
  EXPECT_EQ(verdict("x * 1e-40", x, {0, 0, -0.0f, 0}), Verdict::Verified);
  EXPECT_EQ(verdict("x * 1e-40", x, {0, 0, 0, 1e-40f * 0.25f}), Verdict::Wrong);
  EXPECT_EQ(verdict("x * 1e-20 * 1e-20", x, {0, 0, 0, 0}), Verdict::Verified);
  EXPECT_EQ(verdict("x * 1e-20 * 1e-20", x, {1e-40f, 0, 0, 0}), Verdict::Wrong);
  EXPECT_EQ(verdict("recip(x * 1e38)", x, {1e-38f > 0x1p-126f ? 1e-38f : 0, 2e-38f, 0, 4e-38f}), Verdict::Verified);
  EXPECT_EQ(verdict("recip(x * 1e38)", x, {1e-38f, 2e-38f, 0, 4e-38f}), Verdict::Wrong);
}

TEST(Verdict, ZerosOfDenormalOperandsAreVerified) {
  const Tensor x = tensor({1e-39f, -2e-39f, 0, 0x1p-127f});
  for (const char* text : {"abs(x)", "min(x, x)", "fp32(x)", "where(x < 1, x, 3)", "x * 1e30", "rowsum(x) + x * 0"})
    EXPECT_EQ(verdict(text, x, {0, 0, 0, 0}), Verdict::Verified) << text;
  EXPECT_EQ(verdict("abs(x)", x, x.values), Verdict::Wrong);
  EXPECT_EQ(verdict("where(2, 1e-40, x)", x, {0, 0, 0, 0}), Verdict::Verified);
  // Formats of 16 bits: moved tiles may have kept them.
  const Tensor half = tensor({0x1p-15f, -0x1p-16f, 0, 0x1p-20f}, Format::Fp16);
  for (const char* text : {"abs(x)", "x * 60000", "x + 0 * x"})
    EXPECT_EQ(verdict(text, half, {0, 0, 0, 0}, Format::Fp16), Verdict::Verified) << text;
  EXPECT_EQ(verdict("x * 60000", half, {1, 0, 0, 0}, Format::Fp16), Verdict::Wrong);
  EXPECT_NEAR(agreement("rowmax(x) + 0 * x", tensor({1e-39f, 5, 0, 1}), {5, 5, 5, 5}).bounds->relative, 0, 1e-6);
}

// A matrix that is stored twice on its way, as blocks: no number of a block is taken for a denormal that may be zero.
TEST(Verdict, QuotientsOfBlocksAreTold) {
  const Tensor x = tensor({0.5f, -0.25f, 0, 1}, Format::Bfp8);
  const Agreement a = agreement("exp(x) / rowsum(exp(x))", x, {0.265625f, 0.125f, 0.15625f, 0.4375f}, Format::Bfp8);
  EXPECT_EQ(a.verdict(), Verdict::Verified);
  EXPECT_EQ(a.bounds->within, 4u);
}

// All but equal sums are correlated as their rounding is: nobody can say how.
TEST(Verdict, OfSumsThatAreNearlyEqualCorrelationIsNotAskedFor) {
  const uint32_t depth = 16384;
  Tensor x{2, depth, Format::Bf16, std::vector<float>(size_t{2} * depth, 0.5f)};
  Tensor y{depth, 1, Format::Bf16, std::vector<float>(depth, 0.5f)};
  for (uint32_t k = 0; k < 40; ++k) x.values[k] = 1;
  const Graph graph = parse("x @ y", [&](std::string_view name) {
    return name == "x" ? Matrix{{2, depth}, Format::Bf16} : Matrix{{depth, 1}, Format::Bf16};
  });
  const auto judged = [&](std::vector<float> result) {
    return check(graph, {{"x", x}, {"y", y}}, {2, 1, Format::Bf16, std::move(result)}, {}).verdict();
  };
  EXPECT_NE(judged({4096, 4128}), Verdict::Wrong) << "4106 and 4096, a unit the wrong way round";
  EXPECT_EQ(judged({0, 0}), Verdict::Wrong);
}

// Found by random expressions: results of the device that were called wrong.
TEST(Verdict, OfOddNumbersIsRight) {
  // A number that one program has in FP32 and the next one in BF16, to which their difference is rounded.
  const float tenth = std::bit_cast<float>((std::bit_cast<uint32_t>(0.1f - 0.10009765625f) + 0x8000) & 0xFFFF0000);
  struct Case {
    std::string_view text;
    Tensor x;
    std::vector<float> result;
    Format format;
    Verdict verdict;
  };
  const Case cases[] = {
      {"rowsum(x) + 0 * x",
       tensor({3e38f, 3e38f, -3e38f, -3e38f}),
       {kNaN, kNaN, kNaN, kNaN},
       Format::Fp32,
       Verdict::AsFarAsTold},
      {"rowsum(x) + 0 * x", tensor({3e38f, 3e38f}), {kNaN, kNaN}, Format::Fp32, Verdict::Wrong},
      {"1 / rowmin(x) + 0 * x", tensor({-0.0f, 0.0f}), {kInf, kInf}, Format::Fp32, Verdict::AsFarAsTold},
      {"1 / x", tensor({-0.0f, 1}, Format::Bf16), {kInf, 1}, Format::Bf16, Verdict::AsFarAsTold},
      {"x * (0.1 - rowmax(0.1))",
       tensor({1, -2}, Format::Bf16),
       {tenth, -2 * tenth},
       Format::Bf16,
       Verdict::AsFarAsTold},
      {"cos(x) >= 1", tensor({0, 1}), {0, 0}, Format::Fp32, Verdict::AsFarAsTold},
      {"log2(cos(x))", tensor({1e-9f, 2e-9f}), {-1.7e-7f, -1.7e-7f}, Format::Fp32, Verdict::AsFarAsTold},
      {"max(x ** (0 / 0), x)", tensor({1, 2}, Format::Fp16), {1, 2}, Format::Fp16, Verdict::AsFarAsTold},
      {"x * sin(-3.4e38)", tensor({1, -1}), {0.5f, -0.5f}, Format::Fp32, Verdict::Wrong},
  };
  for (const Case& c : cases) EXPECT_EQ(verdict(c.text, c.x, c.result, c.format), c.verdict) << c.text;
}

TEST(Verdict, WhatIsMadeOfAnythingIsNotCalledWrong) {
  const Tensor x = tensor({1e5f, 2e5f, 3e5f, 0.5f});
  for (const float first : {0.0f, 1.0f})
    EXPECT_EQ(verdict("sin(x) < 0.3", x, {first, first, first, 0}), Verdict::AsFarAsTold) << first;
  EXPECT_EQ(verdict("sin(x) < 0.3", x, {0, 0, 0, 1}), Verdict::Wrong);
  EXPECT_EQ(verdict("sin(x) < 0.3", x, {0, 0, 2, 0}), Verdict::Wrong);
  EXPECT_EQ(verdict("rowsum(tanh(sin(x))) + 0 * x", x, {3, 3, 3, 3}), Verdict::AsFarAsTold);
}

TEST(Verdict, SpecialNumbersOfTheDocumentsAreVerified) {
  const Tensor x = tensor({1, 0.5f, -1, 0.25f});
  EXPECT_EQ(verdict("x / (x - x)", x, {kInf, kInf, -kInf, kInf}), Verdict::Verified);
  EXPECT_EQ(verdict("x * 1e38 * 10", x, {kInf, kInf, -kInf, 2.5e38f}), Verdict::Verified);
  EXPECT_EQ(verdict("max(x, 0 / 0)", x, {kNaN, kNaN, kNaN, kNaN}), Verdict::Verified);
  EXPECT_EQ(verdict("min(x, 0 / 0)", x, x.values), Verdict::Verified);
  EXPECT_EQ(verdict("1 / 0 - 1 / 0 + x", x, {kNaN, kNaN, kNaN, kNaN}), Verdict::Verified);
  EXPECT_EQ(verdict("max(x, 0 / 0)", x, x.values), Verdict::Wrong);
  EXPECT_EQ(agreement("x / (x - x)", x, {kInf, kInf, -kInf, kInf}).bounds->by_class, 4u);
}

TEST(Verdict, SquareRootsAreVerifiedWhateverTheSignsAre) {
  const Tensor x = tensor({1, 0.25f, -1, -0.25f, -3, -4});
  EXPECT_EQ(verdict("sqrt(x)", x, {1, 0.5f, kNaN, kNaN, kNaN, kNaN}), Verdict::Verified);
  EXPECT_EQ(verdict("sqrt(x)", x, {1, 0.5f, kNaN, kNaN, 1, kNaN}), Verdict::Wrong);
}

TEST(Verdict, IsWrongWhereOnlyTheWholeIsFarOff) {
  // Between two programs lies x + 100 in BF16, which keeps halves of it.
  const Tensor x = random_tensor(64, 64, Format::Bf16, 3);
  const Graph graph = parse("transpose(transpose(x + 100)) - 100", [](std::string_view) { return Shape{64, 64}; });
  Tensor result{64, 64, Format::Bf16, {}};
  for (const float at : x.values) result.values.push_back(static_cast<float>(std::round((at + 100) * 2) / 2 - 100));
  const auto judged = [&](const Tensor& r) { return check(graph, {{"x", x}}, r, {}).verdict(); };
  EXPECT_EQ(judged(result), Verdict::AsFarAsTold);
  Tensor zeros = result;
  zeros.values.assign(zeros.values.size(), 0);
  EXPECT_EQ(judged(zeros), Verdict::Wrong);
}

TEST(Constants, FoldInFp32AsTheyAreUsed) {
  const auto folded = [](std::string_view text) {
    const Graph graph = parse(text, [](std::string_view) { return Shape{}; });
    return *graph.item(graph.result()).folded;
  };
  EXPECT_EQ(folded("2 * 4").as_float, 8);
  EXPECT_EQ(folded("0.1 + 0.2").as_float, 0.1f + 0.2f);
  EXPECT_EQ(folded("0.1 + 0.2").exact, 0.1 + 0.2);
  EXPECT_EQ(folded("7 / 2").as_float, 3.5f);
  EXPECT_EQ(folded("7 / 2").as_integer, 3);
  EXPECT_EQ(folded("2 ** 2 ** 3").as_float, 256);
  EXPECT_EQ(folded("1 / 0").as_float, kInf);
  EXPECT_EQ(folded("-1 / 0").as_float, -kInf);
  EXPECT_TRUE(std::isnan(folded("0 / 0").as_float));
  EXPECT_FALSE(std::signbit(folded("0 / 0").as_float));
  EXPECT_EQ(folded("1e-30 * 1e-30").as_float, 0);
  EXPECT_EQ(folded("1e30 * 1e30").as_float, kInf);
  EXPECT_EQ(folded("0x7FFFFFFF + 1").as_integer, std::numeric_limits<int32_t>::min());
}

std::string first_program(std::string_view text, Format format = Format::Bf16) {
  const Graph graph = parse(text, [&](std::string_view) { return Matrix{{32, 32}, format}; });
  return std::get<ElementwiseStage>(stages(graph, Format::Fp32).front()).expression.text();
}

TEST(Constants, AreNoPartOfAProgram) {
  EXPECT_EQ(first_program("x + 2 * 4"), "add($0, 8)");
  EXPECT_EQ(first_program("x * (7 / 2)"), "mul($0, 3.5)");
  EXPECT_EQ(first_program("x * (7 / 2)", Format::Int32), "mul($0, 3)");
}

TEST(Powers, OfWholeExponentsAreProducts) {
  EXPECT_EQ(first_program("x ** 2"), "square($0)");
  EXPECT_EQ(first_program("x ** (2 * 4)"), first_program("x ** 8"));
  EXPECT_EQ(first_program("x ** 2 ** 3"), first_program("x ** 8"));
  EXPECT_EQ(first_program("x ** 8"), "square(square(square($0)))");
  EXPECT_EQ(first_program("x ** 5"), "mul(square(square($0)), $0)");
  EXPECT_EQ(first_program("x ** 0.5"), "pow($0, 0.5)");
  EXPECT_EQ(first_program("x ** -2"), "pow($0, -2)");
  EXPECT_EQ(first_program("x ** 65"), "pow($0, 65)");
}

TEST(Stages, AnExpressionOfTooManyRepeatedOperandsIsSplit) {
  for (const char* text : {"exp(row * a) * sin(b * column) + c * d - tanh(row * a)",
                           "max(a, row) * min(b, column) + where(c, d, row) * (a + one) - rowsum(a * b) * (a * b)",
                           "a + b + c + d + e + row * column * one"}) {
    const Graph graph = parse(text, [](std::string_view name) {
      return name == "row"      ? Shape{1, 64}
             : name == "column" ? Shape{64, 1}
             : name == "one"    ? Shape{1, 1}
                                : Shape{64, 64};
    });
    for (const Format format : {Format::Fp32, Format::Bf16, Format::Fp16}) {
      for (const Stage& stage : stages(graph, format)) {
        if (const auto* one = std::get_if<ElementwiseStage>(&stage)) {
          EXPECT_LE(one->operands.size(), kernels::most_operands(one->formats)) << text;
        }
      }
    }
  }
}

// A sum by hand: 33 products of 1 x 1 in BF16, then of 1 x 2^-8, of which Dst keeps nothing but halves.
TEST(DstSum, RoundsAsTheMatrixUnitDoes) {
  kernels::MatmulOptions options{.fidelity = kernels::Fidelity::HiFi4};
  const DstSum narrow(options);
  const auto sum = [](const DstSum& dst, std::vector<double> a, std::vector<double> b) {
    return dst.sum(dst.cells(a), dst.cells(b));
  };
  EXPECT_EQ(sum(narrow, std::vector<double>(32, 1), std::vector<double>(32, 1)), 32);
  std::vector<double> a(64, 0.0), b(64, 1.0);
  a[0] = 256, a[32] = 1;  // half a unit: away from zero
  EXPECT_EQ(sum(narrow, a, b), 258);
  a[32] = 0.5;
  EXPECT_EQ(sum(narrow, a, b), 256);
  options.fp32_accumulate = true;
  a[32] = 1;
  EXPECT_EQ(sum(DstSum(options), a, b), 257);
  EXPECT_EQ(sum(DstSum({.fidelity = kernels::Fidelity::LoFi, .fp32_accumulate = true}), {1.0625 + 0x1p-7}, {1.0}),
            1.0625);
}

}  // namespace
}  // namespace kerr::graph
