#include "check/report/report.hpp"

#include <gtest/gtest.h>

#include "check/report/fingerprint.hpp"
#include "check/report/json.hpp"
#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

TEST(CheckFingerprint, IsTheSameOnEveryTileAtEveryCycleAndForEveryPage) {
  const uint64_t here = fingerprint(pushed_early());
  EXPECT_EQ(fingerprint(pushed_early(TileId::at(0, 9, 9), 5, 0)), here);
  Finding moved = pushed_early();
  moved.then.pc = 0x9000;
  moved.object.address = 0x50000;
  EXPECT_EQ(fingerprint(moved), here);
}

TEST(CheckFingerprint, IsTheSameForBothOrders) {
  Finding swapped = pushed_early();
  std::swap(*swapped.first, swapped.then);
  EXPECT_EQ(fingerprint(swapped), fingerprint(pushed_early()));
}

TEST(CheckFingerprint, TellsRulesLinesInstructionsKernelsAndObjectsApart) {
  const Finding same = pushed_early();
  std::vector<Finding> others(6, same);
  others[0].rule = Rule::InFlight;
  others[1].then.frames.front().line = 75;
  others[2].first->word = 0x00a60023;  // sb
  others[3].then.kernel = "writer";
  others[4].object.name = "CB 1 page 3";
  others[5].first.reset();
  for (const Finding& other : others) EXPECT_NE(fingerprint(other), fingerprint(same));
}

TEST(CheckFingerprint, OfCodeWithoutNamesIsOfItsAddress) {
  Finding a = pushed_early(), b = pushed_early();
  for (Finding* f : {&a, &b}) f->then.frames.clear();
  b.then.pc = 0x8a78;
  EXPECT_NE(fingerprint(a), fingerprint(b));
}

TEST(CheckFingerprint, LeavesNumbersOfPagesOutOfNames) {
  EXPECT_EQ(without_places("CB 0 page 3"), "CB 0 page");
  EXPECT_EQ(without_places("CB 0 pages 3..7 + 64"), "CB 0 pages");
  EXPECT_EQ(without_places("buffer 'w2' page 12"), "buffer 'w2' page");
  EXPECT_EQ(without_places("semaphore 3 of program 'p'"), "semaphore 3 of program 'p'");
  EXPECT_EQ(without_places("L1 0x39800"), "L1");
}

// Fingerprints are in files of others: a change of them makes every baseline worthless.
TEST(CheckFingerprint, StaysWhatItIs) {
  EXPECT_EQ(text_of_fingerprint(fingerprint(pushed_early())), "0000000000000000");
}

TEST(CheckReport, PutsTheHarmfulFirstThenErrorsByTheirTime) {
  Finding late = pushed_early(), early = packed_early(), warning = pushed_early(), harmful = pushed_early();
  warning.rule = Rule::NocShared;
  warning.cycle = 1;
  harmful.rule = Rule::InFlight;
  harmful.cycle = 900'000;
  harmful.outcome = Outcome::Harmful;
  const Report report = report_of({.all = {warning, early, late, harmful}});
  std::vector<Rule> rules;
  for (const Defect& defect : report.defects) rules.push_back(defect.finding.rule);
  EXPECT_EQ(rules, (std::vector<Rule>{Rule::InFlight, Rule::Race, Rule::CbIncomplete, Rule::NocShared}));
  EXPECT_EQ(report.defects[0].id, "R1");
  EXPECT_EQ(report.defects[3].id, "R4");
}

TEST(CheckReport, CountsFindingsOfOneFingerprintAndKeepsTheEarliest) {
  Finding again = pushed_early(TileId::at(0, 4, 2), 300'000);
  again.count = 7;
  const Report report = report_of({.all = {pushed_early(), again, pushed_early(TileId::at(0, 3, 2), 400'000)}});
  ASSERT_EQ(report.defects.size(), 1u);
  EXPECT_EQ(report.defects[0].count, 9u);
  EXPECT_EQ(report.findings, 9u);
  EXPECT_EQ(report.defects[0].finding.cycle, 181'219u);
  EXPECT_EQ(report.defects[0].tiles, (std::vector<TileId>{TileId::at(0, 3, 2), TileId::at(0, 4, 2)}));
}

TEST(CheckReport, LeavesOutWhatIsSuppressedAndListsWhatSuppressedNothing) {
  const RulesFile rules = parse_rules_file(
      "# the driver drains it\ncb-incomplete reader_tiles\n# never seen\nrace  *copy.cpp:7\n", "known.txt");
  const Report report = report_of({.all = {pushed_early(), packed_early()}}, &rules);
  EXPECT_EQ(report.count(Level::Error), 1u);
  EXPECT_EQ(report.suppressed(), 1u);
  EXPECT_EQ(report.defects[1].suppression->reason, "the driver drains it");
  ASSERT_EQ(report.unused.size(), 1u);
  EXPECT_EQ(report.unused[0].line, 4u);
}

TEST(CheckReport, SuppressesOnePageAndKeepsTheOthers) {
  const RulesFile rules = parse_rules_file("# page 3 is scratch\n* CB 0 page 3\n", "known.txt");
  const Report report = report_of({.all = {pushed_early(), pushed_early(TileId::at(0, 3, 2), 190'000, 2)}}, &rules);
  EXPECT_EQ(report.count(Level::Error), 1u);
  EXPECT_EQ(report.suppressed(), 1u);
  EXPECT_EQ(report.defects[0].finding.object.name, "CB 0 page 2");
}

TEST(CheckReport, ComparesWithABaselineThatAnEarlierReportIs) {
  const Report before = report_of({.all = {pushed_early()}});
  const Baseline baseline = parse_baseline(json(before, Places()).dump(2), "base.json");
  const Report same = report_of({.all = {pushed_early(TileId::at(0, 7, 7), 9)}}, nullptr, &baseline);
  EXPECT_EQ(same.known(), 1u);
  EXPECT_FALSE(same.has_errors());
  EXPECT_TRUE(same.gone.empty());
  const Report other = report_of({.all = {packed_early()}}, nullptr, &baseline);
  EXPECT_TRUE(other.has_errors());
  ASSERT_EQ(other.gone.size(), 1u);
  EXPECT_EQ(other.gone[0].known.rule, "cb-incomplete");
}

TEST(CheckReport, IsTheSameForTheSameFindings) {
  const auto text = [] { return json(report_of({.all = {pushed_early(), packed_early()}}), Places()).dump(0); };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace kerr::check
