#include "check/report/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

std::string text_of_all(std::vector<Finding> findings, size_t limit = 32) {
  return text(report_of({.all = std::move(findings), .accesses = 10'422'113}), Places(), limit);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// docs/reference/checker.md shows it.
TEST(CheckText, ShowsBothAccessesWhatOrdersThemAndWhatWouldMendIt) {
  std::ifstream file(KERR_SOURCE_DIR "/tests/check/report/example.txt");
  EXPECT_EQ(text_of_all({pushed_early()}), std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(CheckText, PutsWhatTheCoprocessorDoesOnOneLine) {
  EXPECT_EQ(text_of_all({packed_early()}),
            "kerr: error race [R1]  Dst rows 0..7 (section 0): packed while the matrix unit may still write them\n"
            "  first   write  MOVA2D  T1, FPU, 8th of the MOP, pushed by (5,4) TRISC1  copy()+0x2c4  copy.cpp:140  "
            "cycle 90,112\n"
            "  then    read   PACR  T2, packer, pushed by (5,4) TRISC2  pack()+0x88  pack.cpp:52  cycle 90,130\n"
            "          at Dst rows 0..7\n"
            "  order   T2 has T1's clock from SEMPOST 1 (copy.cpp:144), which was not held until the FPU was done\n"
            "  mend    STALLWAIT(block sync, C4) before the SEMPOST\n"
            "  outcome latent\n"
            "\n"
            "kerr: check: 1 error; 10,422,113 accesses checked\n");
}

TEST(CheckText, TellsWhatManyTilesDoOnceAndWhere) {
  std::vector<Finding> all;
  for (int y = 2; y <= 3; ++y)
    for (int x = 1; x <= 6; ++x) all.push_back(pushed_early(TileId::at(0, x, y), 1000 + static_cast<Cycle>(x)));
  for (Finding& finding : all) finding.count = 200;
  EXPECT_NE(text_of_all(all).find("  seen    2,400 times on 12 tiles: (1..6,2..3); first here\n"), std::string::npos)
      << text_of_all(all);
}

TEST(CheckText, SaysWhereItDidHarmIfThatIsNotWhereItIsShown) {
  Finding harmful = pushed_early(TileId::at(0, 4, 2), 200'000);
  harmful.outcome = Outcome::Harmful;
  harmful.outcome_text = "T0 unpacked bytes that changed later";
  EXPECT_NE(text_of_all({pushed_early(), harmful})
                .find("  outcome harmful: T0 unpacked bytes that changed later (on (4,2) at cycle 200,000)\n"),
            std::string::npos);
}

TEST(CheckText, HasNoLineOfMoreThan140ColumnsAndNoReportOfMoreThan30Lines) {
  Finding finding = pushed_early();
  finding.what = std::string(900, 'x') + " y";
  finding.first->kernel = std::string(500, 'k');
  finding.first->frames.front().function = std::string(300, 'f');
  for (int i = 0; i < 40; ++i) {
    finding.first->detail.push_back("detail " + std::string(200, 'd'));
    finding.then.detail.push_back("one\n two \x1b[31m");
    finding.order.push_back("because " + std::string(i * 7, 'o'));
  }
  const std::string text = text_of_all({finding});
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_LE(lines.size(), 31u) << text;  // and the summary
  for (const std::string& line : lines) EXPECT_LE(line.size(), 140u) << line;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(CheckText, NamesTheBuildingBlockThatWasInlinedAndItsCaller) {
  Finding finding = pushed_early();
  finding.first->frames.insert(finding.first->frames.begin(), frame("noc_async_read()", 0, "api.hpp", 12));
  finding.then.frames.insert(finding.then.frames.begin(), frame("", 0, "device/cb.hpp", 30));
  const std::string text = text_of_all({finding});
  EXPECT_NE(text.find("noc_async_read() inlined at reader.cpp:71 "), std::string::npos) << text;
  EXPECT_NE(text.find("reader.cpp:74 (cb.hpp:30) "), std::string::npos) << text;
}

TEST(CheckText, ShowsKernelInstructionAndPcWhereNoLinesAreKnown) {
  Finding finding = pushed_early();
  finding.first.reset();
  finding.then.frames.clear();
  finding.then.detail.clear();
  finding.then.word = 0x00a62023;
  const std::string text = text_of_all({finding});
  EXPECT_NE(text.find("  at      push   sw a0, 0(a2), by (3,2) BRISC\n"
                      "          kernel 'reader'   pc 0x00008a74   cycle 181,219\n"
                      "          at L1 0x0003_9800..0x0003_9FFF = CB 0 page 3\n"),
            std::string::npos)
      << text;
}

TEST(CheckText, StopsAtTheLimitAndSaysHowManyMoreThereAre) {
  Finding other = pushed_early(TileId::at(0, 3, 2), 5);
  other.then.frames.front().line = 90;
  const std::string text = text_of_all({pushed_early(), packed_early(), other}, 1);
  EXPECT_NE(text.find("[R1]"), std::string::npos);
  EXPECT_EQ(text.find("[R2]"), std::string::npos);
  EXPECT_NE(text.find("kerr: check: 2 more not shown: --check-limit shows them\nkerr: check: 3 errors;"),
            std::string::npos)
      << text;
}

TEST(CheckText, SaysThatNothingWasFoundAndWhatWasLost) {
  EXPECT_EQ(text(report_of({.accesses = 1}), Places(), 32), "kerr: check: nothing found; 1 access checked\n");
  EXPECT_EQ(text(report_of({.lost = {.readers = 12, .transfers = 1}}), Places(), 32),
            "kerr: check: nothing found; 0 accesses checked\n"
            "kerr: check: history was lost (12 readers, 1 transfer, 0 findings): what was not found may be there all "
            "the same\n");
}

TEST(CheckPlaces, WritesTilesAsKernelsNameThem) {
  // Two columns of a P100A are off, and those behind them are counted without them.
  EXPECT_EQ(Places({arch::kP100a}).text(TileId::at(0, 1, 2)), "(1,2)");
  EXPECT_EQ(Places({arch::kP100a}).text(TileId::at(0, 16, 2)), "(14,2)");
  EXPECT_EQ(Places().text(TileId::at(0, 16, 2)), "(16,2)");
  EXPECT_EQ(Places({arch::kP150, arch::kP150}).text(TileId::at(1, 3, 2)), "chip 1 (3,2)");
}

TEST(CheckPlaces, JoinsTilesToRectangles) {
  const TileId tiles[] = {TileId::at(0, 1, 2), TileId::at(0, 2, 2), TileId::at(0, 5, 2),
                          TileId::at(0, 1, 3), TileId::at(0, 2, 3), TileId::at(0, 9, 9)};
  EXPECT_EQ(Places().rectangles(tiles, 8), "(1..2,2..3) (5,2) (9,9)");
  EXPECT_EQ(Places().rectangles(tiles, 2), "(1..2,2..3) (5,2) ...");
}

TEST(CheckPlaces, WritesNumbersInGroups) {
  EXPECT_EQ(grouped(118), "118");
  EXPECT_EQ(grouped(10'422'113), "10,422,113");
  EXPECT_EQ(address_text(0x39800), "0x0003_9800");
  EXPECT_EQ(address_text(0x1'2345'6789), "0x1_2345_6789");
  EXPECT_EQ(range_text(0x39800, 2048), "0x0003_9800..0x0003_9FFF");
}

}  // namespace
}  // namespace kerr::check
