// Every operation and every function of matrices that do not fill their tiles, on one core and on many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "host/device/emulated_device.hpp"
#include "tests/e2e/print_operation.hpp"

namespace kerr::graph {
namespace {

constexpr Shape kWhole{64, 96}, kPart{45, 70};

host::Chip& chip() {
  static host::EmulatedDevice device;
  static host::Chip chip(device);
  return chip;
}

// NaN are equal to themselves.
std::vector<uint32_t> bits(const Tensor& t) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < t.rows * t.columns; ++i)
    all.push_back(std::bit_cast<uint32_t>(t.integers.empty() ? t.values[i] : std::bit_cast<float>(t.integers[i])));
  return all;
}

Tensor upper_left(const Tensor& t, Shape shape) {
  Tensor part{shape.rows, shape.columns, t.format, {}};
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t column = 0; column < shape.columns; ++column) {
      const size_t i = size_t{row} * t.columns + column;
      part.values.push_back(t.values[i]);
      if (!t.integers.empty()) part.integers.push_back(t.integers[i]);
    }
  }
  return part;
}

Graph alone(const kernels::OperationInfo& what, Shape shape, Format format) {
  Graph graph;
  std::vector<Graph::Node> sources;
  for (uint32_t i = 0; i < what.sources; ++i) sources.push_back(graph.input(fmt::format("x{}", i), {shape, format}));
  graph.apply(what.operation, sources);
  return graph;
}

class EveryOperation : public testing::TestWithParam<kernels::OperationInfo> {};

TEST_P(EveryOperation, MakesTheSameBitsInTailsAndOnAnyNumberOfCores) {
  const kernels::OperationInfo& what = GetParam();
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Int32}) {
    const auto takes = format == Format::Int32 ? kernels::OperationTypes::Float : kernels::OperationTypes::Integer;
    if (what.types == takes) continue;
    Inputs whole, part;
    for (uint32_t i = 0; i < what.sources; ++i) {
      const std::string name = fmt::format("x{}", i);
      const Tensor numbers = random_tensor(kWhole.rows, kWhole.columns, format, format == Format::Int32 ? -1e6f : -3.0f,
                                           format == Format::Int32 ? 1e6f : 3.0f, 5 + i);
      whole[name] = numbers;
      part[name] = upper_left(numbers, kPart);
    }
    const Tensor all = run(alone(what, kWhole, format), whole, chip(), {.format = format});
    const std::vector<uint32_t> expected = bits(upper_left(all, kPart));
    for (const uint32_t cores : {1u, 4u, 0u}) {
      const Tensor some = run(alone(what, kPart, format), part, chip(), {.format = format, .cores = cores});
      EXPECT_EQ(bits(some), expected) << kernels::info(format).name << ", " << cores << " cores";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elementwise, EveryOperation, testing::ValuesIn(kernels::operations()),
                         [](const auto& operation) { return std::string(operation.param.name); });

TEST(Eval, EveryFunctionIsTheSameOnOneCoreAndOnMany) {
  for (const char* name : {"rowsum", "rowmax", "rowmin", "rowmean", "colsum", "colmax", "colmin", "colmean", "sum",
                           "max", "min", "mean", "transpose", "softmax", "layernorm"}) {
    for (const Shape shape : {Shape{45, 70}, {33, 31}, {1, 1}}) {
      for (const Format format : {Format::Bf16, Format::Fp32}) {
        const Graph graph = parse(fmt::format("{}(x)", name), [&](std::string_view) { return Matrix{shape, format}; });
        const Inputs inputs{{"x", random_tensor(shape.rows, shape.columns, format, -1, 2, 7)}};
        const Tensor one = run(graph, inputs, chip(), {.format = format, .cores = 1});
        EXPECT_TRUE(check(graph, inputs, one, {.format = format}).good()) << name << " of " << shape.text();
        EXPECT_EQ(bits(run(graph, inputs, chip(), {.format = format})), bits(one)) << name << " of " << shape.text();
      }
    }
  }
}

TEST(Eval, TilesAndFormatsChangeTheSameWayOnOneCoreAndOnMany) {
  std::vector<std::string> all{"slice(x, 32, 64, 36, 96)", "permute(slice(x, 0, 0, 64, 160), 2, 5, 2, 0, 1, 3)",
                               "x + row * column",         "iota(70, 45) % 9",
                               "random(70, 45, 3)",        "fill(70, 45, 2.5)"};
  for (const kernels::FormatInfo& format : kernels::kFormats) all.push_back(fmt::format("{}(x)", format.name));
  for (const std::string& text : all) {
    const std::map<std::string, Shape, std::less<>> shapes{{"x", {68, 160}}, {"row", {1, 160}}, {"column", {68, 1}}};
    const Graph graph = parse(text, [&](std::string_view name) { return Matrix{shapes.find(name)->second}; });
    Inputs inputs;
    for (const auto& [name, shape] : shapes)
      inputs[name] = random_tensor(shape.rows, shape.columns, Format::Fp32, 0, 120, 7);
    const Tensor one = run(graph, inputs, chip(), {.format = Format::Fp32, .cores = 1});
    EXPECT_TRUE(check(graph, inputs, one, {.format = Format::Fp32}).good()) << text;
    EXPECT_EQ(bits(run(graph, inputs, chip(), {.format = Format::Fp32})), bits(one)) << text;
  }
}

}  // namespace
}  // namespace kerr::graph
