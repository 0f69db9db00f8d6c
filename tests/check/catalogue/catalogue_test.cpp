// Each program of the catalogue, with its mistake and mended, alone and before the eyes of the checker.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

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
  check::Checker checker;
  emu::Options options;
  options.observer = &checker;
  expect_result(row, bug, run(row, bug, options));
  return checker.findings();
}

// What the checker does not do yet, by row and why. A row that is met is taken out.
constexpr std::pair<uint32_t, std::string_view> kNotYet[] = {
    {2, "the line of the use is the next one"},
    {17, "the word that an atomic returns is not shadowed"},
    {19, "the race with the next launch's message is found beside it, that with its read is not"},
    {23, "the race with the reader is told instead: the packer begins behind the push and the pop"},
    {36, "the two sites stand in the order of the run"},
    {40, "fetches are not checked"},
    {47, "two producers are not looked for"},
    {48, "reads of pages that were not pushed are not looked for"},
    {49, "indices are not looked at"},
    {50, "regions are not known"},
    {51, "regions are not known"},
    {52, "regions are not known"},
    {56, "frees are not looked at"},
    {57, "frees are not looked at"},
    {58, "contents are not known"},
    {59, "contents are not known"},
    {65, "the request is not named"},
    {66, "open trains are not looked for"},
    {67, "shared counters are not looked for"},
    {68, "requests of an id are not counted"},
    {73, "the staging area is not known"},
    {74, "the staging area is not known"},
    {87, "the line of the use is the next one"},
    {89, "uses of a drain are not looked at"},
    {1, "the race at the reader is told beside the mistake"},
};
// Twins of which it says something.
constexpr std::pair<uint32_t, std::string_view> kNotSilentYet[] = {
    {19, "base firmware reads its launch message behind DONE, when the host may write the next one"},
    {40, "likewise"},
    {39, "notes that declare the semaphores of a program are not read"},
};
bool is_in(std::span<const std::pair<uint32_t, std::string_view>> list, const Row& row) {
  return std::ranges::find(list, row.number, &std::pair<uint32_t, std::string_view>::first) != list.end();
}

// The checker has no such rule yet, or does not meet the row.
bool is_for_later(const Row& row) {
  if (is_in(kNotYet, row)) return true;
  return !row.rule.empty() && !check::rule_named(row.rule.substr(0, row.rule.find(',')));
}

TEST(Catalogue, FindsEachMistakeAndWhereItIs) {
  const auto sites = read_sites();
  for (const Row& row : rows()) {
    if (is_for_later(row)) continue;
    const Sites& marks = sites.at(row.number);
    const check::Findings findings = findings_of(row, true);
    EXPECT_EQ(texts_of(findings, marks), texts_of(row, marks)) << name_of(row, true) << "\n" << account_of(findings);
  }
}

TEST(Catalogue, IsSilentAboutMendedPrograms) {
  for (const Row& row : rows()) {
    if (is_in(kNotSilentYet, row)) continue;
    const check::Findings findings = findings_of(row, false);
    EXPECT_EQ(account_of(findings), "") << name_of(row, false);
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
