// Expressions of more operands than one program has room for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "graph/parse.hpp"
#include "graph/stages.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace kerr::graph {
namespace {

Matrix matrix_of(std::string_view name) {
  const Shape shape = name.starts_with("row")      ? Shape{1, 96}
                      : name.starts_with("column") ? Shape{64, 1}
                                                   : Shape{64, 96};
  return name.starts_with("n") ? Matrix{shape, Format::Int32} : Matrix{shape};
}

std::vector<ElementwiseStage> programs(const std::string& text, Format format) {
  std::vector<ElementwiseStage> all;
  for (const Stage& stage : stages(parse(text, matrix_of), format)) all.push_back(std::get<ElementwiseStage>(stage));
  return all;
}
size_t traffic(const std::vector<ElementwiseStage>& all) {
  size_t tiles = 0;
  for (const ElementwiseStage& s : all) tiles += s.operands.size() + 1;
  return tiles;
}

std::string sum_of(size_t count, const std::string& name) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{}{}{}", i == 0 ? "" : " + ", name, i);
  return text;
}

// With room for four operands each program brings three of them into the sum of those before.
TEST(OperandSplit, SumsAndBroadcastsTakeAsFewProgramsAsTheyCan) {
  for (const char* name : {"x", "row", "column"}) {
    for (size_t count = 2; count <= 20; ++count) {
      const std::string text = fmt::format("x + {}", sum_of(count - 1, name));
      for (const Format format : {Format::Fp32, Format::Bf16, Format::Fp16}) {
        const size_t room = kernels::dst_tiles(format);
        const std::vector<ElementwiseStage> all = programs(text, format);
        for (const ElementwiseStage& s : all) EXPECT_LE(s.operands.size(), room);
        EXPECT_EQ(all.size(), (count - 1 + room - 2) / (room - 1)) << text << " in " << kernels::info(format).name;
      }
    }
  }
}

// What two parts have in common is computed once and read by both, where that is less.
TEST(OperandSplit, APartThatIsUsedTwiceIsTheOneThatIsKept) {
  using kernels::Operation;
  Graph graph;
  const auto apply = [&](Operation operation, std::vector<Graph::Node> sources) {
    return graph.apply(operation, sources);
  };
  std::vector<Graph::Node> x;
  for (int i = 0; i < 5; ++i) x.push_back(graph.input(fmt::format("x{}", i), Shape{64, 96}));
  const Graph::Node shared = apply(Operation::Multiply, {x[0], x[1]});
  apply(Operation::Where, {apply(Operation::Greater, {shared, x[2]}), apply(Operation::Add, {shared, x[3]}), x[4]});
  std::vector<ElementwiseStage> all;
  for (const Stage& stage : stages(graph, Format::Fp32)) all.push_back(std::get<ElementwiseStage>(stage));
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(traffic(all), 8u);
}

TEST(OperandSplit, WhatFitsIsNotSplit) {
  EXPECT_EQ(programs("(x0 + row) * column - where(x1 > 0, x0, row)", Format::Fp32).size(), 1u);
  EXPECT_EQ(programs(sum_of(8, "x"), Format::Bf16).size(), 1u);
}

class RandomExpression {
 public:
  explicit RandomExpression(uint64_t seed) : bits_(seed) {}
  std::string text(int leaves) {
    if (leaves <= 1) return leaf();
    const int first = 1 + static_cast<int>(bits_() % static_cast<uint64_t>(leaves - 1));
    switch (bits_() % 6) {
      case 0: return fmt::format("exp({})", text(leaves - 1));
      case 1: return fmt::format("where({} > {}, {}, {})", text(1), leaf(), text(first), text(leaves - first));
      case 2: return fmt::format("({} * {})", text(first), text(leaves - first));
      default: return fmt::format("({} {} {})", text(first), bits_() % 2 != 0 ? "+" : "-", text(leaves - first));
    }
  }

 private:
  std::string leaf() {
    const char* kinds[] = {"x", "row", "column", "x", "0.5"};
    const char* kind = kinds[bits_() % 5];
    return kind[0] == '0' ? kind : fmt::format("{}{}", kind, bits_() % 8);
  }
  std::mt19937_64 bits_;
};

TEST(OperandSplit, AnyExpressionIsPlannedWithRoomForAllOperands) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = "x0 + " + RandomExpression(seed).text(4 + static_cast<int>(seed % 24));
    for (const Format format : {Format::Fp32, Format::Bf16, Format::Fp16}) {
      for (const Stage& stage : stages(parse(text, matrix_of), format)) {
        const auto& s = std::get<ElementwiseStage>(stage);
        EXPECT_LE(s.operands.size(), kernels::most_operands(s.formats)) << text << " in " << kernels::info(format).name;
      }
    }
  }
}

}  // namespace
}  // namespace kerr::graph
