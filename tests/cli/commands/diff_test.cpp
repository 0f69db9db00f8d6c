// kerr diff, and kerr replay --check, as a shell sees them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(DiffCommand, SaysWhereTwoRunsPartAndWhetherTheyDo) {
  const Folder folder;
  const std::string a = folder / "a.log", b = folder / "b.log";
  const std::string run = "run " KERR_SOURCE_DIR "/examples/assembler_text/add_one.s --l1 numbers:64 --args numbers,";
  ASSERT_EQ(kerr(run + "16 --record " + a).status, 0);
  ASSERT_EQ(kerr(run + "15 --record " + b).status, 0);
  const Outcome same = kerr("diff " + a + " " + a + " 2>/dev/null");
  EXPECT_EQ(same.status, 0) << same.text;
  EXPECT_NE(same.text.find("the same: "), std::string::npos) << same.text;
  const Outcome differ = kerr("diff " + a + " " + b + " 2>/dev/null");
  EXPECT_EQ(differ.status, 1) << differ.text;
  EXPECT_NE(differ.text.find("(1,2) BRISC: another value"), std::string::npos) << differ.text;
  EXPECT_NE(differ.text.find("add_one.s:4"), std::string::npos) << differ.text;
  const auto report = parsed(kerr("diff " + a + " " + b + " --json 2>/dev/null").text);
  EXPECT_EQ(report["events"]["first_difference"]["b"]["value"], 15);
  EXPECT_EQ(kerr("diff " + a + " /no/such/file").status, 2);
  const Outcome no_log = kerr("diff " + a + " " KERR_SOURCE_DIR "/README.md");
  EXPECT_EQ(no_log.status, 2);
  EXPECT_NE(no_log.text.find("this is no Kerr input log"), std::string::npos) << no_log.text;
}

TEST(ReplayCommand, ChecksARecordedRunWithItsNames) {
  const Folder folder;
  const std::string log = folder / "a.log", a = folder / "a.s", b = folder / "b.s";
  std::ofstream(a) << "lw t0, 0(a0)\nli t1, 7\nsw t1, 0(t0)\nret\n";
  std::ofstream(b) << "lw t0, 0(a0)\nli t1, 8\nsw t1, 0(t0)\nret\n";
  ASSERT_EQ(kerr("run --hart brisc=" + a + " --hart ncrisc=" + b + " --l1 word:4 --args word --record " + log).status,
            0);
  const Outcome checked = kerr("replay " + log + " --check");
  EXPECT_EQ(checked.status, 3) << checked.text;
  EXPECT_NE(checked.text.find("race"), std::string::npos) << checked.text;
  EXPECT_NE(checked.text.find("a.s:3"), std::string::npos) << checked.text;
  EXPECT_NE(checked.text.find("b.s:3"), std::string::npos) << checked.text;
}

}  // namespace
}  // namespace kerr::cli
