// Expressions over matrices of any shape: verified against float64, and the same bits however they are run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"

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
};

using Matrices = std::map<std::string, Matrix, std::less<>>;

Case make(std::string_view text, const Matrices& matrices, Format format, float low = -1, float high = 1) {
  Case made{parse(text, [&](std::string_view name) { return matrices.find(name)->second; }), {}};
  uint64_t seed = 11;
  for (const auto& [name, matrix] : matrices) {
    const Format own = matrix.format.value_or(format);
    made.inputs.emplace(name, random_tensor(matrix.shape.rows, matrix.shape.columns, own, low, high, seed++));
  }
  return made;
}

Tensor run(const Case& c, RunOptions options, std::vector<StageReport>* reports = nullptr) {
  return graph::run(c.graph, c.inputs, world().chip, options, reports);
}

TEST(Eval, TailsOfRowsAndColumnsAreRight) {
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    for (const Shape shape : {Shape{1, 1}, {1, 33}, {31, 5}, {33, 65}, {100, 7}}) {
      const Case c = make("x * y + 0.25", {{"x", {shape}}, {"y", {shape}}}, format);
      const Tensor result = run(c, {.format = format});
      ASSERT_EQ(result.values.size(), size_t{shape.rows} * shape.columns);
      EXPECT_TRUE(check(c.graph, c.inputs, result, {.format = format}).good()) << shape.text();
    }
  }
}

TEST(Eval, OneCoreAndManyComputeTheSameBits) {
  const Case c = make("sigmoid(x) * y", {{"x", {{200, 300}}}, {"y", {{200, 300}}}}, Format::Fp32, -5, 5);
  const Tensor one = run(c, {.format = Format::Fp32, .cores = 1});
  EXPECT_EQ(one.values, run(c, {.format = Format::Fp32, .cores = 7}).values);
  EXPECT_EQ(one.values, run(c, {.format = Format::Fp32}).values);
}

TEST(Eval, FastDispatchComputesTheSameBits) {
  const Case c = make("tanh(a @ b + row)", {{"a", {{64, 96}}}, {"b", {{96, 40}}}, {"row", {{1, 40}}}}, Format::Bf16);
  const Tensor slow = run(c, {});
  EXPECT_TRUE(check(c.graph, c.inputs, slow, {}).good());
  World fresh;
  host::CommandQueue queue(fresh.chip);
  const auto launch = [&](const host::Program& program) {
    queue.enqueue(program);
    queue.finish();
  };
  EXPECT_EQ(graph::run(c.graph, c.inputs, fresh.chip, {.launch = launch}).values, slow.values);
}

// Integers small enough for every step to be exact, so that a value which is spilled and fetched again must come back
// as it was.
TEST(Eval, ValuesThatFindNoRegisterComeBackUnchanged) {
  std::string sum = "x";
  for (int i = 1; i <= 7; ++i) sum += " + (x+" + std::to_string(i) + ")*(y-" + std::to_string(i) + ")";
  // All products live until their second use, in the reverse order.
  std::string all;
  for (int i = 7; i >= 1; --i)
    all += (all.empty() ? "" : " - ") + std::string("(x+") + std::to_string(i) + ")*(y-" + std::to_string(i) + ")";
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    Case c = make("(" + sum + ") - (" + all + ")", {{"x", {{32, 64}}}, {"y", {{32, 64}}}}, format);
    for (auto& [name, tensor] : c.inputs) {
      for (size_t i = 0; i < tensor.values.size(); ++i)
        tensor.values[i] = static_cast<float>(i * (name == "x" ? 7 : 3) % 15) - 7;
    }
    std::vector<StageReport> reports;
    const Tensor result = run(c, {.format = format}, &reports);
    EXPECT_GT(reports[0].spills, 0u);
    const Agreement agreement = check(c.graph, c.inputs, result, {.format = format});
    if (format == Format::Fp32) {
      EXPECT_EQ(agreement.max_error, 0);
    } else {
      EXPECT_TRUE(agreement.good());
    }
  }
}

TEST(Eval, SmallerMatricesAreRepeated) {
  const Case c = make("m * row + column - one",
                      {{"m", {{40, 70}}}, {"row", {{1, 70}}}, {"column", {{40, 1}}}, {"one", {{1, 1}}}}, Format::Fp32);
  EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = Format::Fp32}), {.format = Format::Fp32}).good());
}

TEST(Eval, AnMlpBlockIsVerified) {
  const Case c =
      make("gelu(x @ w1 + b1) @ w2 + b2 + x",
           {{"x", {{64, 128}}}, {"w1", {{128, 256}}}, {"b1", {{1, 256}}}, {"w2", {{256, 128}}}, {"b2", {{1, 128}}}},
           Format::Bf16, -0.3f, 0.3f);
  std::vector<StageReport> reports;
  EXPECT_TRUE(check(c.graph, c.inputs, run(c, {}, &reports), {}).good());
  EXPECT_EQ(reports.size(), 2u);
}

TEST(Eval, AnEpilogueComputesTheBitsOfAProgramOfItsOwn) {
  const Matrices shapes{
      {"a", {{70, 100}}}, {"b", {{100, 90}}}, {"row", {{1, 90}}}, {"column", {{70, 1}}}, {"m", {{70, 90}}}};
  Case c = make("gelu(a @ b * 0.5 + row) * column - m", shapes, Format::Bf16);
  std::vector<StageReport> reports;
  const Tensor one = run(c, {}, &reports);
  EXPECT_EQ(reports.size(), 1u);
  EXPECT_TRUE(check(c.graph, c.inputs, one, {}).good());
  // The same of a product that is an input: sums in a Dst of BF16 are what would have been written.
  const Case only_product{make("a @ b", {{"a", {{70, 100}}}, {"b", {{100, 90}}}}, Format::Bf16).graph, c.inputs};
  const Tensor product = run(only_product, {});
  Case rest = make("gelu(p * 0.5 + row) * column - m",
                   {{"p", {{70, 90}}}, {"row", {{1, 90}}}, {"column", {{70, 1}}}, {"m", {{70, 90}}}}, Format::Bf16);
  for (auto& [name, tensor] : rest.inputs) tensor = name == "p" ? product : c.inputs.find(name)->second;
  EXPECT_EQ(run(rest, {}).values, one.values);
  const RunOptions options{.matmul = {.fp32_accumulate = true}};
  const Agreement exact = check(c.graph, c.inputs, run(c, options), options);
  EXPECT_TRUE(exact.good());
  EXPECT_LT(exact.relative_error, check(c.graph, c.inputs, one, {}).relative_error);
}

TEST(Eval, SumsAndMaximaAreRightForEveryShape) {
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    for (const Shape shape : {Shape{1, 1}, {1, 70}, {70, 1}, {32, 32}, {33, 100}, {200, 31}}) {
      for (const char* name : {"rowsum", "colsum", "rowmax", "colmax", "sum"}) {
        // Maxima of negative numbers: what lies beside the matrix in its tiles must not win.
        const bool maximum = std::string_view(name).ends_with("max");
        const Case c =
            make(std::string(name) + "(x)", {{"x", {shape}}}, format, maximum ? -3.0f : 1.0f, maximum ? -1.0f : 2.0f);
        const Agreement agreement = check(c.graph, c.inputs, run(c, {.format = format}), {.format = format});
        EXPECT_LE(agreement.relative_error, maximum                  ? 0
                                            : format == Format::Bf16 ? 0.004
                                                                     : 2e-7)
            << name << " of " << shape.text();
      }
    }
  }
}

TEST(Eval, SumsAreTheSameOnOneCoreAndOnMany) {
  const Case c = make("rowsum(x)", {{"x", {{300, 200}}}}, Format::Fp32);
  EXPECT_EQ(run(c, {.format = Format::Fp32, .cores = 1}).values, run(c, {.format = Format::Fp32}).values);
}

TEST(Eval, SoftmaxLayernormAndAttentionAreVerified) {
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    for (const char* text : {"softmax(x)", "layernorm(x) * g + b"}) {
      const Matrices shapes{{"x", {{50, 130}}}, {"g", {{1, 130}}}, {"b", {{1, 130}}}};
      auto used = shapes;
      if (std::string_view(text) == "softmax(x)") used = Matrices{{"x", {{50, 130}}}};
      const Case c = make(text, used, format, -4, 4);
      EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = format}), {.format = format}).good()) << text;
    }
  }
  const Case attention = make("softmax(q @ transpose(k) * 0.125) @ v",
                              {{"q", {{70, 64}}}, {"k", {{90, 64}}}, {"v", {{90, 64}}}}, Format::Bf16);
  std::vector<StageReport> reports;
  EXPECT_TRUE(check(attention.graph, attention.inputs, run(attention, {}, &reports), {}).good());
  EXPECT_EQ(reports.size(), 7u);
}

// Hashes recorded by running `kerr eval ... --library` (our firmware and kernels) on an independent functional
// simulator of the same chip, tenstorrent/ttsim 1.10, through its C ABI.
TEST(Eval, GivesTheIndependentSimulatorsBits) {
  const struct {
    const char* text;
    Format format;
    uint64_t hash;
  } all[] = {
      {"gelu(x) / y", Format::Bf16, 0x1a67dc7482b72acb},
      {"x ** y + sin(x)", Format::Bf16, 0x245a8aa69f1d1d63},
      {"softmax(x) * log(y)", Format::Bf16, 0xc20bf663a046a72f},
      {"where(x < y, tanh(x), sqrt(y))", Format::Bf16, 0x790be205a77803b1},
      {"gelu(x) / y", Format::Fp32, 0xd690f7d9fffea90a},
      {"x ** y + sin(x)", Format::Fp32, 0x2b7605f275ae0a60},
      {"softmax(x) * log(y)", Format::Fp32, 0x2b6a4a7ed3a664a7},
      {"where(x < y, tanh(x), sqrt(y))", Format::Fp32, 0x27ea3a46673394e6},
  };
  for (const auto& expected : all) {
    Case c = make(expected.text, {{"x", {{64, 64}}}, {"y", {{64, 64}}}}, expected.format);
    uint64_t seed = 1;
    for (auto& [name, tensor] : c.inputs) {
      tensor = random_tensor(64, 64, expected.format, -3, 3, seed);
      seed += 0x9E3779B97F4A7C15u;
    }
    EXPECT_EQ(hash(run(c, {.format = expected.format})), expected.hash)
        << expected.text << " in " << info(expected.format).name;
  }
}

// More of the same: what the simulator gave for operands of every format that it unpacks, generators, repeated
// operands, tails.
TEST(Eval, GivesTheIndependentSimulatorsBitsInEveryFormat) {
  const struct {
    const char* text;
    Matrices matrices;
    Format format;
    uint64_t hash;
  } all[] = {
      {"iota(70, 45)", {}, Format::Bf16, 0x4c14e729b931de3e},
      {"random_bits(70,45,81985529216486895)", {}, Format::Bf16, 0x5af7d95d32f97267},
      {"random(70,45,7)", {}, Format::Fp32, 0x443f4c690e75d4c9},
      {"m + row - column + one",
       {{"m", {{70, 45}}}, {"row", {{1, 45}}}, {"column", {{70, 1}}}, {"one", {{1, 1}}}},
       Format::Fp32,
       0xdaee9bfcff8db975},
      {"m + row - column + one",
       {{"m", {{70, 45}}}, {"row", {{1, 45}}}, {"column", {{70, 1}}}, {"one", {{1, 1}}}},
       Format::Bf16,
       0x222495e4245b5947},
      {"m + row - column + one",
       {{"m", {{70, 45}}}, {"row", {{1, 45}}}, {"column", {{70, 1}}}, {"one", {{1, 1}}}},
       Format::Fp16,
       0xdb3d1182ea638d1e},
      {"rowsum(n)", {{"n", {{45, 70}, Format::Int32}}}, Format::Bf16, 0x0789054e09ee719c},
      {"colmin(n)", {{"n", {{45, 70}, Format::Int32}}}, Format::Bf16, 0x240ed0c56e7fa17d},
      {"max(n)", {{"n", {{45, 70}, Format::Int16}}}, Format::Bf16, 0x6e200c840673a34d},
      {"colmean(x)", {{"x", {{45, 70}}}}, Format::Fp16, 0xf47762717f12b8ec},
      {"permute(x,2,5,2,0,1,3)", {{"x", {{128, 160}}}}, Format::Fp32, 0xe3c8b91ccba0edff},
      {"transpose(x)", {{"x", {{40, 70}}}}, Format::Fp32, 0xc2b139fe64f33007},
      {"bfp8(x)", {{"x", {{33, 50}}}}, Format::Bf16, 0xb14d1ff8db619c34},
      {"softmax(q @ transpose(k) * 0.125) @ v",
       {{"q", {{70, 64}}}, {"k", {{90, 64}}}, {"v", {{90, 64}}}},
       Format::Bf16,
       0x03c26002145bed23},
      {"softmax(q @ transpose(k) * 0.125) @ v",
       {{"q", {{70, 64}}}, {"k", {{90, 64}}}, {"v", {{90, 64}}}},
       Format::Fp32,
       0x7a0e8b70e4092bdf},
      {"a @ b", {{"a", {{64, 64}, Format::Int8}}, {"b", {{64, 64}, Format::Int8}}}, Format::Bf16, 0x0fbae3ec171a7008},
  };
  for (const auto& expected : all) {
    Case c = make(expected.text, expected.matrices, expected.format);
    uint64_t seed = 1;
    for (auto& [name, tensor] : c.inputs) {
      tensor = kernels::is_integer(tensor.format)
                   ? random_tensor(tensor.rows, tensor.columns, tensor.format, seed)
                   : random_tensor(tensor.rows, tensor.columns, tensor.format, -1, 1, seed);
      seed += 0x9E3779B97F4A7C15u;
    }
    EXPECT_EQ(hash(run(c, {.format = expected.format})), expected.hash)
        << expected.text << " in " << kernels::info(expected.format).name;
  }
}

TEST(Eval, TransposingMovesEveryElement) {
  for (const Shape shape : {Shape{1, 1}, {32, 32}, {31, 70}, {100, 40}}) {
    const Case c = make("transpose(x)", {{"x", {shape}}}, Format::Bf16);
    const Tensor result = run(c, {});
    ASSERT_EQ(result.rows, shape.columns);
    const Tensor& x = c.inputs.find("x")->second;
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t column = 0; column < shape.columns; ++column) {
        ASSERT_EQ(result.values[size_t{column} * shape.rows + row], x.values[size_t{row} * shape.columns + column]);
      }
    }
  }
}

TEST(Eval, TransposesOfEveryFormatMoveEveryElement) {
  for (const kernels::FormatInfo& format : kernels::kFormats) {
    if (format.format == Format::Bfp8 || format.format == Format::Bfp4) continue;
    const Case c = make("transpose(x)", {{"x", {{40, 70}, format.format}}}, Format::Bf16, -100, 100);
    const Tensor result = run(c, {});
    const Tensor& x = c.inputs.find("x")->second;
    for (uint32_t row = 0; row < 40; ++row) {
      for (uint32_t column = 0; column < 70; ++column)
        ASSERT_EQ(result.at(column, row), x.at(row, column)) << format.name;
    }
  }
}

TEST(Eval, EveryFormatIsComputedWith) {
  for (const Format format : {Format::Fp32, Format::Fp16, Format::Bf16, Format::Bfp8, Format::Bfp4}) {
    for (const Shape shape : {Shape{32, 32}, {33, 50}, {5, 130}}) {
      const Case c = make("x * y + exp(x) / (y + 3)", {{"x", {shape}}, {"y", {shape}}}, format);
      EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = format}), {.format = format}).good())
          << kernels::info(format).name << " " << shape.text();
    }
  }
}

// As float64 has all integers of 32 bits, nothing may differ.
TEST(Eval, IntegersAreExact) {
  for (const Format format : {Format::Int32, Format::Int16, Format::Uint16, Format::Int8, Format::Uint8}) {
    const Case c = make("(n * 77 + m) % 13 - (n << 3 ^ m) / (m | 1)",
                        {{"n", {{33, 70}, format}}, {"m", {{33, 70}, format}}}, Format::Bf16, -120, 120);
    const Tensor result = run(c, {});
    EXPECT_EQ(result.format, Format::Int32);
    EXPECT_EQ(check(c.graph, c.inputs, result, {}).max_error, 0) << kernels::info(format).name;
  }
}

TEST(Eval, IntegersAreReducedExactly) {
  for (const char* name : {"rowsum", "colsum", "rowmax", "colmin", "sum", "max", "min"}) {
    for (const Format format : {Format::Int32, Format::Int16, Format::Int8, Format::Uint8}) {
      const Case c = make(fmt::format("{}(n)", name), {{"n", {{45, 70}, format}}}, Format::Bf16, 3, 90);
      EXPECT_EQ(check(c.graph, c.inputs, run(c, {}), {}).max_error, 0) << name << " of " << kernels::info(format).name;
    }
  }
}

TEST(Eval, MinimaAndMeansAreRight) {
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Fp16, Format::Bfp8}) {
    for (const char* name : {"rowmin", "colmin", "min", "mean", "rowmean"}) {
      const Case c = make(fmt::format("{}(x)", name), {{"x", {{45, 70}}}}, format, 1, 3);
      EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = format}), {.format = format}).relative_error < 0.01)
          << name << " of " << kernels::info(format).name;
    }
  }
}

TEST(Eval, NumbersOfElementsAndRandomBitsAreThoseOfTheHost) {
  for (const Shape shape : {Shape{1, 1}, {32, 32}, {70, 45}, {3, 200}}) {
    const std::string size = fmt::format("{}, {}", shape.rows, shape.columns);
    for (const std::string& text : {"iota(" + size + ")", "random_bits(" + size + ", 81985529216486895)",
                                    "iota(" + size + ") % 7 + fill(" + size + ", 5)"}) {
      const Case c = make(text, {}, Format::Bf16);
      EXPECT_EQ(check(c.graph, c.inputs, run(c, {}), {}).max_error, 0) << text;
      EXPECT_EQ(run(c, {.cores = 1}).integers, run(c, {}).integers) << text;
    }
  }
  const Case c = make("random(64, 100, 7)", {}, Format::Fp32);
  const Tensor uniform = run(c, {.format = Format::Fp32});
  EXPECT_EQ(check(c.graph, c.inputs, uniform, {}).max_error, 0);
  EXPECT_LT(*std::ranges::max_element(uniform.values), 1);
}

TEST(Eval, RowsColumnsAndElementsAreRepeatedOnTheDevice) {
  for (const kernels::FormatInfo& format : kernels::kFormats) {
    const bool integers = kernels::is_integer(format.format);
    const auto matrix = [&](uint32_t rows, uint32_t columns) { return Matrix{{rows, columns}, format.format}; };
    const Case c =
        make("m + row - column + one",
             {{"m", matrix(70, 45)}, {"row", matrix(1, 45)}, {"column", matrix(70, 1)}, {"one", matrix(1, 1)}},
             Format::Fp32, integers ? 0 : -1, integers ? 100 : 1);
    const Agreement agreement = check(c.graph, c.inputs, run(c, {.format = Format::Fp32}), {.format = Format::Fp32});
    EXPECT_LE(agreement.max_error, integers ? 0 : 1e-6) << format.name;
  }
}

TEST(Eval, TilesGoToOtherPlaces) {
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Bfp8}) {
    for (const char* text : {"slice(x, 32, 64, 64, 96)", "permute(x, 2, 5, 2, 0, 1, 3)", "permute(x, 1, 5, 2, 1, 0, 3)",
                             "permute(slice(x, 0, 0, 128, 128), 2, 2, 3, 1, 0, 2)"}) {
      const Case c = make(text, {{"x", {{128, 160}}}}, format);
      EXPECT_EQ(check(c.graph, c.inputs, run(c, {.format = format}), {.format = format}).max_error, 0) << text;
    }
  }
}

TEST(Eval, ResultsStayOnTheDevice) {
  // The padding of 70 x 90 numbers has to be cleared of what exp() made there, before the sum and before the product.
  const Case c =
      make("softmax(q @ transpose(k)) @ v", {{"q", {{70, 64}}}, {"k", {{90, 64}}}, {"v", {{90, 64}}}}, Format::Fp32);
  std::vector<StageReport> reports;
  EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = Format::Fp32}, &reports), {.format = Format::Fp32}).good());
  uint32_t layouts = 0;
  for (const StageReport& report : reports) layouts += report.layouts;
  EXPECT_GT(layouts, 0u);
  const Case aligned = make("softmax(x)", {{"x", {{64, 64}}}}, Format::Bf16);
  reports.clear();
  run(aligned, {}, &reports);
  for (const StageReport& report : reports) EXPECT_EQ(report.layouts, 0u) << report.what;
}

TEST(Eval, WhatCannotRunIsRefusedBeforeAnythingRuns) {
  const auto refusal = [](const Case& c, Format format) -> std::string {
    try {
      run(c, {.format = format, .launch = [](const host::Program&) { FAIL() << "something ran"; }});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal(make("a @ a", {{"a", {{8, 8}, Format::Int32}}}, Format::Fp32), Format::Fp32)
                .find("int8 is the integer format of operands"),
            std::string::npos);
  Case missing = make("a+b", {{"a", {{8, 8}}}, {"b", {{8, 8}}}}, Format::Bf16);
  missing.inputs.erase("b");
  EXPECT_NE(refusal(missing, Format::Bf16).find("no matrix is given for 'b'"), std::string::npos);
}

// What is large by itself has large errors, and what makes much of little makes much of rounding.
TEST(Eval, ResultsOfVeryUnequalSizesAreVerified) {
  for (const Format format : {Format::Bf16, Format::Fp32}) {
    for (const char* text :
         {"exp(x * 20)", "exp(x * 100)", "recip(x)", "tan(x * 10)", "softmax(x * 30)", "1 / mean(x)"}) {
      const Case c = make(text, {{"x", {{70, 100}}}}, format);
      EXPECT_TRUE(check(c.graph, c.inputs, run(c, {.format = format}), {.format = format}).good()) << text;
    }
  }
}

TEST(Eval, BothNeighboursOfACastFloatAreRight) {
  const Case c = make("int32(exp(x) * 1000)", {{"x", {{200, 300}}}}, Format::Fp32);
  Tensor result = run(c, {.format = Format::Fp32});
  const Agreement agreement = check(c.graph, c.inputs, result, {.format = Format::Fp32});
  EXPECT_TRUE(agreement.good());
  EXPECT_EQ(agreement.max_error, 1);  // the case that this is about
  result.integers[1234] += 1;
  EXPECT_FALSE(check(c.graph, c.inputs, result, {.format = Format::Fp32}).good());
}

// Bounds of a chain of products, taken by themselves, let almost anything pass.
TEST(Eval, AResultOfZerosOrOfOtherRowsIsNotVerified) {
  const Case c = make("softmax(q @ transpose(k) * 0.125) @ v",
                      {{"q", {{64, 64}}}, {"k", {{96, 64}}}, {"v", {{96, 64}}}}, Format::Bf16);
  Tensor result = run(c, {});
  EXPECT_TRUE(check(c.graph, c.inputs, result, {}).good());
  Tensor turned = result;
  std::rotate(turned.values.begin(), turned.values.begin() + 64, turned.values.end());
  EXPECT_FALSE(check(c.graph, c.inputs, turned, {}).good());
  std::ranges::fill(result.values, 0.f);
  EXPECT_FALSE(check(c.graph, c.inputs, result, {}).good());
}

TEST(Eval, OneWrongElementIsNotVerified) {
  for (const char* text : {"x + 1", "exp(x * 20)", "softmax(x)", "layernorm(x)", "mean(x)"}) {
    for (const Format format : {Format::Bf16, Format::Fp32}) {
      const Case c = make(text, {{"x", {{32, 96}}}}, format, 0.5f, 1);
      Tensor result = run(c, {.format = format});
      EXPECT_TRUE(check(c.graph, c.inputs, result, {.format = format}).good()) << text;
      float& one = result.values[result.values.size() / 2];
      one = one * 1.1f + 0x1p-100f;
      EXPECT_FALSE(check(c.graph, c.inputs, result, {.format = format}).good()) << text;
    }
  }
}

}  // namespace
}  // namespace kerr::graph
