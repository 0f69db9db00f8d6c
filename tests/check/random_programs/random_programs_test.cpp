// Programs whose accesses are all ordered, and the same without one edge.
//
// KERR_RANDOM_PROGRAMS: how many of each kind, instead of the usual few; KERR_RANDOM_FIRST: the first seed;
// KERR_RANDOM_REORDERINGS: how many seeds of the NoC each meets.
#include <gtest/gtest.h>

#include "tests/check/random_programs/run.hpp"

namespace kerr::random_programs {
namespace {

constexpr uint32_t kSteps = 24;

struct Seeds {
  unsigned first = 0, end = 0;
};
std::optional<uint64_t> number(const char* name) {
  return emu::number_in_environment(name, 0, 1'000'000,
                                    [](const std::string& what) { throw std::invalid_argument(what); });
}
Seeds seeds(unsigned usual) {
  const auto first = static_cast<unsigned>(number("KERR_RANDOM_FIRST").value_or(0));
  return {first, first + static_cast<unsigned>(number("KERR_RANDOM_PROGRAMS").value_or(usual))};
}

TEST(RandomPrograms, MoveEachWordAndAreSilent) {
  const Seeds range = seeds(60);
  Bench bench(true);
  for (unsigned seed = range.first; seed < range.end; ++seed) {
    const RandomProgram random(seed, kSteps);
    bench.run(random, random.build());
    EXPECT_TRUE(bench.is_as_expected(random)) << "seed " << seed;
    const std::string account = account_of(bench.findings());
    ASSERT_EQ(account, "") << "seed " << seed;  // later ones would be blamed for it
  }
}

// Only consequences of a few are named: of the accesses to a slot the last one is known.
TEST(RandomPrograms, WithoutOneEdgeAreReported) {
  const Seeds range = seeds(40);
  unsigned named = 0;
  for (unsigned seed = range.first; seed < range.end; ++seed) {
    const RandomProgram random(seed, kSteps);
    const Removed removed = removed_of(random, seed);
    Bench bench(true);
    bench.run(random, random.build(removed));
    const check::Findings findings = bench.findings();
    EXPECT_FALSE(findings.all.empty()) << text_of(random, seed, removed);
    if (names_step(findings, removed.step)) {
      ++named;
    } else {
      std::printf("%s\n%s", text_of(random, seed, removed).c_str(), account_of(findings).c_str());
    }
  }
  EXPECT_GE(100 * named, 99 * (range.end - range.first));
}

// What a NoC makes of them that uses all its freedom, the checker has said of the orderly one.
TEST(RandomPrograms, WhoseResultTheNocChangesAreReported) {
  const Seeds range = seeds(40);
  const auto reorderings = number("KERR_RANDOM_REORDERINGS").value_or(4);
  const auto results = [&](emu::Options options) {
    Bench bench(false, std::move(options));
    std::vector<std::vector<std::byte>> out;
    for (unsigned seed = range.first; seed < range.end; ++seed) {
      const RandomProgram random(seed, kSteps);
      out.push_back(bench.run(random, random.build(removed_of(random, seed))));
    }
    return out;
  };
  const auto orderly = results({});
  std::vector<bool> differs(orderly.size());
  for (uint64_t reordering = 1; reordering <= reorderings; ++reordering) {
    const auto other = results({.noc_reorder = reordering});
    for (size_t i = 0; i < orderly.size(); ++i) differs[i] = differs[i] || other[i] != orderly[i];
  }
  unsigned changed = 0;
  for (size_t i = 0; i < orderly.size(); ++i) {
    if (!differs[i]) continue;
    ++changed;
    const unsigned seed = range.first + static_cast<unsigned>(i);
    const RandomProgram random(seed, kSteps);
    const Removed removed = removed_of(random, seed);
    Bench bench(true);
    EXPECT_EQ(bench.run(random, random.build(removed)), orderly[i]) << "before the eyes of the checker: seed " << seed;
    EXPECT_FALSE(bench.findings().all.empty()) << text_of(random, seed, removed);
  }
  EXPECT_GT(changed, 0u);
  std::printf("the NoC has changed %u of %zu\n", changed, orderly.size());
}

}  // namespace
}  // namespace kerr::random_programs
