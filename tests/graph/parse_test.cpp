#include "graph/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "graph/stages.hpp"
#include "tests/graph/graph_text.hpp"

namespace kerr::graph {
namespace {

Shape square(std::string_view) { return {4, 4}; }

std::string parsed(std::string_view source) {
  const Graph graph = parse(source, square);
  return text(graph, graph.result());
}

std::string refusal(std::string_view source, const std::function<Matrix(std::string_view)>& shapes = square) {
  try {
    parse(source, shapes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parse, BindsAsPeopleExpect) {
  EXPECT_EQ(parsed("a + b * c"), "add(a, mul(b, c))");
  EXPECT_EQ(parsed("a - b - c"), "sub(sub(a, b), c)");
  EXPECT_EQ(parsed("a / b @ c"), "(div(a, b) @ c)");
  EXPECT_EQ(parsed("-a ** 2"), "neg(square(a))");
  EXPECT_EQ(parsed("a ** b ** c"), "pow(a, pow(b, c))");
  EXPECT_EQ(parsed("2 ** -a"), "pow(2, neg(a))");
  EXPECT_EQ(parsed("a + 1 <= b"), "le(add(a, 1), b)");
  EXPECT_EQ(parsed("(a + b) * c"), "mul(add(a, b), c)");
  EXPECT_EQ(parsed("where(a != b, max(a, b), 1.5e-3)"), "where(ne(a, b), max(a, b), 0.0015)");
  EXPECT_EQ(parsed(" gelu ( a@b+c ) "), "gelu(add((a @ b), c))");
}

TEST(Parse, BitsBindLooserThanSumsAndTighterThanComparisons) {
  const auto parsed_integers = [](std::string_view source) {
    const Graph graph = parse(source, [](std::string_view) { return Matrix{{4, 4}, Format::Int32}; });
    return text(graph, graph.result());
  };
  EXPECT_EQ(parsed_integers("a & b << 1 + 2 | c ^ ~d * 3"),
            "or(and(a, shl(b, add(1, 2))), xor(c, mul(bitwise_not(d), 3)))");
  EXPECT_EQ(parsed_integers("a >> 3 < b & 0xff"), "lt(shr(a, 3), and(b, 255))");
  EXPECT_EQ(parsed_integers("max(a) + max(a, b)"), "add(colmax(rowmax(a)), max(a, b))");
}

TEST(Parse, FloatsAndIntegersDoNotMixUnsaid) {
  const auto shapes = [](std::string_view name) {
    return name == "n" ? Matrix{{4, 4}, Format::Int32} : Matrix{{4, 4}};
  };
  EXPECT_NE(
      refusal("n + x", shapes).find("add cannot mix floats and integers; convert one with int32(...) or fp32(...)"),
      std::string::npos);
  EXPECT_NE(refusal("x & 1", shapes).find("& computes with the bits of integers and with comparisons"),
            std::string::npos);
  EXPECT_NE(refusal("exp(n)", shapes).find("exp computes with floats"), std::string::npos);
  EXPECT_NE(refusal("n * 1.5", shapes).find("mul cannot mix"), std::string::npos);
  EXPECT_EQ(refusal("fp32(n) * x + where(n > 3, x, 0)", shapes), "accepted");
}

TEST(Parse, TilesAreCutOutWhole) {
  const auto large = [](std::string_view) { return Matrix{{100, 96}}; };
  EXPECT_EQ(refusal("slice(x, 32, 0, 68, 64)", large), "accepted");
  EXPECT_EQ(refusal("slice(x, 32, 0, 60, 64)", large), "accepted");
  EXPECT_NE(refusal("slice(x, 30, 0, 60, 64)", large).find("begin at multiples of 32"), std::string::npos);
  EXPECT_NE(refusal("slice(x, 64, 0, 64, 64)", large).find("it is not inside"), std::string::npos);
  EXPECT_NE(refusal("permute(x, 1, 1, 0, 1, 2, 3)", large).find("100 rows are not whole tiles"), std::string::npos);
  const auto whole = [](std::string_view) { return Matrix{{64, 96}}; };
  EXPECT_NE(refusal("permute(x, 1, 2, 0, 1, 2, 3)", whole).find("3 columns of tiles do not make 2 equal blocks"),
            std::string::npos);
  EXPECT_NE(refusal("permute(x, 1, 3, 0, 1, 2, 2)", whole).find("each of the axes"), std::string::npos);
  const Graph graph = parse("permute(x, 1, 3, 2, 1, 0, 3)", whole);
  EXPECT_EQ(graph.item(graph.result()).shape, (Shape{192, 32}));
}

TEST(Parse, FunctionsOfMatricesAreMadeOfOperations) {
  EXPECT_EQ(parsed("sum(a)"), "colsum(rowsum(a))");
  EXPECT_EQ(parsed("rowmean(a)"), "mul(rowsum(a), 0.25)");
  EXPECT_EQ(parsed("softmax(a)"), "div(exp(sub(a, rowmax(a))), rowsum(exp(sub(a, rowmax(a)))))");
}

TEST(Parse, SaysWhereItDoesNotUnderstand) {
  EXPECT_NE(refusal("a +").find("at character 4"), std::string::npos);
  EXPECT_NE(refusal("a b").find("an operator or the end is expected"), std::string::npos);
  EXPECT_NE(refusal("(a").find("')' is expected"), std::string::npos);
  EXPECT_NE(refusal("where(a, b)").find("where takes 3 operands, not 2"), std::string::npos);
  EXPECT_NE(refusal("nothing(a)").find("'nothing' is a matrix"), std::string::npos);
  EXPECT_NE(refusal("1e99").find("a number of FP32"), std::string::npos);
  EXPECT_NE(refusal("a @ b",
                    [](std::string_view) {
                      return Shape{2, 3};
                    })
                .find("the 3 columns of the left matrix meet 2 rows"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(5000, '(')).find("too many parentheses"), std::string::npos);
  EXPECT_NE(refusal(std::string(5000, '-') + "a").find("too many parentheses"), std::string::npos);
  EXPECT_NE(refusal("").find("is expected"), std::string::npos);
}

TEST(Parse, RepeatsRowsAndColumnsButNothingElse) {
  const auto shapes = [](std::string_view name) {
    return name == "row" ? Shape{1, 5} : name == "column" ? Shape{3, 1} : Shape{3, 5};
  };
  const Graph graph = parse("row + column", shapes);
  EXPECT_EQ(graph.item(graph.result()).shape, (Shape{3, 5}));
  EXPECT_NE(refusal("m + other",
                    [](std::string_view name) {
                      return name == "m" ? Shape{3, 5} : Shape{3, 4};
                    })
                .find("3x4 does not fit 3x5"),
            std::string::npos);
}

RC_GTEST_PROP(Parse, AnyTextIsParsedOrRefused, (const std::string& source)) {
  try {
    parse(source, square);
  } catch (const std::invalid_argument&) {
  }
}

TEST(Stages, AreOneForEachProductWithWhatIsComputedOfItsElements) {
  const std::vector<Stage> all = stages(parse("relu(a @ b + c) @ d * 2", square), Format::Bf16);
  ASSERT_EQ(all.size(), 2u);
  const auto& first = std::get<ProductStage>(all[0]);
  EXPECT_EQ(first.epilogue->expression.text(), "relu(add($0, $1))");
  EXPECT_EQ(first.operands.size(), 1u);
  EXPECT_EQ(first.epilogue->operands_have_rows, std::vector<bool>{true});
  EXPECT_EQ(std::get<ProductStage>(all[1]).epilogue->expression.text(), "mul($0, 2)");
}

TEST(Stages, ARowThatIsAddedToAProductStaysARow) {
  const auto shapes = [](std::string_view name) { return name == "row" ? Shape{1, 64} : Shape{64, 64}; };
  const std::vector<Stage> all = stages(parse("row - a @ b", shapes), Format::Bf16);
  ASSERT_EQ(all.size(), 1u);
  const auto& product = std::get<ProductStage>(all[0]);
  EXPECT_EQ(product.epilogue->expression.text(), "sub($1, $0)");
  EXPECT_EQ(product.epilogue->operands_have_rows, std::vector<bool>{false});
  EXPECT_EQ(product.operands[0].shape, (Shape{1, 64}));
}

TEST(Stages, AProductThatOthersWantTooHasNoEpilogue) {
  const std::vector<Stage> all = stages(parse("softmax(a @ b)", square), Format::Bf16);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(std::get<ProductStage>(all[0]).epilogue, nullptr);
}

TEST(Stages, WhatDstHasNoRoomForBesideAProductIsAProgramOfItsOwn) {
  const std::string text = "a @ b + c * d + e * f";
  EXPECT_EQ(stages(parse(text, square), Format::Bf16).size(), 1u);
  const std::vector<Stage> all =
      stages(parse(text, square), Format::Bf16, {.fp32_accumulate = true});  // half of Dst has four tiles
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<ElementwiseStage>(all[1]).operands.size(), 5u);
}

TEST(Stages, ComputeOnceWhatIsUsedTwice) {
  const Graph graph = parse("(a @ b) * exp(a @ a) - a", square);
  const std::vector<Stage> all = stages(graph, Format::Bf16);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<ProductStage>(all[0]).epilogue, nullptr);
  EXPECT_EQ(std::get<ProductStage>(all[1]).operands.size(), 2u);
}

TEST(Stages, OfSoftmaxComputeTheExponentialOnce) {
  const Graph graph = parse("softmax(a)", square);
  const std::vector<Stage> all = stages(graph, Format::Bf16);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(std::get<ElementwiseStage>(all[1]).expression.text(), "exp(sub($0, $1))");
  EXPECT_TRUE(std::holds_alternative<ReduceStage>(all[2]));
  EXPECT_EQ(std::get<ElementwiseStage>(all[3]).expression.text(), "div($0, $1)");
}

TEST(Stages, OfASmallerShapeRunOnTheirOwn) {
  const auto shapes = [](std::string_view name) { return name == "row" ? Shape{1, 5} : Shape{3, 5}; };
  const std::vector<Stage> all = stages(parse("m * exp(row)", shapes), Format::Bf16);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::get<ElementwiseStage>(all[0]).expression.text(), "exp($0)");
  EXPECT_EQ(std::get<ElementwiseStage>(all[1]).operands[1].shape, (Shape{1, 5}));
}

TEST(Stages, TakeNoMoreOperandsThanThereIsRoomFor) {
  const Graph graph = parse("(a + b + c + d) * (e - f) + g * (h + a)", square);
  for (const Format format : {Format::Fp32, Format::Bf16}) {
    const std::vector<Stage> all = stages(graph, format);
    EXPECT_EQ(all.size() == 1, format == Format::Bf16);
    for (const Stage& stage : all)
      EXPECT_LE(std::get<ElementwiseStage>(stage).operands.size(), kernels::dst_tiles(format));
  }
}

TEST(Stages, BringMixedFormatsTo32Bits) {
  const auto matrices = [](std::string_view name) {
    return name == "n" ? Matrix{{4, 4}, Format::Int32} : name == "h" ? Matrix{{4, 4}, Format::Fp16} : Matrix{{4, 4}};
  };
  const std::vector<Stage> all = stages(parse("where(n > 0, x, h)", matrices), Format::Bf16);
  ASSERT_EQ(all.size(), 3u);  // x and h to FP32
  const auto& last = std::get<ElementwiseStage>(all[2]);
  EXPECT_EQ(last.formats.in, Format::Fp32);
  EXPECT_EQ(last.formats.out, Format::Bf16);
  EXPECT_EQ(last.operands[0].place.format, Format::Int32);
  EXPECT_EQ(last.operands[1].place.format, Format::Fp32);
  EXPECT_EQ(stages(parse("h * h + 1", matrices), Format::Fp16).size(), 1u);
}

TEST(Stages, EndWhereAFormatIsInMemoryOnly) {
  const std::vector<Stage> all = stages(parse("bfp8(a * 2) + a", square), Format::Bf16);
  ASSERT_EQ(all.size(), 4u);  // a * 2 as BFP8, that in FP32, a in FP32, the sum
  EXPECT_EQ(std::get<ElementwiseStage>(all[0]).formats.out, Format::Bfp8);
}

TEST(Stages, OfAloneNamesAndNumbersThereAreNone) {
  EXPECT_THROW(stages(parse("a", square), Format::Bf16), std::invalid_argument);
  EXPECT_THROW(stages(parse("1", square), Format::Bf16), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::graph
