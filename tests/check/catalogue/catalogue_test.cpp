// Each program of the catalogue, with its mistake and mended, alone and before the eyes of the checker.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "check/checker.hpp"
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

// Rows that the checker does not tell exactly as they are marked, and why. One that it does must leave this list.
struct Exception {
  uint32_t number;
  std::string_view why;
};
constexpr Exception kNotYet[] = {
    {1, "the unpacker's race with the same read is told too"},
    {17, "an answer of an atomic is no access yet"},
    {19, "the next program's read of DRAM is not checked against the write"},
    {23, "the reader's race with the packer is told too"},
};
const Exception* exception_of(std::span<const Exception> all, const Row& row) {
  const auto found = std::ranges::find(all, row.number, &Exception::number);
  return found != all.end() ? &*found : nullptr;
}

TEST(Catalogue, FindsEachMistakeAndWhereItIs) {
  const auto sites = read_sites();
  size_t about_order = 0, mends = 0;
  std::string without;
  for (const Row& row : rows()) {
    if (is_for_later(row)) continue;
    const Sites& marks = sites.at(row.number);
    const check::Findings findings = findings_of(row, true);
    if (const Exception* known = exception_of(kNotYet, row)) {
      EXPECT_NE(texts_of(findings, marks), texts_of(row, marks))
          << name_of(row, true) << " is told: not " << known->why;
    } else {
      EXPECT_EQ(texts_of(findings, marks), texts_of(row, marks)) << name_of(row, true) << "\n" << account_of(findings);
    }
    for (const check::Finding& f : findings.all) {
      if (!is_about_order(f.rule)) continue;
      ++about_order;
      mends += f.mend.verified;
      if (!f.mend.verified) without += name_of(row, true) + ": " + f.what + ": " + f.mend.text + "\n";
    }
  }
  EXPECT_GE(10 * mends, 9 * about_order) << "without a mend that the model has tried:\n" << without;
}

TEST(Catalogue, IsSilentAboutMendedPrograms) {
  for (const Row& row : rows()) {
    EXPECT_EQ(account_of(findings_of(row, false)), "") << name_of(row, false);
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
  for (const auto& [number, sites] : read_sites()) EXPECT_TRUE(sites.first || sites.then) << number;
}

}  // namespace
}  // namespace kerr::catalogue
