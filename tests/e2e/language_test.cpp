// What the words of NumPy's users compute on the device, beside what NumPy would have computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "host/device/emulated_device.hpp"

namespace kerr::graph {
namespace {

struct World {
  host::EmulatedDevice device;
  host::Chip chip{device};
};
World& world() {
  static World world;
  return world;
}

struct Case {
  Graph graph;
  Inputs inputs;
  RunOptions options;
  Tensor result;

  const Tensor& operator[](std::string_view name) const { return inputs.find(name)->second; }
};

using Matrices = std::map<std::string, Matrix, std::less<>>;

Case computed(std::string_view text, const Matrices& matrices, Format format, float low = -1, float high = 1) {
  Case c{.graph = parse(text,
                        [&](std::string_view name) -> Matrix {
                          const auto found = matrices.find(name);
                          if (found == matrices.end()) throw std::invalid_argument("there is no such matrix");
                          return found->second;
                        }),
         .inputs = {},
         .options = {.format = format},
         .result = {}};
  uint64_t seed = 11;
  for (const auto& [name, matrix] : matrices)
    c.inputs.emplace(name, random_tensor(matrix.shape.rows, matrix.shape.columns, matrix.format.value_or(format), low,
                                         high, seed++));
  c.result = run(c.graph, c.inputs, world().chip, c.options);
  EXPECT_TRUE(check(c.graph, c.inputs, c.result, c.options).good()) << text;
  return c;
}

using At = std::function<double(const Case&, uint32_t row, uint32_t column)>;
void expect_elements(const Case& c, Shape shape, const At& at, const std::string& what) {
  ASSERT_EQ((Shape{c.result.rows, c.result.columns}), shape) << what;
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t column = 0; column < shape.columns; ++column)
      ASSERT_EQ(c.result.at(row, column), at(c, row, column)) << what << " at " << row << ", " << column;
}

TEST(LanguageOnTheDevice, SlicesAndSingleRowsAreThoseElements) {
  const struct {
    const char* text;
    Shape shape;
    At at;
  } all[] = {
      {"x[32:40, 64:]", {8, 37}, [](const Case& c, uint32_t i, uint32_t j) { return c["x"].at(32 + i, 64 + j); }},
      {"x[:, 0:50]", {70, 50}, [](const Case& c, uint32_t i, uint32_t j) { return c["x"].at(i, j); }},
      {"x[-6:] + 0", {6, 101}, [](const Case& c, uint32_t i, uint32_t j) { return c["x"].at(64 + i, j); }},
      {"x[5]", {1, 101}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(5, j); }},
      {"x[69]", {1, 101}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(69, j); }},
      {"x[64]", {1, 101}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(64, j); }},
      {"x[:, 37]", {1, 70}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(j, 37); }},
      {"x[33, 100]", {1, 1}, [](const Case& c, uint32_t, uint32_t) { return c["x"].at(33, 100); }},
      {"x[5][32:64]", {1, 32}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(5, 32 + j); }},
      {"x[:, 37][-1]", {1, 1}, [](const Case& c, uint32_t, uint32_t) { return c["x"].at(69, 37); }},
      {"x[:, 37][:, None]", {70, 1}, [](const Case& c, uint32_t i, uint32_t) { return c["x"].at(i, 37); }},
      {"x[0:40].sum(axis=0) * 0 + x[7]", {1, 101}, [](const Case& c, uint32_t, uint32_t j) { return c["x"].at(7, j); }},
  };
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Bfp8}) {
    for (const auto& [text, shape, at] : all) {
      // A sum of eight bits' numbers has no eight bits.
      if (format == Format::Bfp8 && std::string_view(text).find('+') != std::string_view::npos) continue;
      expect_elements(computed(text, {{"x", {{70, 101}}}}, format), shape, at,
                      fmt::format("{} of {}", text, kernels::info(format).name));
    }
  }
}

// What lies beside a part in its tiles belongs to the rest of the matrix, and must not be added up.
TEST(LanguageOnTheDevice, ASliceHasNothingOfItsNeighbours) {
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Bfp8}) {
    const Case c = computed("max(x[0:40, 0:33])", {{"x", {{70, 101}}}}, format, -3, -1);
    double largest = -100;
    for (uint32_t i = 0; i < 40; ++i)
      for (uint32_t j = 0; j < 33; ++j) largest = std::max(largest, c["x"].at(i, j));
    EXPECT_EQ(c.result.at(0, 0), largest) << kernels::info(format).name;
  }
}

TEST(LanguageOnTheDevice, MatricesAreJoinedAndRepeated) {
  const Matrices of{{"a", {{64, 96}}}, {"b", {{32, 96}}}, {"c", {{64, 32}}}, {"row", {{1, 96}}}, {"other", {{1, 96}}}};
  const auto used = [&](std::initializer_list<const char*> names) {
    Matrices some;
    for (const char* name : names) some.emplace(name, of.find(name)->second);
    return some;
  };
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    expect_elements(
        computed("concatenate((a, b), axis=0)", used({"a", "b"}), format), {96, 96},
        [](const Case& c, uint32_t i, uint32_t j) { return i < 64 ? c["a"].at(i, j) : c["b"].at(i - 64, j); }, "a, b");
    expect_elements(
        computed("hstack([c, a, c])", used({"a", "c"}), format), {64, 160},
        [](const Case& c, uint32_t i, uint32_t j) {
          return j < 32 ? c["c"].at(i, j) : j < 128 ? c["a"].at(i, j - 32) : c["c"].at(i, j - 128);
        },
        "c, a, c");
    expect_elements(
        computed("vstack((row, other, row))", used({"row", "other"}), format), {3, 96},
        [](const Case& c, uint32_t i, uint32_t j) { return c[i == 1 ? "other" : "row"].at(0, j); }, "rows");
    expect_elements(
        computed("tile(c, (2, 3))", used({"c"}), format), {128, 96},
        [](const Case& c, uint32_t i, uint32_t j) { return c["c"].at(i % 64, j % 32); }, "tile");
    expect_elements(
        computed("tril(a, -1)", used({"a"}), format), {64, 96},
        [](const Case& c, uint32_t i, uint32_t j) { return j < i ? c["a"].at(i, j) : 0; }, "tril");
  }
}

TEST(LanguageOnTheDevice, PlacesOfMaximaAreTheFirstOnes) {
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Bfp8}) {  // of which many numbers are equal
    const Case by_row = computed("argmax(x, axis=1)", {{"x", {{45, 70}}}}, format);
    const Case by_column = computed("x.argmin(axis=0)", {{"x", {{45, 70}}}}, format);
    const Case of_all = computed("argmax(x)", {{"x", {{45, 70}}}}, format);
    expect_elements(
        by_row, {1, 45},
        [](const Case& c, uint32_t, uint32_t row) {
          uint32_t best = 0;
          for (uint32_t j = 1; j < 70; ++j) best = c["x"].at(row, j) > c["x"].at(row, best) ? j : best;
          return best;
        },
        "argmax");
    expect_elements(
        by_column, {1, 70},
        [](const Case& c, uint32_t, uint32_t column) {
          uint32_t best = 0;
          for (uint32_t i = 1; i < 45; ++i) best = c["x"].at(i, column) < c["x"].at(best, column) ? i : best;
          return best;
        },
        "argmin");
    const std::vector<float>& values = of_all["x"].values;
    EXPECT_EQ(of_all.result.at(0, 0), std::ranges::max_element(values) - values.begin());
  }
}

TEST(LanguageOnTheDevice, IntegersAreDividedAndComparedAsInPython) {
  const Matrices of{{"n", {{45, 70}, Format::Int32}}, {"m", {{45, 70}, Format::Int8}}};
  const auto floored = [](double n, double m) { return std::floor(n / m); };
  expect_elements(
      computed("n // (m * 2 + 1)", of, Format::Bf16, -100, 100), {45, 70},
      [&](const Case& c, uint32_t i, uint32_t j) { return floored(c["n"].at(i, j), c["m"].at(i, j) * 2 + 1); }, "//");
  expect_elements(
      computed("n % (m * 2 + 1)", of, Format::Bf16, -100, 100), {45, 70},
      [&](const Case& c, uint32_t i, uint32_t j) {
        const double n = c["n"].at(i, j), m = c["m"].at(i, j) * 2 + 1;
        return n - m * floored(n, m);
      },
      "%");
  expect_elements(
      computed("-20 < n <= m and not n % 2", of, Format::Bf16, -100, 100), {45, 70},
      [](const Case& c, uint32_t i, uint32_t j) {
        const double n = c["n"].at(i, j);
        return -20 < n && n <= c["m"].at(i, j) && std::fmod(n, 2) == 0;
      },
      "chain");
}

TEST(LanguageOnTheDevice, ComparisonsOfFloatsAndIntegersAreJoined) {
  const Matrices of{{"n", {{45, 70}, Format::Int32}}, {"x", {{45, 70}, Format::Fp32}}};
  expect_elements(
      computed("(n > 3) & (x > 0) | ~(x < 50)", of, Format::Fp32, -100, 100), {45, 70},
      [](const Case& c, uint32_t i, uint32_t j) {
        return (c["n"].at(i, j) > 3 && c["x"].at(i, j) > 0) || !(c["x"].at(i, j) < 50);
      },
      "joined");
  expect_elements(
      computed("x if x > 0 and n > 0 else -1", of, Format::Fp32, -100, 100), {45, 70},
      [](const Case& c, uint32_t i, uint32_t j) {
        return c["x"].at(i, j) > 0 && c["n"].at(i, j) > 0 ? c["x"].at(i, j) : -1;
      },
      "choice");
}

TEST(LanguageOnTheDevice, InfinityAndNaNAreFound) {
  const Matrices of{{"x", {{32, 70}}}};
  expect_elements(
      computed("isnan(where(x > 0.5, nan, where(x < -0.5, -inf, x)))", of, Format::Fp32), {32, 70},
      [](const Case& c, uint32_t i, uint32_t j) { return c["x"].at(i, j) > 0.5; }, "isnan");
  expect_elements(
      computed("isfinite(where(x > 0.5, nan, where(x < -0.5, -inf, x)))", of, Format::Fp32), {32, 70},
      [](const Case& c, uint32_t i, uint32_t j) { return std::abs(c["x"].at(i, j)) <= 0.5; }, "isfinite");
}

TEST(LanguageOnTheDevice, SumsVariancesAndRunningSumsAreVerified) {
  const Matrices of{{"x", {{45, 70}}}};
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    for (const char* text : {"x.mean(axis=1)", "x.std(axis=1, keepdims=True, ddof=1)", "var(x)", "norm(x, axis=0)",
                             "cumsum(x, axis=1)", "x.cumsum(0)", "log_softmax(x * 3)", "softmax(x, axis=0)", "trace(x)",
                             "any(x > 0.99, axis=1)", "x % 0.3", "x // 0.3", "2 * pi * x + e", "linear(x, x)"})
      computed(text, of, format);
  }
}

// Chains of operands that are repeated, in which every program but the last one leaves its result in memory.
TEST(LanguageOnTheDevice, ExpressionsOfManyOperandsAreVerified) {
  std::mt19937_64 bits(7);
  for (int round = 0; round < 12; ++round) {
    Matrices of{{"x0", {{45, 70}}}};
    std::string text = "x0";
    const int count = 5 + static_cast<int>(bits() % 12);
    for (int i = 1; i < count; ++i) {
      const uint64_t kind = bits() % 3;
      const std::string name = fmt::format("{}{}", kind == 0 ? "x" : kind == 1 ? "row" : "column", i);
      of.emplace(name, Shape{kind == 1 ? 1u : 45u, kind == 2 ? 1u : 70u});
      text = bits() % 3 == 0 ? fmt::format("where({} > 0, {}, {})", name, text, name)
                             : fmt::format("({}) {} {}", text, bits() % 2 == 0 ? "+" : "*", name);
    }
    for (const Format format : {Format::Fp32, Format::Bf16, Format::Fp16}) {
      const Case c = computed(text, of, format);
      const Agreement agreement = check(c.graph, c.inputs, c.result, c.options);
      EXPECT_EQ(agreement.bounds->outside, 0u) << text;
    }
  }
}

}  // namespace
}  // namespace kerr::graph
