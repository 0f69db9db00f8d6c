// What people type who know NumPy: each spelling has one meaning, or a sentence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "graph/evaluate.hpp"
#include "graph/language/functions.hpp"
#include "graph/language/spellings.hpp"
#include "graph/parse.hpp"
#include "tests/graph/graph_text.hpp"

namespace kerr::graph {
namespace {

// n and m hold integers, row and column are repeated, everything else is a matrix of floats.
Matrix matrix_of(std::string_view name) {
  if (name == "n" || name == "m") return {{64, 96}, Format::Int32};
  if (name == "row") return Shape{1, 96};
  if (name == "column") return Shape{64, 1};
  if (name == "square") return Shape{64, 64};
  if (name == "x" || name == "y" || name == "z" || name == "a" || name == "b" || name == "c") return Shape{64, 96};
  throw std::invalid_argument(fmt::format("what shape has '{}'?", name));
}

std::string parsed(std::string_view source) {
  try {
    const Graph graph = parse(source, matrix_of);
    return text(graph, graph.result());
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
}

Graph::Item result_of(std::string_view source) {
  const Graph graph = parse(source, matrix_of);
  return graph.item(graph.result());
}

TEST(Language, ComparisonsChainAsInPython) {
  EXPECT_EQ(parsed("x < y < z"), "mul(lt(x, y), lt(y, z))");
  EXPECT_EQ(parsed("0 <= n < m != 3"), "and(and(le(0, n), lt(n, m)), ne(m, 3))");
  EXPECT_EQ(parsed("(x < y) < z"), "lt(lt(x, y), z)");
}

TEST(Language, AndOrNotAreOfEachElement) {
  EXPECT_EQ(parsed("x > 0 and y > 0"), "mul(gt(x, 0), gt(y, 0))");
  EXPECT_EQ(parsed("x > 0 or y > 0 and z > 0"), "max(gt(x, 0), mul(gt(y, 0), gt(z, 0)))");
  EXPECT_EQ(parsed("not x > 0"), "eq(gt(x, 0), 0)");
  EXPECT_EQ(parsed("not not x"), "eq(eq(x, 0), 0)");
  EXPECT_EQ(parsed("x and y"), "where(x, y, x)");
  EXPECT_EQ(parsed("x or y"), "where(x, x, y)");
  EXPECT_EQ(parsed("1 - (not x)"), "sub(1, eq(x, 0))");
  EXPECT_NE(parsed("1 - not x").find("put it in parentheses"), std::string::npos);
}

TEST(Language, SignsOfBitsJoinComparisonsOfEitherType) {
  EXPECT_EQ(parsed("(x > 0) & (y < 1)"), "mul(gt(x, 0), lt(y, 1))");
  EXPECT_EQ(parsed("(x > 0) | (y < 1)"), "max(gt(x, 0), lt(y, 1))");
  EXPECT_EQ(parsed("(x > 0) ^ (y < 1)"), "ne(gt(x, 0), lt(y, 1))");
  EXPECT_EQ(parsed("~(x > 0)"), "eq(gt(x, 0), 0)");
  EXPECT_EQ(parsed("(n > 0) & (x < 1)"), "where(gt(n, 0), lt(x, 1), 0)");
  EXPECT_EQ(parsed("(n > 0) | (x < 1)"), "where(gt(n, 0), 1, lt(x, 1))");
  EXPECT_EQ(parsed("(n > 0) & (m > 1)"), "and(gt(n, 0), gt(m, 1))");
  EXPECT_EQ(parsed("n & m"), "and(n, m)");
  EXPECT_EQ(parsed("~n"), "bitwise_not(n)");
  EXPECT_NE(parsed("x > 0 & y > 0").find("binds tighter than these: write (x > 0) & (y > 0)"), std::string::npos);
  EXPECT_NE(parsed("x ^ 2").find("a power is written **"), std::string::npos);
}

TEST(Language, AChoiceIsWhere) {
  EXPECT_EQ(parsed("x if x > y else y"), "where(gt(x, y), x, y)");
  EXPECT_EQ(parsed("1 if n == 0 else 2 if n == 1 else 3"), "where(eq(n, 0), 1, where(eq(n, 1), 2, 3))");
  EXPECT_NE(parsed("x if y").find("'else' is expected"), std::string::npos);
}

TEST(Language, QuotientsAndRemaindersOfTwoSlashesAreRoundedDown) {
  EXPECT_EQ(parsed("x // y"), "floor(div(x, y))");
  EXPECT_EQ(parsed("x % y"), "sub(x, mul(floor(div(x, y)), y))");
  EXPECT_EQ(parsed("n % 7"), "where(lt(fmod(n, 7), 0), add(fmod(n, 7), 7), fmod(n, 7))");
  EXPECT_EQ(parsed("iota(4, 4) % 7"), "fmod(iota, 7)");
  EXPECT_EQ(parsed("iota(4, 4) // 7"), "div(iota, 7)");
  for (const auto& [source, value] :
       {std::pair{"-7 // 2", -4.0}, {"7 // -2", -4.0}, {"-7 % 3", 2.0}, {"7 % -3", -2.0}, {"7.5 // 2", 3.0}}) {
    const auto folded = result_of(source).folded;
    ASSERT_TRUE(folded) << source;
    EXPECT_EQ(folded->exact, value) << source;
    EXPECT_EQ(folded->as_integer, value) << source;
  }
}

// Every pair of small integers and some large ones, as Python has them.
TEST(Language, IntegersAreDividedAsPythonDoes) {
  const auto value = [](const Graph& graph, int32_t n, int32_t m) {
    std::vector<double> values;
    for (Graph::Node node = 0; node < graph.size(); ++node) {
      const Graph::Item& item = graph.item(node);
      const auto source = [&](size_t i) { return i < item.source_count() ? values[item.sources[i]] : 0; };
      values.push_back(item.kind == Graph::Item::Kind::Input ? (item.name == "n" ? n : m)
                       : item.kind == Graph::Item::Kind::Constant
                           ? item.constant
                           : evaluate_integers(item.operation, source(0), source(1), source(2)));
    }
    return values[graph.result()];
  };
  const Graph quotient = parse("n // m", matrix_of), remainder = parse("n % m", matrix_of),
              by_five = parse("n % 5", matrix_of);
  std::vector<int32_t> some{-2147483647, -1000000007, 1000000007, 2147483647};
  for (int32_t i = -12; i <= 12; ++i) some.push_back(i);
  for (const int32_t n : some) {
    for (const int32_t m : some) {
      if (m == 0) continue;
      const double q = std::floor(static_cast<double>(n) / m);
      EXPECT_EQ(value(quotient, n, m), q) << n << " // " << m;
      EXPECT_EQ(value(remainder, n, m), n - q * m) << n << " % " << m;
    }
    EXPECT_EQ(value(by_five, n, 0), n - std::floor(n / 5.0) * 5) << n;
  }
}

TEST(Language, NumbersAreThoseOfPython) {
  for (const auto& [source, value] : {std::pair{"1e-3", 1e-3},
                                      {"1_000", 1000.0},
                                      {"0x10", 16.0},
                                      {"0o17", 15.0},
                                      {"0b101", 5.0},
                                      {".5", 0.5},
                                      {"5.", 5.0},
                                      {"1_0.2_5e+1", 102.5},
                                      {"0", 0.0},
                                      {"00", 0.0},
                                      {"0.10", 0.1},
                                      {"1E2", 100.0},
                                      {"True", 1.0},
                                      {"pi", M_PI},
                                      {"np.pi", M_PI},
                                      {"math.e", M_E},
                                      {"+3", 3.0}}) {
    const Graph::Item item = result_of(source);
    EXPECT_EQ(item.folded ? item.folded->exact : item.constant, value) << source;
  }
  EXPECT_TRUE(std::isinf(result_of("inf").constant));
  EXPECT_TRUE(std::isnan(result_of("torch.nan").constant));
  for (const auto& [source, why] : {std::pair{"2x", "an operator is expected between a number"},
                                    {"1__0", "an operator is expected"},
                                    {"010", "octal"},
                                    {"1j", "complex"},
                                    {"0xg", "at most 32 bits"},
                                    {"0x123456789", "at most 32 bits"},
                                    {"1e99", "a number of FP32"},
                                    {"1.2.3", "a name is expected behind the dot"}})
    EXPECT_NE(parsed(source).find(why), std::string::npos) << source << ": " << parsed(source);
}

TEST(Language, ANameThatIsGivenIsNoConstantAndNoModule) {
  const auto all = [](std::string_view) { return Matrix{Shape{64, 64}}; };
  const auto text_of = [&](std::string_view source) {
    const Graph graph = parse(source, all);
    return text(graph, graph.result());
  };
  EXPECT_EQ(text_of("e * pi"), "mul(e, pi)");
  EXPECT_EQ(text_of("F.T + np"), "add(transpose(F), np)");
}

TEST(Language, MethodsAreFunctionsOfWhatStandsBeforeThem) {
  EXPECT_EQ(parsed("x.T"), "transpose(x)");
  EXPECT_EQ(parsed("x.T.T"), "transpose(transpose(x))");
  EXPECT_EQ(parsed("(x + y).exp()"), "exp(add(x, y))");
  EXPECT_EQ(parsed("x.clip(0, 1)"), "min(max(x, 0), 1)");
  EXPECT_EQ(parsed("x.astype(np.float32)"), "fp32(x)");
  EXPECT_EQ(parsed("x.to('bfloat16')"), "bf16(x)");
  EXPECT_EQ(parsed("x.int()"), "int32(x)");
  EXPECT_EQ(parsed("-x.abs() ** 2"), "neg(square(abs(x)))");
  EXPECT_NE(parsed("x.shape").find("known before anything runs"), std::string::npos);
  EXPECT_NE(parsed("x.exp").find("x.exp()"), std::string::npos);
  EXPECT_NE(parsed("x.foo").find("a matrix has no 'foo'"), std::string::npos);
  EXPECT_NE(parsed("x.").find("a name is expected behind the dot"), std::string::npos);
}

TEST(Language, AxesAndKeptDimensionsAreThoseOfNumPy) {
  EXPECT_EQ(parsed("x.sum(axis=1, keepdims=True)"), "rowsum(x)");
  EXPECT_EQ(parsed("x.sum(dim=-1, keepdim=True)"), "rowsum(x)");
  EXPECT_EQ(parsed("x.sum(axis=1)"), "transpose(rowsum(x))");  // a vector is a row
  EXPECT_EQ(parsed("sum(x, 0)"), "colsum(x)");
  EXPECT_EQ(parsed("x.sum(axis=-2)"), "colsum(x)");
  EXPECT_EQ(parsed("x.sum()"), "colsum(rowsum(x))");
  EXPECT_EQ(parsed("x.sum(axis=None)"), "colsum(rowsum(x))");
  EXPECT_EQ(parsed("x.sum(axis=(0, 1))"), "colsum(rowsum(x))");
  EXPECT_EQ(parsed("np.max(x, axis=0)"), "colmax(x)");
  EXPECT_EQ(parsed("x.max(0)"), "colmax(x)");
  EXPECT_EQ(parsed("max(x, 0)"), "max(x, 0)");
  EXPECT_EQ(parsed("row.sum(axis=1)"), "rowsum(row)");
  EXPECT_NE(parsed("np.max(x, 0)").find("write axis= or maximum(a, b)"), std::string::npos);
  EXPECT_NE(parsed("x.sum(axis=2)").find("axis 0"), std::string::npos);
  EXPECT_NE(parsed("x.sum(axis=1.5)").find("a whole number"), std::string::npos);
  EXPECT_NE(parsed("x.sum(axis=y)").find("a number is expected, not a matrix"), std::string::npos);
  EXPECT_NE(parsed("x.sum(keepdims=2)").find("True or False"), std::string::npos);
  EXPECT_NE(parsed("x.sum(axis=0, axis=1)").find("'axis' is given twice"), std::string::npos);
  EXPECT_NE(parsed("x.sum(where=y)").find("sum takes no 'where='"), std::string::npos);
  EXPECT_NE(parsed("exp(x, dtype=float32)").find("takes no 'dtype='"), std::string::npos);
}

TEST(Language, FunctionsAreMadeOfWhatIsThere) {
  EXPECT_EQ(parsed("argmax(x, axis=1, keepdims=True)"), "rowmin(where(eq(x, rowmax(x)), iota, 2147483647))");
  EXPECT_EQ(parsed("x.argmin(0)"), "colmin(where(eq(x, colmin(x)), iota, 2147483647))");
  EXPECT_EQ(parsed("isnan(x)"), "gt(abs(x), inf)");
  EXPECT_EQ(parsed("any(x > 0, axis=0)"), "colmax(gt(x, 0))");
  EXPECT_EQ(parsed("all(n, axis=0)"), "colmin(ne(n, 0))");
  EXPECT_EQ(parsed("cumsum(x, axis=1)"), "(x @ fp32(le(iota, iota)))");
  EXPECT_EQ(parsed("cumsum(x, axis=0)"), "(fp32(le(iota, iota)) @ x)");
  EXPECT_EQ(parsed("norm(x)"), "sqrt(colsum(rowsum(square(x))))");
  EXPECT_EQ(parsed("linear(x, y, row.T.T[0, 0:64])"), "add((x @ transpose(y)), tiles(transpose(transpose(row))))");
  EXPECT_EQ(parsed("eye(32)"), "eq(iota, iota)");
  EXPECT_EQ(parsed("arange(2, 10, 3)"), "add(mul(iota, 3), 2)");
  EXPECT_EQ(result_of("arange(2, 10, 3)").shape, (Shape{1, 3}));
  EXPECT_EQ(result_of("arange(5, 0, -2)").shape, (Shape{1, 3}));
  EXPECT_EQ(result_of("zeros((3, 4))").shape, (Shape{3, 4}));
  EXPECT_EQ(result_of("full(3, 4, pi)").constant, M_PI);
  EXPECT_EQ(result_of("tile(x, (2, 3))").shape, (Shape{128, 288}));
  EXPECT_EQ(result_of("concatenate((x, y[0:32]), axis=0)").shape, (Shape{96, 96}));
  EXPECT_EQ(result_of("vstack([row, row, row])").shape, (Shape{3, 96}));
  EXPECT_NE(parsed("concatenate((x, column), axis=1)").find("must be a multiple of 32"), std::string::npos);
  EXPECT_NE(parsed("cumsum(n, axis=1)").find("cumsum(fp32(x), axis)"), std::string::npos);
}

TEST(Language, SlicesAreThoseOfPython) {
  EXPECT_EQ(result_of("x[0:32]").shape, (Shape{32, 96}));
  EXPECT_EQ(result_of("x[:, 32:64]").shape, (Shape{64, 32}));
  EXPECT_EQ(result_of("x[..., 32:]").shape, (Shape{64, 64}));
  EXPECT_EQ(result_of("x[-32:, :-32]").shape, (Shape{32, 64}));
  EXPECT_EQ(result_of("x[32:40, 64:1000]").shape, (Shape{8, 32}));
  EXPECT_EQ(result_of("x[5]").shape, (Shape{1, 96}));
  EXPECT_EQ(result_of("x[:, 5]").shape, (Shape{1, 64}));  // a vector is a row
  EXPECT_EQ(result_of("x[3, -1]").shape, (Shape{1, 1}));
  EXPECT_EQ(parsed("x[:]"), "x");
  EXPECT_EQ(parsed("x[0:2 * 16, ::1]"), "tiles(x)");
  for (const auto& [source, why] : {std::pair{"x[3:40]", "begins at a multiple of 32"},
                                    {"x[64]", "row 64 of 64"},
                                    {"x[-65]", "row -65 of 64"},
                                    {"x[::2]", "no steps but 1"},
                                    {"x[x > 0]", "write where(condition, x, 0)"},
                                    {"x[0:32, 0:32, 0]", "two subscripts"},
                                    {"x[40:32]", "there is no row"},
                                    {"x[]", "a number or a range"},
                                    {"x[None]", "None is for vectors"},
                                    {"x[1.5]", "a whole number"},
                                    {"x[0:32", "']' is expected"}})
    EXPECT_NE(parsed(source).find(why), std::string::npos) << source << ": " << parsed(source);
}

// What NumPy holds as a vector is one row here, and keeps the one axis that it has there.
TEST(Language, VectorsHaveOneAxis) {
  EXPECT_EQ(parsed("x[5][0:32]"), parsed("x[5:6][:, 0:32]"));
  EXPECT_EQ(result_of("(x[5])[0:32]").shape, (Shape{1, 32}));
  EXPECT_EQ(parsed("n[5][-1]"), parsed("n[5:6][:, -1]"));
  EXPECT_EQ(parsed("x[5][..., 32:]"), parsed("x[5:6][:, 32:]"));
  EXPECT_EQ(parsed("x.sum(axis=1).max(axis=0)"), "rowmax(transpose(rowsum(x)))");
  EXPECT_EQ(parsed("x.sum(axis=0).max(axis=-1)"), "rowmax(colsum(x))");
  EXPECT_EQ(parsed("x.sum(axis=0).mean()"), parsed("colsum(x).mean()"));
  EXPECT_EQ(parsed("x[5].T"), parsed("x[5]"));
  EXPECT_EQ(parsed("np.transpose(x[5])"), parsed("x[5]"));
  EXPECT_EQ(parsed("x[5].cumsum(axis=0)"), parsed("x[5:6].cumsum(axis=1)"));
  EXPECT_EQ(parsed("x[5].cumsum()"), parsed("x[5:6].cumsum(axis=1)"));
  EXPECT_EQ(parsed("softmax(x[5], axis=0)"), parsed("softmax(x[5:6], axis=1)"));
  EXPECT_EQ(parsed("x[5].argmax(axis=0)"), parsed("x[5:6].argmax(axis=1)"));
  EXPECT_EQ(parsed("concatenate((x[5], x[6]))"), parsed("hstack((x[5:6], x[6:7]))"));
  EXPECT_EQ(parsed("arange(5)[:, None]"), "transpose(iota)");
  EXPECT_EQ(parsed("x[5][..., ...]"), parsed("x[5]"));
  EXPECT_EQ(result_of("x[5][:, None]").shape, (Shape{96, 1}));
  EXPECT_EQ(result_of("x[5][None, 0:32]").shape, (Shape{1, 32}));
  EXPECT_EQ(result_of("x[5][None]").shape, (Shape{1, 96}));
  EXPECT_EQ(parsed("np.full(5, 3)"), "3");
  EXPECT_EQ(result_of("np.full(5, 3)").shape, (Shape{1, 5}));
  for (const char* source :
       {"x[:, 3].max(axis=1)", "(x[:, 3] + 2 * x[:, 3]).mean(axis=1)", "(-x[5]).sum(axis=1)", "fp32(n[5]).sum(axis=1)",
        "exp(x[5]).cumsum(axis=1)", "arange(5).sum(axis=-2)", "zeros(5).max(axis=1)",
        "where(x[5] > 0, x[5], 0).sum(axis=1)", "(x[5] if x[5] > 0 else 1).sum(axis=1)", "x[5].clip(0, 1).sum(axis=1)",
        "(0 < x[5] < 1).any(axis=1)", "(not x[5]).any(axis=1)", "(x[5] @ square2).sum(axis=1)",
        "x.max(axis=0).sum(axis=(0, 1))", "x.sum(axis=0).sum(keepdims=True).sum(axis=1)", "softmax(x[5], axis=1)",
        "concatenate((x[5], x[6]), axis=1)", "zeros_like(x[5]).sum(axis=1)", "tile(x[5], 2).sum(axis=1)"}) {
    const auto names = [](std::string_view name) {
      return name == "square2" ? Matrix(Shape{96, 96}) : matrix_of(name);
    };
    try {
      parse(source, names);
      ADD_FAILURE() << source;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_NE(std::string_view(refusal.what()).find("a vector has one axis, 0"), std::string_view::npos)
          << source << ": " << refusal.what();
    }
  }
  for (const auto& [source, why] : {std::pair{"x[5][0, 0:32]", "a vector has one subscript"},
                                    {"x[:, 3][0:32, 0]", "a vector has one subscript"},
                                    {"x[5][0, None]", "a single number gets no axis"},
                                    {"x[5][96]", "column 96 of 96"},
                                    {"x[5, 3][0]", "a single number has no parts"},
                                    {"x.sum().sum(axis=1)", "a single number has no axis"},
                                    {"x[5].sum(axis=0).max(axis=0)", "a single number has no axis"},
                                    {"x[5].transpose(0, 1)", "nothing to exchange it with"},
                                    {"x[5].mT", "a vector has no .mT"},
                                    {"tril(x[5])", "tril takes a matrix"},
                                    {"trace(x[5])", "trace takes a matrix"},
                                    {"linear(x, x[5])", "linear takes a matrix"},
                                    {"concatenate((x[5], row))", "matrices or vectors, not both"},
                                    {"x.sum() @ row", "with a number write *"}})
    EXPECT_NE(parsed(source).find(why), std::string::npos) << source << ": " << parsed(source);
}

TEST(Language, AMatrixOfOneRowKeepsBothAxes) {
  EXPECT_EQ(parsed("row.T"), "transpose(row)");
  EXPECT_EQ(parsed("row.sum(axis=0)"), "colsum(row)");
  EXPECT_EQ(parsed("x[5:6].max(axis=0)"), "colmax(" + parsed("x[5:6]") + ")");
  EXPECT_EQ(parsed("row[0].max(axis=0)"), "rowmax(row)");
  EXPECT_EQ(parsed("row + row[0].max(axis=0) + row.T"), "add(add(row, rowmax(row)), transpose(row))");
  EXPECT_EQ(parsed("x.sum(axis=1, keepdims=True).max(axis=0)"), "colmax(rowsum(x))");
  EXPECT_EQ(parsed("(x[5] + row).T"), "transpose(add(" + parsed("x[5]") + ", row))");
}

TEST(Language, ProductsTakeVectorsAsNumPyDoes) {
  EXPECT_EQ(parsed("x.max(axis=0) @ x.T"), "(colmax(x) @ transpose(x))");
  EXPECT_EQ(parsed("x @ x.max(axis=0)"), "transpose((x @ transpose(colmax(x))))");
  EXPECT_EQ(parsed("x.max(axis=0) @ x.min(axis=0)"), "(colmax(x) @ transpose(colmin(x)))");
  EXPECT_NE(parsed("column @ x.max(axis=0)").find("64x1"), std::string::npos) << parsed("column @ x.max(axis=0)");
}

TEST(Language, EverySpellingMeansItsOperation) {
  std::set<std::string_view> names;
  for (const OperationSpelling& s : operation_spellings()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_FALSE(kernels::operation_named(s.name)) << s.name;
    EXPECT_FALSE(function_named(s.name)) << s.name;
    EXPECT_FALSE(refusal_of(s.name)) << s.name;
    const kernels::OperationInfo& what = kernels::info(s.operation);
    const bool integers = what.types == kernels::OperationTypes::Integer;
    const std::string operands = what.sources == 1 ? (integers ? "(n)" : "(x)") : integers ? "(n, m)" : "(x, y)";
    const std::string plain = parsed(std::string(what.name) + operands);
    EXPECT_EQ(parsed(std::string(s.name) + operands), plain);
    EXPECT_EQ(parsed("np." + std::string(s.name) + operands), plain);
    EXPECT_EQ(parsed("torch.nn.functional." + std::string(s.name) + operands), plain);
  }
}

TEST(Language, EveryFunctionIsListedOnceAndCanBeCalled) {
  std::set<std::string_view> names;
  for (const FunctionInfo& f : functions()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_FALSE(refusal_of(f.name)) << f.name;
    EXPECT_NE(parsed(fmt::format("{}()", f.name)).find(" needs '"), std::string::npos) << f.name;
    EXPECT_TRUE(f.usage.empty() || f.usage.starts_with(std::string(f.name) + "(")) << f.usage;
  }
}

TEST(Language, WhatOthersHaveIsRefusedByASentence) {
  for (const auto& [source, why] : {std::pair{"sort(x)", "on the host"},
                                    {"np.sort(x)", "on the host"},
                                    {"x.topk(3)", "argmax(x, axis=1)"},
                                    {"x.reshape(32, 192)", "whole tiles"},
                                    {"log10(x)", "log(x) / log(10)"},
                                    {"np.float64", "fp32(x)"},
                                    {"x && y", "'and' is written"},
                                    {"x || y", "'or' is written"},
                                    {"!x", "'not' is written not"},
                                    {"x = y", "'equal' is written =="},
                                    {"x <> y", "'unequal' is written !="},
                                    {"x ? y : z", "a if condition else b"},
                                    {"x \u00d7 y", "a product is written *"},
                                    {"x\u00b2", "powers are written x ** 2"},
                                    {"[1, 2] * x", "lists of numbers"},
                                    {"x (y)", "a product is written x * (...)"},
                                    {"(x)(y)", "an operator is expected before '('"},
                                    {"foo(x)", "no operation is named 'foo'"},
                                    {"maximun(x, y)", "did you mean 'maximum'?"},
                                    {"lambda: x", "no functions of one's own"},
                                    {"np.foo(x)", "no operation is named 'foo'"},
                                    {"np.", "a name is expected behind 'np.'"},
                                    {"x, y", "an operator or the end"}})
    EXPECT_NE(parsed(source).find(why), std::string::npos) << source << ": " << parsed(source);
}

TEST(Language, AMistakeIsMarked) {
  EXPECT_EQ(parsed("x + nn * 2"), "what shape has 'nn'?, at character 5:\n    x + nn * 2\n        ^");
  EXPECT_EQ(parsed("n + x * y"),
            "add cannot mix floats and integers; convert one with int32(...) or fp32(...), at character 3:\n    n + x "
            "* y\n      ^");
  const std::string long_text =
      std::string(40, '(') + "x" + std::string(40, ')') + " + \u03c0 x" + std::string(100, ' ') + "+ 1";
  const std::string refusal = parsed(long_text);
  EXPECT_NE(refusal.find("pi is written pi, at character 85:\n    ... "), std::string::npos) << refusal;
  const size_t last = refusal.rfind('\n');
  EXPECT_EQ(refusal.substr(refusal.find("\u03c0 x") == std::string::npos ? 0 : last).find('^'), 5 + 4 + 60u) << refusal;
  EXPECT_EQ(parsed(std::string("x\0y", 3)).find('\0'), std::string::npos);
}

}  // namespace
}  // namespace kerr::graph
