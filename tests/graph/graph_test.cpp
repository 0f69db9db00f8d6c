#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graph/bounds.hpp"
#include "graph/check.hpp"
#include "graph/encode.hpp"
#include "graph/evaluate.hpp"
#include "graph/float64_product.hpp"
#include "graph/packer_rounding.hpp"
#include "graph/parallel.hpp"
#include "graph/parse.hpp"
#include "graph/random.hpp"
#include "graph/stages.hpp"
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
    EXPECT_EQ(tiles.size(), 12u * tile_bytes(format.format));
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
    Tensor t{1, static_cast<uint32_t>(row.size()), format, std::move(row)};
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

TEST(Formats, IntegersAreExact) {
  const std::vector<int32_t> edges{0, 1, -1, 127, 128, -128, 0x7FFFFFFF, -0x7FFFFFFF - 1, 16777217, -16777217};
  const Tensor t = integer_tensor(1, static_cast<uint32_t>(edges.size()), edges);
  Tensor back{t.rows, t.columns, Format::Int32, {}};
  from_tiles(to_tiles(t, 1, 1), 1, back);
  EXPECT_EQ(back.integers, edges);
  EXPECT_EQ(back.at(0, 8), 16777217.0);
}

// The known answer of the published generator for counter 0 and key 0.
TEST(Random, IsThreefry) {
  EXPECT_EQ(threefry(0, 0), 0x6b200159u);
  EXPECT_NE(threefry(1, 0), threefry(0, 1));
}

TEST(Check, AcceptsTheRoundedProductAndRefusesOneWrongElement) {
  const Tensor a = random_tensor(64, 96, Format::Bf16, 1), b = random_tensor(96, 80, Format::Bf16, 2);
  Tensor c{64, 80, Format::Bf16, std::vector<float>(64 * 80)};
  for (uint32_t i = 0; i < 64; ++i) {
    for (uint32_t j = 0; j < 80; ++j) {
      double sum = 0;
      for (uint32_t k = 0; k < 96; ++k) sum += double{a.at(i, k)} * b.at(k, j);
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

TEST(Check, LooksAtEveryElementOnAnyNumberOfThreads) {
  const Tensor a = random_tensor(300, 40, Format::Bf16, 1), b = random_tensor(40, 1700, Format::Bf16, 2);
  Tensor c{300, 1700, Format::Fp32, std::vector<float>(300 * 1700)};
  std::vector<double> exact(c.values.size());
  multiply<float>({a.values.data(), 40, 300, 40}, {b.values.data(), 1700, 40, 1700}, exact.data());
  std::copy(exact.begin(), exact.end(), c.values.begin());
  const Agreement one = check_matmul(a, b, c, 1);
  EXPECT_TRUE(one.good());
  EXPECT_EQ(one.checked_rows, 300u);
  for (const unsigned threads : {2u, 3u, 7u}) {
    const Agreement many = check_matmul(a, b, c, threads);
    EXPECT_EQ(many.pcc, one.pcc);
    EXPECT_EQ(many.relative_error, one.relative_error);
    EXPECT_EQ(many.max_error, one.max_error);
  }
  for (const size_t wrong : {size_t{0}, size_t{1699}, c.values.size() / 2, c.values.size() - 1}) {
    Tensor other = c;
    other.values[wrong] += 1;
    EXPECT_FALSE(check_matmul(a, b, other).good()) << wrong;
  }
}

TEST(Check, ComparesWhatAnEpilogueMakesOfTheSums) {
  const Tensor a = random_tensor(33, 20, Format::Bf16, 1), b = random_tensor(20, 50, Format::Bf16, 2);
  Tensor c{33, 50, Format::Fp32, std::vector<float>(33 * 50)};
  std::vector<double> exact(c.values.size());
  multiply<float>({a.values.data(), 20, 33, 20}, {b.values.data(), 50, 20, 50}, exact.data());
  for (size_t i = 0; i < exact.size(); ++i)
    c.values[i] = static_cast<float>(2 * exact[i] + 100.0 * static_cast<double>(i / 50) + static_cast<double>(i % 50));
  const auto finish = [](double sum, uint32_t row, uint32_t column) { return 2 * sum + 100 * row + column; };
  EXPECT_TRUE(check_matmul(a, b, c, 0, {finish}).good());
  EXPECT_FALSE(check_matmul(a, b, c).good());
}

// Sums in BF16, of which most are so large that tanh leaves nothing of their errors.
TEST(Check, KnowsHowFarAnEpilogueCanBeOff) {
  const Tensor a = random_tensor(96, 200, Format::Bf16, 1), b = random_tensor(200, 130, Format::Bf16, 2);
  std::vector<double> sums(96 * 130);
  multiply<float>({a.values.data(), 200, 96, 200}, {b.values.data(), 130, 200, 130}, sums.data());
  const auto finish = [](double sum, uint32_t, uint32_t) { return std::tanh(sum); };
  const auto bf16 = [](double x) { return bf16_to_float(float_to_bf16(static_cast<float>(x))); };
  Tensor c{96, 130, Format::Bf16, {}};
  for (const double sum : sums) c.values.push_back(bf16(std::tanh(bf16(sum))));
  const auto agreement = [&] { return check_matmul(a, b, c, 0, {finish, Format::Bf16}); };
  EXPECT_TRUE(agreement().good());
  // What may happen to a sum near zero is wrong where tanh is flat.
  const auto flat = static_cast<size_t>(std::ranges::find_if(sums, [](double sum) { return sum > 6; }) - sums.begin());
  c.values[flat] -= 0.05f;
  EXPECT_EQ(agreement().outside, 1u);
  EXPECT_FALSE(agreement().good());
}

// An infinity of either sign and NaN have no error that could stand out: what each must be, its bounds say.
TEST(Check, OnlyBoundsJudgeWhatAnEpilogueMakesNoNumber) {
  const Tensor a = random_tensor(32, 64, Format::Bf16, 1), b = random_tensor(64, 32, Format::Bf16, 2);
  std::vector<double> sums(32 * 32);
  multiply<float>({a.values.data(), 64, 32, 64}, {b.values.data(), 32, 64, 32}, sums.data());
  const Graph graph = parse("where(x > 1, 1 / 0, x)", [](std::string_view) { return Shape{32, 32}; });
  const kernels::Expression expression = std::get<ElementwiseStage>(stages(graph, Format::Fp32).front()).expression;
  const Finish finish{
      [&](double sum, uint32_t, uint32_t) { return evaluate(expression, std::array{sum}); }, Format::Fp32,
      evaluate(expression, std::array{0.0}),
      [&](const Bounded& sum, uint32_t, uint32_t) { return graph::apply(expression, std::array{sum}); }};
  Tensor c{32, 32, Format::Fp32, {}};
  for (const double sum : sums) c.values.push_back(static_cast<float>(evaluate(expression, std::array{sum})));
  const auto agreement = [&](const Tensor& of) {
    return check_matmul(a, b, of, 0, finish, 1, {.fidelity = kernels::Fidelity::HiFi4, .fp32_accumulate = true});
  };
  const Agreement right = agreement(c);
  EXPECT_TRUE(right.good());
  EXPECT_TRUE(std::isfinite(right.pcc));
  const auto at = [&](auto&& is) { return static_cast<size_t>(std::ranges::find_if(sums, is) - sums.begin()); };
  const size_t infinite = at([](double sum) { return sum > 3; }), finite = at([](double sum) { return sum < -1; });
  for (const auto& [index, value] : {std::pair{infinite, 5.f},
                                     {infinite, -std::numeric_limits<float>::infinity()},
                                     {finite, std::numeric_limits<float>::infinity()},
                                     {finite, 5.f}}) {
    Tensor wrong = c;
    wrong.values[index] = value;
    EXPECT_FALSE(agreement(wrong).good()) << value;
  }
}

// Sums of few bits of which FP16 holds all but one or two: these do not stand out because they are rounded.
TEST(Check, ASingleRoundingDoesNotStandOut) {
  const Tensor a = random_tensor(33, 65, Format::Bfp4, 1), b = random_tensor(65, 31, Format::Bfp4, 2);
  std::vector<double> sums(33 * 31);
  multiply<float>({a.values.data(), 65, 33, 65}, {b.values.data(), 31, 65, 31}, sums.data());
  Tensor c{33, 31, Format::Fp16, std::vector<float>(sums.begin(), sums.end())};
  const auto good = [&](float off) {
    Tensor other = c;
    other.values[500] += off;
    return check_matmul(a, b, other, 0, {}, 1, {.fp32_accumulate = true}).good();
  };
  EXPECT_TRUE(good(0));
  EXPECT_TRUE(good(std::ldexp(1.f, std::ilogb(c.values[500]) - 11)));
  EXPECT_FALSE(good(0.25f));
}

TEST(Formats, ThePackerCutsOffWhereTheHostRounds) {
  std::array<double, 16> four{4, 1.4, -0.6, 0.4, 3.9, -3.9, 7.99}, eight = four;
  round_as_packed(four, Format::Bfp4);
  EXPECT_EQ(four, (std::array<double, 16>{4, 1, 0, 0, 3, -3, 7}));
  round_as_packed(eight, Format::Bfp8);
  EXPECT_EQ(eight, (std::array<double, 16>{4, 1.375, -0.625, 0.375, 3.875, -3.875, 7.9375}));
}

// Results in BFP4 of sums that are a little off.
class CheckOfFourBits : public testing::Test {
 protected:
  static constexpr uint32_t kRows = 64, kColumns = 100;

  void make(const Finish& finish) {
    finish_ = finish;
    std::vector<double> sums(kRows * kColumns);
    multiply<float>({a_.values.data(), 96, kRows, 96}, {b_.values.data(), kColumns, 96, kColumns}, sums.data());
    const Tensor noise = random_tensor(kRows, kColumns, Format::Fp32, 3);
    c_ = {kRows, kColumns, Format::Bfp4, std::vector<float>(sums.size())};
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t first = 0; first < kColumns; first += 16) {
        std::array<double, 16> numbers;
        numbers.fill(finish.padding);
        const uint32_t count = std::min(16u, kColumns - first);
        for (uint32_t j = 0; j < count; ++j) {
          const size_t i = row * kColumns + first + j;
          numbers[j] = finish.element(sums[i] + 0.005 * noise.values[i], row, first + j);
        }
        round_as_packed(numbers, Format::Bfp4);
        for (uint32_t j = 0; j < count; ++j) c_.values[row * kColumns + first + j] = static_cast<float>(numbers[j]);
      }
    }
  }
  // Without an epilogue as with one that does nothing.
  bool good(const Tensor& c, bool with = true) const {
    return check_matmul(a_, b_, c, 0, with ? finish_ : Finish{}).good();
  }

  const Tensor a_ = random_tensor(kRows, 96, Format::Bf16, 1), b_ = random_tensor(96, kColumns, Format::Bf16, 2);
  Finish finish_;
  Tensor c_;
};

TEST_F(CheckOfFourBits, AllowsWhatRoundingExplainsAndNothingElse) {
  const std::vector<std::function<double(double)>> epilogues{
      [](double x) { return x; },
      [](double x) { return std::max(x, 0.0); },
      [](double x) { return std::tanh(x); },
      [](double x) { return 1 / (1 + std::exp(-x)); },
      [](double x) { return x * x; },
      [](double x) { return std::sqrt(std::abs(x)); },  // PCC 0.97
      [](double x) { return std::exp(x); },
      [](double x) { return std::exp(-x * x); },
      [](double x) { return 1 + 0.001 * x; },  // of which next to nothing is left
      [](double x) { return x / (1 + std::exp(-x)); },
  };
  for (size_t e = 0; e < epilogues.size(); ++e) {
    const auto& f = epilogues[e];
    make({[&](double sum, uint32_t, uint32_t) { return f(sum); }, Format::Fp32, f(0)});
    EXPECT_TRUE(good(c_)) << e;
    EXPECT_TRUE(e != 0 || good(c_, false));
    const auto refused = [&](const char* what, const auto& mutate) {
      Tensor wrong = c_;
      mutate(wrong.values);
      EXPECT_FALSE(good(wrong)) << what << " of " << e;
      EXPECT_FALSE(e == 0 && good(wrong, false)) << what;
    };
    const auto largest =
        std::ranges::max_element(c_.values, [](float x, float y) { return std::abs(x) < std::abs(y); });
    const auto at = largest - c_.values.begin();
    refused("one element two steps off", [&](std::vector<float>& v) { v[at] -= v[at] / 2; });
    refused("the sign of one", [&](std::vector<float>& v) { v[at] = -v[at]; });
    refused("nothing in a row of a face",
            [](std::vector<float>& v) { std::fill_n(v.begin() + 5 * kColumns, 16, 0.f); });
    refused("NaN", [](std::vector<float>& v) { v[77] = std::numeric_limits<float>::quiet_NaN(); });
    if (e == 8) continue;  // rows are all the same there
    refused("two rows exchanged",
            [](std::vector<float>& v) { std::swap_ranges(v.begin(), v.begin() + kColumns, v.begin() + 9 * kColumns); });
  }
}

// Products of floats are exact in float64, so the order in which they are added up decides every bit.
template <class T>
void expect_products_in_order(size_t rows, size_t depth, size_t columns) {
  const auto numbers = [](size_t count, uint64_t seed) {
    const Tensor t = random_tensor(1, static_cast<uint32_t>(count), Format::Fp32, seed);
    return std::vector<T>(t.values.begin(), t.values.end());
  };
  const std::vector<T> left = numbers(rows * depth, 1), right = numbers(depth * columns, 2);
  std::vector<double> product(rows * columns, -1);
  multiply<T>({left.data(), depth, rows, depth}, {right.data(), columns, depth, columns}, product.data());
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += double{left[row * depth + k]} * double{right[k * columns + column]};
      ASSERT_EQ(product[row * columns + column], sum) << rows << " x " << depth << " x " << columns;
    }
  }
}

TEST(Float64Product, AddsUpInTheOrderOfKForEveryShape) {
  for (const size_t rows : {1u, 7u, 8u, 9u, 33u}) {
    for (const size_t columns : {1u, 23u, 24u, 25u, 100u}) {
      for (const size_t depth : {1u, 31u, 512u, 1025u}) expect_products_in_order<float>(rows, depth, columns);
    }
  }
  expect_products_in_order<double>(17, 600, 49);
}

TEST(Parallel, DoesEachPieceOnceAndThrowsAgain) {
  for (const unsigned threads : {0u, 1u, 5u}) {
    std::vector<std::atomic<int>> done(1000);
    parallel(done.size(), threads, [&](size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    EXPECT_THROW(parallel(10, threads,
                          [](size_t i) {
                            if (i == 3) throw std::runtime_error("three");
                          }),
                 std::runtime_error);
  }
  parallel(0, 4, [](size_t) { FAIL(); });
}

TEST(RandomTensor, DependsOnTheSeedOnly) {
  EXPECT_EQ(hash(random_tensor(10, 10, Format::Bf16, 3)), hash(random_tensor(10, 10, Format::Bf16, 3)));
  EXPECT_NE(hash(random_tensor(10, 10, Format::Bf16, 3)), hash(random_tensor(10, 10, Format::Bf16, 4)));
}

}  // namespace
}  // namespace kerr::graph
