// kerr eval, as a shell sees it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(EvalCommand, EvalSaysHowManyElementsWereComparedHow) {
  const Outcome by_class = kerr("eval 'x / 0' --x 32x32");
  EXPECT_EQ(by_class.status, 0);
  EXPECT_NE(by_class.text.find("no element is a number with bounds"), std::string::npos) << by_class.text;
  EXPECT_NE(by_class.text.find("verified: all 1024 elements are the infinity, NaN or zero that they must be"),
            std::string::npos)
      << by_class.text;
  const auto json = parsed(kerr("eval 'x / 0' --x 32x32 --json 2>/dev/null").text);
  EXPECT_EQ(json.at("verdict"), "verified");
  EXPECT_EQ(json.at("elements").at("by_class"), 1024);
  EXPECT_EQ(json.at("elements").at("within_bounds"), 0);
}

TEST(EvalCommand, EvalNeverAdvisesAnOptionThatIsGiven) {
  const Outcome given = kerr("eval 'sin(x)' --x 32x32 --low -1e9 --high 1e9 --format fp32");
  EXPECT_EQ(given.status, 0);
  EXPECT_NE(given.text.find("right as far as it can be told"), std::string::npos) << given.text;
  EXPECT_EQ(given.text.find("--format fp32"), std::string::npos) << given.text;
  EXPECT_EQ(given.text.find("..1'"), std::string::npos) << "a range is given: " << given.text;
  const Outcome sums = kerr("matmul 1 1 65536 --fp32 --fidelity hifi4");
  EXPECT_EQ(sums.status, 0);
  EXPECT_EQ(sums.text.find("--fp32"), std::string::npos) << sums.text;
}

TEST(EvalCommand, EvalTakesARangeForEachOperand) {
  for (const char* good : {"0.1..4", "-1e3..-1e-3", "fp32:+2..2", "-4..4:fp32", "1..1e2"}) {
    const Outcome outcome = kerr(fmt::format("eval 'x * 2' --x 32x32:{}", good));
    EXPECT_EQ(outcome.status, 0) << good << outcome.text;
  }
  const struct {
    const char* range;
    const char* offender;
  } wrong[] = {{"4..1", "begins above its end"},
               {"0..1:2..3", "a range is given twice"},
               {"fp32:fp16", "a format is given twice"},
               {"int32:0.5..0.7", "where there is none"},
               {"int8:0..1000", "int8 holds -127 to 127"},
               {"a..1", "a..1"},
               {"nan..1", "nan"},
               {"1..inf", "inf"},
               {"1..", "1.."},
               {"fp33", "fp33"}};
  for (const auto& [range, offender] : wrong) {
    const Outcome outcome = kerr(fmt::format("eval 'x * 2' --x 32x32:{}", range));
    EXPECT_EQ(outcome.status, 2) << range;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << outcome.text;
  }
  const auto max_of = [](const char* range) {
    return parsed(kerr(fmt::format("eval 'int32(max(x)) * 1' --x 32x32:{} --json 2>/dev/null", range)).text).at("hash");
  };
  EXPECT_EQ(max_of("7.5..7.75"), max_of("7.25..7.9"));
  EXPECT_NE(max_of("7.5..7.75"), max_of("8.5..8.75"));
  const Outcome derived = kerr("eval 'log(x)' --x 32x32");
  EXPECT_EQ(derived.status, 0);
  EXPECT_NE(derived.text.find("operand x     from 0.1 to 1"), std::string::npos) << derived.text;
}

TEST(EvalCommand, EvalSaysWhatItHasNotToShow) {
  const Outcome products = kerr("eval x@x --x 32x32 --vector-code");
  EXPECT_EQ(products.status, 0);
  EXPECT_NE(products.text.find("'kerr kernel show' prints the others"), std::string::npos) << products.text;
}

TEST(EvalCommand, AnExpressionMayBeginWithASign) {
  for (const char* arguments :
       {"-x --x 8x8", "--x 8x8 -- -x", "--x=8x8 -x", "'~n' --n 8x8:int32", "'-x + 1' --x 8x8"}) {
    const Outcome outcome = kerr(std::string("eval --json --threads 1 ") + arguments + " 2>/dev/null");
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.text;
  }
  EXPECT_EQ(kerr("kernel show -x --x 8x8 --stream unpack").status, 0);
}

TEST(EvalCommand, MistakesInAnExpressionAreShownBeforeTheName) {
  EXPECT_NE(kerr("eval 'x + y * 2' --x 8x8").text.find("at character 5:\n    x + y * 2\n        ^"), std::string::npos);
  EXPECT_NE(kerr("eval 'x + sine(x)' --x 8x8").text.find("    x + sine(x)\n        ^"), std::string::npos);
}

}  // namespace
}  // namespace kerr::cli
