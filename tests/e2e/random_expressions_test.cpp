// Expressions that nobody thought of: no element outside its bound, and the same on one core and on all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "host/device/emulated_device.hpp"

namespace kerr::graph {
namespace {

constexpr Shape kShape{45, 70};

class RandomExpression {
 public:
  RandomExpression(uint64_t seed, bool integers, bool special) : bits_(seed), integers_(integers), special_(special) {}

  // An expression of kShape, or of a shape that is repeated to it.
  std::string text(int depth) {
    if (depth == 0) return leaf();
    const uint64_t kind = bits_() % 10;
    if (kind == 0)
      return fmt::format("{}({})", pick({"rowsum", "colsum", "rowmax", "colmin", "sum", "max"}), text(depth - 1));
    if (kind == 1) return fmt::format("transpose(transpose({}))", text(depth - 1));
    const kernels::OperationInfo& what = operation();
    std::string out = fmt::format("{}(", what.name);
    for (uint32_t i = 0; i < what.sources; ++i)
      out += (i != 0 ? ", " : "") + text(static_cast<int>(bits_() % static_cast<uint64_t>(depth)));
    return out + ")";
  }

 private:
  std::string pick(std::vector<std::string> of) { return of[bits_() % of.size()]; }
  std::string leaf() {
    if (integers_) return pick({"n", "m", "row", "column", "3", "7", "iota(45, 70)", "random(45, 70, 3)"});
    if (special_ && bits_() % 2 == 0)
      return pick({"0", "0 / 0", "1 / 0", "-1 / 0", "-(0 / 0)", "3e38", "-3.4e38", "1e-38", "1e-40", "n * 1e38",
                   "m * 1e-38", "n * 1e30 * m", "m / (n - n)", "2 ** 7", "(n > 0)"});
    return pick({"n", "m", "n * m", "row", "column", "0.75", "-1.5"});
  }
  const kernels::OperationInfo& operation() {
    using kernels::OperationTypes;
    while (true) {
      const kernels::OperationInfo& what = kernels::operations()[bits_() % kernels::operations().size()];
      const bool takes = integers_ ? what.types != OperationTypes::Float && what.types != OperationTypes::ToFloat
                                   : what.types != OperationTypes::Integer;
      if (takes) return what;
    }
  }

  std::mt19937_64 bits_;
  bool integers_, special_;
};

struct Outcome {
  int ran = 0, refused = 0;
  int vague = 0;  // of those that ran: more than half of the elements may be anything
  int wrong = 0;
};

Outcome try_some(Format format, uint64_t first, uint64_t count, bool special = false) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  Outcome outcome;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const bool integers = kernels::is_integer(format);
    const std::string text = RandomExpression(seed, integers, special).text(3);
    const std::map<std::string, Shape, std::less<>> shapes{
        {"n", kShape}, {"m", kShape}, {"row", {1, kShape.columns}}, {"column", {kShape.rows, 1}}};
    Inputs inputs;
    uint64_t tensor = 4 * seed;
    for (const auto& [name, shape] : shapes)
      inputs[name] =
          random_tensor(shape.rows, shape.columns, format, integers ? -100 : -3, integers ? 100 : 3, tensor++);
    const RunOptions options{.format = format}, one{.format = format, .cores = 1};
    try {
      const Graph graph = parse(text, [&](std::string_view name) { return Matrix{shapes.find(name)->second, format}; });
      const Tensor all = run(graph, inputs, chip, options);
      const Agreement agreement = check(graph, inputs, all, options);
      EXPECT_EQ(agreement.bounds->outside, 0u) << text << " in " << kernels::info(format).name;
      EXPECT_EQ(hash(run(graph, inputs, chip, one)), hash(all)) << text << " in " << kernels::info(format).name;
      ++outcome.ran;
      if (2 * agreement.bounds->untold > agreement.bounds->elements) ++outcome.vague;
      if (agreement.verdict() != Verdict::Wrong) continue;
      ++outcome.wrong;
      if (special)
        ADD_FAILURE() << text << " in " << kernels::info(format).name << ": PCC " << agreement.pcc
                      << ", relative error " << agreement.relative_error;
    } catch (const std::invalid_argument& refusal) {
      ++outcome.refused;
      EXPECT_GT(std::string_view(refusal.what()).size(), 20u);
    }
  }
  return outcome;
}

uint64_t how_many() {
  const char* more = std::getenv("KERR_RANDOM_EXPRESSIONS");
  return more ? std::strtoull(more, nullptr, 10) : 100;
}

class RandomExpressions : public testing::TestWithParam<Format> {};

TEST_P(RandomExpressions, AreWithinTheirBoundsAndTheSameOnOneCoreAndOnAll) {
  const Outcome outcome = try_some(GetParam(), 1, how_many());
  RecordProperty("ran", outcome.ran);
  EXPECT_GT(outcome.ran, 2 * (outcome.refused + outcome.vague));
}
INSTANTIATE_TEST_SUITE_P(Formats, RandomExpressions,
                         testing::Values(Format::Fp32, Format::Bf16, Format::Fp16, Format::Bfp8, Format::Int32,
                                         Format::Int16),
                         [](const auto& format) { return std::string(kernels::info(format.param).name); });

// Infinity, NaN, denormals and what is near the largest number.
class RandomExpressionsOfSpecialNumbers : public testing::TestWithParam<Format> {};

TEST_P(RandomExpressionsOfSpecialNumbers, AreNeverCalledWrong) {
  const Outcome outcome = try_some(GetParam(), 100'000, how_many(), true);
  fmt::print("{}: {} ran, {} refused, {} mostly not told, {} wrong\n", kernels::info(GetParam()).name, outcome.ran,
             outcome.refused, outcome.vague, outcome.wrong);
  EXPECT_GT(outcome.ran, 2 * outcome.refused);
  EXPECT_LT(outcome.vague, outcome.ran / 4);
}
INSTANTIATE_TEST_SUITE_P(Formats, RandomExpressionsOfSpecialNumbers,
                         testing::Values(Format::Fp32, Format::Bf16, Format::Fp16),
                         [](const auto& format) { return std::string(kernels::info(format.param).name); });

}  // namespace
}  // namespace kerr::graph
