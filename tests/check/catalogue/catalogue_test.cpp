// Each program of the catalogue, with its mistake and mended.
#include <gtest/gtest.h>

#include "tests/check/catalogue/row.hpp"

namespace kerr::catalogue {
namespace {

constexpr std::string_view kEnds[] = {"ends", "hangs", "faults"};

void expect(const Row& row, bool bug, End end, uint32_t sum) {
  const Result result = run(row, bug);
  const std::string name = std::to_string(row.number) + " " + std::string(row.name) + (bug ? "" : ", mended");
  EXPECT_EQ(kEnds[static_cast<size_t>(result.end)], kEnds[static_cast<size_t>(end)]) << name << "\n" << result.report;
  if (end == End::Ends && sum != kAny) {
    EXPECT_EQ(result.sum, sum) << name;
  }
}

TEST(Catalogue, ProgramsRunAndTheirTwinsAreRight) {
  for (const Row& row : rows()) {
    expect(row, false, End::Ends, row.mended);
    expect(row, true, row.end, row.wrong);
  }
}

TEST(Catalogue, MarksTheSitesOfEachRow) {
  for (const auto& [number, sites] : read_sites()) EXPECT_TRUE(sites.first || sites.then) << number;
}

}  // namespace
}  // namespace kerr::catalogue
