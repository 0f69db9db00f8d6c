#include "check/report/rules_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

std::string problem(const std::string& text) {
  try {
    (void)parse_rules_file(text, "known.txt");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

Suppression suppression(const std::string& line) {
  return parse_rules_file("# why\n" + line + "\n", "known.txt").suppressions.at(0);
}

TEST(RulesFile, TakesTheCommentAboveAsTheReason) {
  const RulesFile file = parse_rules_file(
      "# General words.\n\n"
      "# Silicon holds it: the same rectangle,\n# the same VC.\nrace   noc_multicast*\r\n"
      "  # 12 cycles pass before anybody looks\n  in-flight\tloader.cpp:40  \n",
      "known.txt");
  ASSERT_EQ(file.suppressions.size(), 2u);
  EXPECT_EQ(file.suppressions[0],
            (Suppression{Rule::Race, "noc_multicast*", "Silicon holds it: the same rectangle, the same VC.", 5}));
  EXPECT_EQ(file.suppressions[1],
            (Suppression{Rule::InFlight, "loader.cpp:40", "12 cycles pass before anybody looks", 7}));
}

TEST(RulesFile, RefusesASuppressionWithoutAReason) {
  EXPECT_EQ(problem("\nrace reader*\n"),
            "'known.txt', line 2: the suppression 'race reader*' has no reason: the line above it is to be a comment "
            "that says why");
  EXPECT_NE(problem("# why\n\nrace reader*\n"), "") << "a comment above an empty line is of something else";
  EXPECT_NE(problem("# why\nrace a\nrace b\n"), "") << "each wants its own";
  EXPECT_NE(problem("#\nrace a\n"), "") << "nothing is no reason";
}

TEST(RulesFile, NamesLineAndOffender) {
  EXPECT_EQ(problem("# why\nracing a\n"),
            "'known.txt', line 2: there is no rule 'racing': 'kerr check rules' lists them");
  EXPECT_EQ(problem("# why\nrase a\n"), "'known.txt', line 2: there is no rule 'rase'; did you mean 'race'?");
  EXPECT_EQ(problem("# why\nrace\n"),
            "'known.txt', line 2: 'race' wants a pattern: a function, file:line, kernel or object, in which * is any "
            "text");
  EXPECT_EQ(problem("flag\n"), "'known.txt', line 1: 'flag' wants a SYMBOL or ADDRESS, and perhaps BYTES");
  EXPECT_EQ(problem("region a 0x100\n"), "'known.txt', line 1: region 'a' wants ADDRESS and BYTES");
  EXPECT_EQ(problem("flag 12x\n"),
            "'known.txt', line 1: the address = 12x is no whole number (decimal, or hexadecimal behind 0x) from 0 to "
            "68719476736");
  EXPECT_EQ(problem("flag 4 0\n"), "'known.txt', line 1: the number of bytes must be from 1 to 68719476736, not 0");
  EXPECT_EQ(problem("private a 4 b\n"), "'known.txt', line 1: 'b' behind the end of 'private'");
  EXPECT_EQ(problem(std::string("flag a\nflag \0b\n", 14)), "'known.txt', line 2: byte 6 is 0x00, which no text has");
  EXPECT_EQ(problem(std::string(2000, 'a')).substr(0, 61),
            "'known.txt', line 1: has more than 1000 bytes: it begins 'aaa");
}

TEST(RulesFile, KeepsWhatIsSaidOfMemory) {
  using Kind = Annotation::Kind;
  const RulesFile file = parse_rules_file(
      "flag 0x39800\nmonotonic done_count\nprivate scratch 64\nregion staging 0x20000 4096\n", "known.txt");
  EXPECT_EQ(file.annotations, (std::vector<Annotation>{{Kind::Flag, "", 0x39800, 4, 1},
                                                       {Kind::Monotonic, "done_count", std::nullopt, 0, 2},
                                                       {Kind::Private, "scratch", std::nullopt, 64, 3},
                                                       {Kind::Region, "staging", 0x20000, 4096, 4}}));
}

TEST(Suppression, MatchesFunctionFileKernelAndObjectOfEitherAccess) {
  const Finding finding = pushed_early();
  for (const char* line : {"cb-incomplete reader_tiles", "cb-incomplete reader_tiles()", "* reader", "* reader.cpp:71",
                           "* kernels/reader.cpp:74", "* reader.cpp:*", "* CB 0 page *", "* *"})
    EXPECT_TRUE(suppression(line).matches(finding)) << line;
  for (const char* line : {"race reader_tiles", "* reader.cpp", "* tiles", "* Reader", "* CB 1*", "* reader.cpp:7"})
    EXPECT_FALSE(suppression(line).matches(finding)) << line;
}

TEST(Pattern, TakesAnyTextForAStar) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "a..b..b..c"));
  EXPECT_TRUE(matches("**a", "a"));
  EXPECT_FALSE(matches("a*b", "a..b."));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("", ""));
}

}  // namespace
}  // namespace kerr::check
