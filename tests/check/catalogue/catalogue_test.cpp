// Each program of the catalogue, with its mistake and mended, alone and before the eyes of the checker.
#include <gtest/gtest.h>

#include "check/checker.hpp"
#include "check/report/watch.hpp"
#include "tests/check/catalogue/findings_text.hpp"
#include "tests/check/catalogue/row.hpp"

namespace kerr::catalogue {
namespace {

constexpr std::string_view kEnds[] = {"ends", "hangs", "faults"};

std::string name_of(const Row& row, bool bug) {
  return std::to_string(row.number) + " " + std::string(row.name) + (bug ? "" : ", mended");
}

void expect_result(const Row& row, bool bug, const Result& result) {
  const End end = bug ? row.end : End::Ends;
  const uint32_t sum = bug ? row.wrong : row.mended;
  EXPECT_EQ(kEnds[static_cast<size_t>(result.end)], kEnds[static_cast<size_t>(end)]) << name_of(row, bug) << "\n"
                                                                                     << result.report;
  if (end == End::Ends && sum != kAny) {
    EXPECT_EQ(result.sum, sum) << name_of(row, bug);
  }
}

check::Findings findings_of(const Row& row, bool bug) {
  emu::Options options;
  check::Checker checker(options.boards);
  options.observer = &checker;
  expect_result(row, bug, run(row, bug, options));
  return checker.findings();
}

bool is_about_order(check::Rule rule) {
  using enum check::Rule;
  return rule == Race || rule == InFlight || rule == CbIncomplete || rule == CbEarlyPop;
}

// The checker has no such rule yet.
bool is_for_later(const Row& row) {
  return !row.rule.empty() && !check::rule_named(row.rule.substr(0, row.rule.find(',')));
}

TEST(Catalogue, FindsEachMistakeAndWhereItIs) {
  const auto sites = read_sites();
  size_t about_order = 0, mends = 0, outcomes = 0;
  std::string without;
  for (const Row& row : rows()) {
    if (is_for_later(row)) continue;
    const Sites& marks = sites.at(row.number);
    const check::Findings findings = findings_of(row, true);
    EXPECT_EQ(texts_of(findings, marks), texts_of(row, marks)) << name_of(row, true) << "\n" << account_of(findings);
    for (const check::Finding& f : findings.all) {
      // What row 42 reads was lost before.
      const bool says = f.outcome != check::Outcome::Unknown && row.end == End::Ends && row.number != 42;
      if (check::needs_order(f.rule) && says) {
        ++outcomes;
        // What a run with the mistake computes is in the row.
        EXPECT_EQ(check::name(f.outcome), row.wrong == row.mended ? "latent" : "harmful")
            << name_of(row, true) << ": " << f.what << ": " << f.outcome_text;
      }
      if (!is_about_order(f.rule)) continue;
      ++about_order;
      mends += f.mend.verified;
      if (!f.mend.verified) without += name_of(row, true) + ": " + f.what + ": " + f.mend.text + "\n";
    }
  }
  EXPECT_GE(outcomes, 40u);
  EXPECT_GE(10 * mends, 9 * about_order) << "without a mend that the model has tried:\n" << without;
}

TEST(Catalogue, IsSilentAboutMendedPrograms) {
  for (const Row& row : rows()) {
    EXPECT_EQ(account_of(findings_of(row, false)), "") << name_of(row, false);
  }
}

// --check=memory: rows whose rule asks for an order, and one whose does not.
TEST(Catalogue, IsToldWithoutAnyOrderOnlyWhatNeedsNone) {
  for (const Row& row : rows()) {
    const bool needs_order = row.number == 2 || row.number == 29 || row.number == 32 || row.number == 35 ||
                             row.number == 67 || row.number == 103 || row.number == 105;
    if (!needs_order && row.number != 61) continue;
    emu::Options options;
    check::Watch watch({.mode = check::Watching::Mode::Memory}, options.boards);
    options.observer = &watch.observer();
    run(row, true, options);
    EXPECT_EQ(watch.findings().all.empty(), needs_order) << name_of(row, true) << "\n" << account_of(watch.findings());
  }
}

TEST(Catalogue, RunsTheSameWithoutTheChecker) {
  for (const Row& row : rows()) {
    for (const bool bug : {false, true}) {
      // Those that it knows have run before.
      if (!is_for_later(row)) continue;
      expect_result(row, bug, run(row, bug));
    }
  }
}

TEST(Catalogue, MarksTheSitesOfEachRow) {
  constexpr uint32_t kHasNone = 55;  // a program that no kernel can mend
  for (const auto& [number, sites] : read_sites()) EXPECT_EQ(sites.first || sites.then, number != kHasNone) << number;
}

}  // namespace
}  // namespace kerr::catalogue
