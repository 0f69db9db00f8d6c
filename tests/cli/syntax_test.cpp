// How a command line is read.
#include "cli/syntax/syntax.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/syntax/help.hpp"

namespace kerr::cli {
namespace {

// A command with one of each kind.
struct Sample {
  Sample() {
    syntax.text("FILE", file, "what to read").required();
    syntax.number("--count", count, "how many", 1, 8);
    syntax.output_file("-o,--output", output, "what to write");
    syntax.choice("--colour", colour, {{"red", 1}, {"blue", 2}}, "of all").needs("--count");
    syntax.flag("--quiet", loud, false, "say nothing").excludes({"--output"});
  }

  // The complaint, if there is one.
  std::string parse(const std::vector<std::string>& words) {
    try {
      syntax.parse("kerr sample", words);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  Syntax syntax;
  std::string file, output;
  std::optional<uint32_t> count;
  int colour = 0;
  bool loud = true;
};

TEST(Syntax, ValuesStandBehindABlankAnEqualSignOrAShortOption) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"in", "--count", "3", "-o", "out"},
                                                {"--count=3", "in", "-oout"},
                                                {"--output=out", "--count=0x3", "--", "in"}}) {
    Sample sample;
    EXPECT_EQ(sample.parse(words), "");
    EXPECT_EQ(sample.file, "in");
    EXPECT_EQ(sample.count, 3u);
    EXPECT_EQ(sample.output, "out");
    EXPECT_TRUE(sample.loud);
  }
}

TEST(Syntax, RefusesWhatWasNotDeclaredWithTheNameOfTheOffender) {
  EXPECT_EQ(Sample().parse({}), "FILE is required");
  EXPECT_EQ(Sample().parse({"in", "too", "many"}), "'too' is one operand too many for 'kerr sample'");
  EXPECT_EQ(Sample().parse({"in", "--cuont", "3"}), "'kerr sample' has no option '--cuont'; did you mean '--count'?");
  EXPECT_EQ(Sample().parse({"in", "--count", "9"}), "--count must be from 1 to 8, not 9");
  EXPECT_EQ(Sample().parse({"in", "--count"}), "--count needs a value: NUMBER");
  EXPECT_EQ(Sample().parse({"in", "--count", "1", "--count", "1"}), "--count is given twice");
  EXPECT_EQ(Sample().parse({"in", "--quiet=1"}), "--quiet takes no value");
  EXPECT_EQ(Sample().parse({"in", "--output", ""}), "--output: it must not be empty");
  EXPECT_EQ(Sample().parse({"in", "--count", "1", "--colour", "green"}), "--colour: green not in {red,blue}");
}

TEST(Syntax, OptionsCanNeedAndExcludeEachOtherWhicheverDeclaredIt) {
  EXPECT_EQ(Sample().parse({"in", "--colour", "red"}), "--colour requires --count");
  EXPECT_EQ(Sample().parse({"in", "--quiet", "--output", "out"}), "--output excludes --quiet");
}

TEST(Syntax, NegativeNumbersAndALoneDashAreOperands) {
  for (const char* word : {"-", "-3"}) {
    Sample sample;
    EXPECT_EQ(sample.parse({word}), "");
    EXPECT_EQ(sample.file, word);
  }
}

TEST(Syntax, OptionsThatNameMatricesOfAnExpressionAreTheirShapes) {
  const auto shapes = [](const std::vector<std::string>& words) -> Shapes {
    Syntax syntax;
    std::string text;
    Shapes all;
    syntax.expression("WHAT", text, all, "an expression");
    try {
      syntax.parse("kerr sample", words);
    } catch (const UsageError& error) {
      return {{"", error.what()}};
    }
    all.emplace_back("", text);
    return all;
  };
  EXPECT_EQ(shapes({"-x + exp(y)", "--y=8x8", "--x", "4x4"}),
            (Shapes{{"y", "8x8"}, {"x", "4x4"}, {"", "-x + exp(y)"}}));
  EXPECT_EQ(shapes({"exp(y)", "--exp", "8x8"}).front().second,
            "'kerr sample' has no option '--exp', and the expression has no 'exp'");
  EXPECT_EQ(shapes({"x", "--x"}).front().second, "--x needs a shape, as in '--x 512x1024'");
}

TEST(Syntax, HelpListsOperandsAndThenOptionsByTheirHeading) {
  Syntax syntax;
  std::vector<std::string> files;
  bool json = false;
  syntax.texts("FILE", files, "what to read").required();
  syntax.group("Output");
  syntax.flag("--json", json, "print JSON");
  syntax.footer("Example:\n  kerr sample x");
  EXPECT_EQ(syntax.help("kerr sample", "read files", {}, 80),
            "read files\n\nUsage: kerr sample [OPTIONS] FILE...\n\n"
            "  FILE      what to read\n\n"
            "Output:\n  --json                    print JSON\n\n"
            "Options:\n  -h, --help                Print this help message and exit\n\n"
            "Example:\n  kerr sample x\n");
}

TEST(Help, CommandsAreCutWhereAShellGoesOn) {
  EXPECT_EQ(wrapped_command("  kerr eval \"a @ b\" --a 8x8 --b 8x8", 26),
            "  kerr eval \"a @ b\" --a \\\n      8x8 --b 8x8");
  EXPECT_EQ(wrapped("one two three", 8, 0, 2), "one two\n  three");
}

}  // namespace
}  // namespace kerr::cli
