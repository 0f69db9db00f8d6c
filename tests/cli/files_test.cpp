// Files that commands write: complete, nobody else's, or not there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(Files, RefusesAnOutputThatIsAnInputOrAnotherOutput) {
  const Folder folder;
  const std::string source = folder / "my.s", link = folder / "link.s", hard = folder / "hard.s";
  std::ofstream(source) << "nop\n";
  std::filesystem::create_symlink(source, link);
  std::filesystem::create_hard_link(source, hard);
  for (const std::string& output : {source, folder / "./my.s", link, hard}) {
    const Outcome outcome = kerr("asm " + source + " -o " + output);
    EXPECT_EQ(outcome.status, 2) << output;
    EXPECT_NE(outcome.text.find("is also what FILE reads"), std::string::npos) << outcome.text;
    EXPECT_EQ(content_of(source), "nop\n") << output;
  }
  const std::string log = folder / "a.log";
  ASSERT_EQ(kerr("matmul 8 8 8 --cores 1 --record " + log).status, 0);
  const std::string recorded = content_of(log);
  EXPECT_EQ(kerr("replay " + log + " --save " + log).status, 2);
  EXPECT_EQ(content_of(log), recorded);
  const std::string two = "matmul 8 8 8 --timing exact --trace " + (folder / "x.y");
  for (const std::string& other :
       {folder / "x.y", folder / "../kerr_folder_Files.RefusesAnOutputThatIsAnInputOrAnotherOutput/x.y"})
    EXPECT_NE(kerr(two + " --heat-map " + other).text.find("are one file"), std::string::npos) << other;
  EXPECT_NE(
      kerr("matmul 8 8 8 --record " + (folder / "x") + " --snapshot " + (folder / "x.part")).text.find("are one file"),
      std::string::npos)
      << "x is written as x.part first";
  EXPECT_NE(kerr("matmul 8 8 8 --record " + (folder / "out") + " >" + (folder / "out")).status, 0)
      << "standard output is that file";
  EXPECT_EQ(kerr("asm " + source + " -o /dev/null").status, 0) << "nothing can be lost there";
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Files, RefusesAnOutputThatIsMixedWithTheReportOrHasNoName) {
  const Folder folder;
  EXPECT_NE(
      shell(KERR_COMMAND " matmul 8 8 8 --record /dev/stdout 2>&1 | cat").text.find("is where standard output goes"),
      std::string::npos);
  EXPECT_NE(kerr("matmul 8 8 8 --record -").text.find("'-' is none"), std::string::npos);
  const std::string source = folder / "my.s";
  std::ofstream(source) << "nop\n";
  EXPECT_EQ(shell(KERR_COMMAND " asm " + source + " -o /dev/stdout 2>/dev/null | wc -c").text, "4\n");
}

TEST(Files, NamesThePartThatIsInTheWayOfAnOutput) {
  const Folder folder;
  const std::string log = folder / "a.log";
  std::filesystem::create_directory(log + ".part");
  EXPECT_NE(kerr("matmul 8 8 8 --cores 1 --record " + log).text.find("a.log.part' is no file"), std::string::npos);
}

TEST(Files, AFileThatGrowsBeyondItsLimitIsNamedAndLeavesNoCutFile) {
  const Folder folder;
  const Outcome outcome = kerr_with("ulimit -f 1", "matmul 8 8 8 --cores 1 --snapshot " + (folder / "a.snap"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("a.snap' cannot be written: File too large"), std::string::npos) << outcome.text;
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Files, AFileThatAnotherProcessWritesIsRefused) {
  const Folder folder;
  const std::string log = folder / "a.log";
  const Outcome outcome = kerr(
      "matmul 8 8 8 --record " + log +
      " --trace /dev/null --timing exact --json >/dev/null 2>&1 & first=$!; "
      "until [ -s " +
      log + ".part ]; do kill -0 $first || break; done; kill -STOP $first; " KERR_COMMAND " matmul 8 8 8 --record " +
      log + " 2>&1; echo status $?; kill -CONT $first; wait $first; echo first $?");
  EXPECT_NE(outcome.text.find("another process is writing it now"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("status 2"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("first 0"), std::string::npos) << outcome.text;
  EXPECT_EQ(kerr("replay " + log).status, 0);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, WritesNoMessagesIntoFilesWhenStandardStreamsAreClosed) {
  const Folder folder;
  const std::string log = folder / "a.log";
  EXPECT_EQ(kerr("matmul 8 8 8 --record " + log + " 2>&- <&- >/dev/null").status, 0);
  const Outcome replayed = kerr("replay " + log);
  EXPECT_EQ(replayed.status, 0) << replayed.text;
}

TEST(Files, AFullDiskIsNamedAndLeavesNoCutFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Scratch source("nop\n");
  EXPECT_NE(kerr("asm " + source.path() + " -o /dev/full").text.find("No space left on device"), std::string::npos);
  for (const char* option :
       {"--save-queue", "--record", "--snapshot", "--timing exact --trace", "--timing exact --heat-map"}) {
    const Outcome outcome = kerr(std::string("matmul 8 8 8 --cores 1 ") + option + " /dev/full");
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_NE(outcome.text.find("No space left on device"), std::string::npos) << option << outcome.text;
  }
  const Outcome absent = kerr("matmul 8 8 8 --timing exact --trace /nosuch/t.json");
  EXPECT_EQ(absent.status, 2);
  EXPECT_EQ(absent.text.find("booting"), std::string::npos) << "it is refused before anything runs";
}

}  // namespace
}  // namespace kerr::cli
