// Ranges that random operands have when nobody has given one.
#include "graph/domain.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "graph/parse.hpp"

namespace kerr::graph {
namespace {

std::map<std::string, Range, std::less<>> of(std::string_view text) {
  return domains(parse(text, [](std::string_view) { return Shape{8, 8}; }));
}

TEST(Domain, OfRootsAndLogarithmsIsPositive) {
  for (const char* text : {"log(x)", "sqrt(x)", "rsqrt(x)", "log2(x)", "x ** 0.5", "sqrt(x * 3)", "log(bf16(x) + 0.5)",
                           "log(transpose(x))", "sqrt(rowsum(x))", "log(x @ x)", "sqrt(-(-x))"}) {
    const auto found = of(text);
    ASSERT_EQ(found.count("x"), 1u) << text;
    EXPECT_GT(found.find("x")->second.low, 0) << text;
  }
  EXPECT_LT(of("sqrt(-x)").find("x")->second.high, 0);
  EXPECT_LT(of("log(x * -2)").find("x")->second.high, 0);
}

TEST(Domain, IsLeftAloneWhereNothingIsWanted) {
  for (const char* text : {"x + 1", "sqrt(x * x)", "log(exp(x))", "x ** 3", "sqrt(x + 1)", "log(abs(x))", "x / y",
                           "where(x > 0, log(x), x)"}) {
    EXPECT_TRUE(of(text).empty()) << text;
  }
}

TEST(Domain, OfWhatIsWantedTwoWaysIsLeftAlone) { EXPECT_TRUE(of("sqrt(x) + sqrt(-x)").empty()); }

}  // namespace
}  // namespace kerr::graph
