// A fixed sample of the mutants of Kerr's own kernels and firmware. All of them: check_mutants --all.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/check/mutation/trial.hpp"

namespace kerr::mutation {
namespace {

TEST(Mutation, ASampleIsFoundWhereItWasMade) {
  constexpr size_t kSample = 100;
  constexpr uint32_t kNamed = 64, kElsewhere = 1, kUnlooked = 0, kMissed = 0;
  std::vector<Plain> plains;
  for (const Subject& subject : subjects()) {
    plains.push_back(run_plain(subject));
    EXPECT_EQ(plains.back().findings, "") << subject.name << " as it should be";
  }
  std::vector<Case> cases = all_cases(plains);
  // While data caches are off fences order nothing.
  std::erase_if(cases, [](const Case& c) { return c.mutant.kind == Kind::Fence; });
  ASSERT_GT(cases.size(), kSample);
  Table table{};
  for (size_t i = 0; i < kSample; ++i) {
    const Case& c = cases[i * cases.size() / kSample];
    ++table[static_cast<size_t>(c.mutant.kind)][static_cast<size_t>(run_case(c).outcome)];
  }
  const auto sum = [&](Outcome outcome) {
    uint32_t n = 0;
    for (const auto& row : table) n += row[static_cast<size_t>(outcome)];
    return n;
  };
  // What the checker knows today; registers of the coprocessor are not all of it yet.
  EXPECT_GE(sum(Outcome::Found) + sum(Outcome::Stuck), kNamed) << text(table);
  EXPECT_LE(sum(Outcome::Elsewhere) + sum(Outcome::Hangs), kElsewhere) << text(table);
  EXPECT_LE(sum(Outcome::Unlooked), kUnlooked) << text(table);
  EXPECT_LE(sum(Outcome::Missed), kMissed) << text(table);
  std::printf("%s", shares(table).c_str());
}

}  // namespace
}  // namespace kerr::mutation
