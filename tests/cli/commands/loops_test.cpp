// kerr loops, as a shell sees it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "graph/npy/header.hpp"
#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

const std::string kSums = KERR_SOURCE_DIR "/tests/loops/programs/row_sums.loop";

// A .npy file of float32.
std::string npy(const std::vector<float>& numbers) {
  const std::string head =
      graph::npy::head_of_file({{graph::npy::Type::Kind::Float, 4, false}, false, {numbers.size()}});
  return head + std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

TEST(LoopsCommand, ChecksAProgram) {
  EXPECT_EQ(kerr("loops check " + kSums).text, "ok: 'row_sums', 2 parameters, 2 loops, 13 lines\n");
  EXPECT_NE(kerr("loops check --json " + kSums).text.find("\"ok\": true"), std::string::npos);
}

TEST(LoopsCommand, ShowsWhereAFileIsNoProgram) {
  const Scratch source("kernel k\n%1 = loop i32 i32:3 weak\n\t%2 = add f32 %1 %1\nend %1\n");
  for (const char* command : {"check", "show", "run"}) {
    const Outcome outcome = kerr(std::string("loops ") + command + " " + source.path());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.text,
              "kerr: " + source.path() +
                  ":3:15: '%1' is i32, and f32 is wanted\n     %2 = add f32 %1 %1\n                  ^\n");
  }
  const Outcome json = kerr("loops check --json " + source.path());
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.text.find("\"column\": 15"), std::string::npos) << json.text;
}

TEST(LoopsCommand, SaysOfAnUnclosedLoopWhereItBegins) {
  const Scratch source("kernel k\n%1 = loop i32 i32:3 weak\n");
  EXPECT_EQ(
      kerr("loops check " + source.path()).text,
      "kerr: " + source.path() + ":2:1: the 'loop' of line 2, %1, has no 'end'\n    %1 = loop i32 i32:3 weak\n    ^\n");
}

TEST(LoopsCommand, ShowsAProgramThatItTakesAgain) {
  const Outcome shown = kerr("loops show " + kSums);
  EXPECT_TRUE(shown.text.starts_with("kernel row_sums\nparam p0 f32 2\n")) << shown.text;
  const Scratch again(shown.text);
  EXPECT_EQ(kerr("loops show " + again.path()).text, shown.text);
  EXPECT_NE(kerr("loops show --json " + kSums).text.find("\"kernel\": \"row_sums\""), std::string::npos);
}

TEST(LoopsCommand, SaysWhichLoopsAreMoved) {
  const Scratch source(
      "kernel k\nparam p0 i32 9\nparam p1 i32 9\nreg r0 i32 1\n%1 = loop i32 i32:9 weak\nstore i32 r0[i32:0] i32:0\n"
      "%2 = loop i32 i32:9 reduce\n%3 = load i32 r0[i32:0]\n%4 = load i32 p1[%2]\n%5 = add i32 %3 %4\n"
      "store i32 r0[i32:0] %5\nend %2\n%6 = load i32 r0[i32:0]\nstore i32 p0[%1] %6\nend %1\n");
  const std::string remark = "the loop of line 7 comes before that of line 5";
  const std::string shown = kerr("loops show " + source.path()).text;
  EXPECT_TRUE(shown.ends_with("end %1\n# " + remark + "\n")) << shown;
  EXPECT_NE(kerr("loops show --json " + source.path()).text.find(remark), std::string::npos);
  EXPECT_EQ(kerr("loops show " + kSums).text.find("#"), std::string::npos);
}

TEST(LoopsCommand, SaysWhatRunsOnTheMatrixUnitOrWhyNothingDoes) {
  const std::string sums = kerr("loops show --path " + kSums).text;
  EXPECT_TRUE(sums.ends_with(
      "\n# tiles: no, no product, as what line 14 adds is no product; no rows, as line 14 has rows of less "
      "than 8 elements; not element-wise: line 7 stores to a register\n"))
      << sums;
  const Scratch product(
      "kernel k\nparam p0 f32 256\nparam p1 f32 65536\nreg r0 f32 1\n%1 = loop i32 i32:256 weak\n"
      "store f32 r0[i32:0] f32:0.0\n%2 = loop i32 i32:256 reduce\n%3 = mul i32 %1 i32:256\n%4 = add i32 %3 %2\n"
      "%5 = load f32 p1[%4]\n%6 = load f32 p1[%2]\n%7 = mul f32 %5 %6\n%8 = load f32 r0[i32:0]\n%9 = add f32 %8 %7\n"
      "store f32 r0[i32:0] %9\nend %2\n%10 = load f32 r0[i32:0]\nstore f32 p0[%1] %10\nend %1\n");
  const std::string shown = kerr("loops show --path " + product.path()).text;
  EXPECT_NE(shown.find("\n# tiles: "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" ms, scalar code about "), std::string::npos) << "a product, whichever is quicker: " << shown;
  EXPECT_NE(kerr("loops show --json " + product.path()).text.find("\"path\""), std::string::npos);
}

TEST(LoopsCommand, RunsAProgramOnNumbersOfTheCommandLine) {
  EXPECT_EQ(kerr("loops run " + kSums + " --p1 1,2,3,4,5,0.5").text, "p0 f32 2\n  6.0 9.5\n53 lines executed\n");
  EXPECT_EQ(kerr("loops run " + kSums + " --p1=-0.5").text, "p0 f32 2\n  -1.5 -1.5\n53 lines executed\n");
  const Outcome json = kerr("loops run --json " + kSums + " --p1 1,2,3,4,5,inf");
  EXPECT_NE(json.text.find("\"inf\""), std::string::npos) << json.text;
}

TEST(LoopsCommand, RunsAProgramOnFiles) {
  const Folder folder;
  const std::string in = folder / "x.npy", out = folder / "y.npy";
  std::ofstream(in, std::ios::binary) << npy({1, 2, 3, 4, 5, 6});
  const Outcome outcome = kerr("loops run " + kSums + " --p1 " + in + " --out " + out);
  EXPECT_EQ(outcome.text, "53 lines executed\n");
  EXPECT_EQ(content_of(out), npy({6, 15}));
  EXPECT_EQ(kerr("loops run " + kSums + " --p1 " + in + " --out p0=" + out).status, 0);
}

TEST(LoopsCommand, GivesVariablesTheirNumbers) {
  const Scratch source(
      "kernel k\nparam p0 i32 4\nvar %n i32 rows 0 4\n%1 = loop i32 %n weak\nstore i32 p0[%1] i32:-7\nend %1\n");
  EXPECT_EQ(kerr("loops run " + source.path() + " --rows 2").text, "p0 i32 4\n  -7 -7 0 0\n5 lines executed\n");
  EXPECT_NE(kerr("loops run " + source.path()).text.find("--rows is missing: a number from 0 to 4"), std::string::npos);
  EXPECT_NE(
      kerr("loops run " + source.path() + " --rows 5").text.find("--rows 5: a whole number from 0 to 4 is wanted"),
      std::string::npos);
}

TEST(LoopsCommand, TakesMemoryForWhatIsStoredOnly) {
  std::string program = "kernel large\n";
  for (int slot = 0; slot < 1024; ++slot) program += "param p" + std::to_string(slot) + " i32 1073741823\n";
  const Scratch source(program +
                       "store i32 p1023[i32:1073741822] i32:7\n%1 = load i32 p1023[i32:1073741822]\n"
                       "store i32 p1023[i32:1] %1\n");
  const Outcome outcome = kerr("loops run " + source.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("p1023 i32 1073741823\n  0 7 0 0"), std::string::npos) << outcome.text.substr(0, 500);
}

TEST(LoopsCommand, RefusesWhatDoesNotFit) {
  const auto says = [](const std::string& arguments, const std::string& part) {
    const Outcome outcome = kerr("loops run " + kSums + " " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.text.find(part), std::string::npos) << outcome.text;
  };
  says("--p1 1,2", "--p1 has 2 numbers, and p1 is 6 f32: give as many, or one for all");
  says("--p1 1,x,3,4,5,6", "--p1: 'x' is no f32, which is a decimal number, inf, -inf or nan");
  says("--p7 1", "the program has no 'p7'");
  says("--p1 1 --p1 2", "--p1 is given twice");
  says("--p1 nosuch.npy", "'nosuch.npy' cannot be read");
  says("--out p9=x.npy", "the program has no parameter 'p9'");
  const Scratch three(npy({1, 2, 3}));
  says("--p1 " + three.path(), "holds 3 numbers, and p1 is 6 f32");
}

TEST(LoopsCommand, SaysWhatAProgramDidThatNoneMay) {
  const Scratch source("kernel k\nparam p0 i32 2\n%1 = loop i32 i32:3 weak\nstore i32 p0[%1] i32:1\nend %1\n");
  const Outcome outside = kerr("loops run " + source.path());
  EXPECT_EQ(outside.status, 1);
  EXPECT_EQ(outside.text,
            "kerr: " + source.path() + ": line 4: the store to i32 p0[2] is outside of p0, which has 2 i32\n");
  const Outcome longer = kerr("loops run --max-lines 3 " + source.path());
  EXPECT_EQ(longer.status, 1);
  EXPECT_NE(longer.text.find("more than 3 lines were executed"), std::string::npos) << longer.text;
}

}  // namespace
}  // namespace kerr::cli
