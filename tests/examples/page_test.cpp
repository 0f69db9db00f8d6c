#include "tests/examples/page.hpp"

#include <gtest/gtest.h>

namespace kerr {
namespace {

using Strings = std::vector<std::string>;

TEST(Page, ShowsCommandsWithWhatTheyPrint) {
  const auto commands = commands_of(
      "# A page\n\n    $ first\n    one\n\n      two\n\n    $ second\n\nText.\n\n    no command\n\n```\n$ "
      "third\nthree\n```\n");
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].line, "first");
  EXPECT_EQ(commands[0].output, (Strings{"one", "", "  two"}));
  EXPECT_EQ(commands[1].line, "second");
  EXPECT_EQ(commands[1].output, Strings{});
  EXPECT_EQ(commands[2].line, "third");
  EXPECT_EQ(commands[2].output, Strings{"three"});
}

TEST(Page, ContinuesACommandBehindABackslash) {
  const auto commands = commands_of("    $ a --b \\\n          --c\n    out\\\n    $ d\n");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].line, "a --b --c");
  EXPECT_EQ(commands[0].output, Strings{"out\\"});
}

TEST(Page, SaysWhatIsPrinted) {
  EXPECT_EQ(difference({"a", "b"}, {"a", "b"}), "");
  EXPECT_EQ(difference({}, {}), "");
  EXPECT_EQ(difference({"a", "b"}, {"a", "c"}), "printed:   c\nthe page:  b");
  EXPECT_EQ(difference({"a"}, {"a", "b"}), "printed:   b\nthe page:  (nothing more)");
  EXPECT_EQ(difference({"a", "b"}, {"a"}), "not printed:  b");
  EXPECT_EQ(difference({"a"}, {}), "not printed:  a");
}

TEST(Page, LeavesTextOutWhereItHasDots) {
  EXPECT_EQ(difference({"took ... cycles"}, {"took 12 cycles"}), "");
  EXPECT_EQ(difference({"a...b...c"}, {"a1b2b3c"}), "");
  EXPECT_NE(difference({"took ... cycles"}, {"took 12 seconds"}), "");
  EXPECT_NE(difference({"ab...bc"}, {"abc"}), "");
}

TEST(Page, LeavesLinesOutWhereALineIsDots) {
  EXPECT_EQ(difference({"a", "...", "z"}, {"a", "b", "z", "z"}), "");
  EXPECT_EQ(difference({"a", "...", "z"}, {"a", "z"}), "");
  EXPECT_EQ(difference({"a", "  ...", "z"}, {"a", "b", "c", "z"}), "");
  EXPECT_EQ(difference({"..."}, {}), "");
  EXPECT_EQ(difference({"a", "...", "z"}, {"a", "b"}), "not printed:  z");
}

}  // namespace
}  // namespace kerr
