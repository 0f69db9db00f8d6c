// Programs whose accesses are all ordered, and the same without one edge.
//
// KERR_RANDOM_PROGRAMS: how many of each kind, instead of the usual few; KERR_RANDOM_FIRST: the first seed.
#include <gtest/gtest.h>

#include "tests/check/random_programs/run.hpp"

namespace kerr::random_programs {
namespace {

constexpr uint32_t kSteps = 24;

struct Seeds {
  unsigned first = 0, end = 0;
};
Seeds seeds(unsigned usual) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  const auto number = [&](const char* name) { return emu::number_in_environment(name, 0, 1'000'000, refuse); };
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

// Of a few only consequences are named: of the accesses to a slot the last one is known.
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

// What a NoC does that uses all its freedom, the checker has said of the orderly one.
TEST(RandomPrograms, WhoseResultTheNocChangesAreReported) {
  constexpr uint64_t kReorderings = 4;
  const Seeds range = seeds(12);
  unsigned changed = 0;
  for (unsigned seed = range.first; seed < range.end; ++seed) {
    const RandomProgram random(seed, kSteps);
    const Removed removed = removed_of(random, seed);
    const host::Program program = random.build(removed);
    const std::vector<std::byte> orderly = Bench(false).run(random, program);
    bool differs = false;
    for (uint64_t reordering = 1; reordering <= kReorderings && !differs; ++reordering) {
      differs = Bench(false, {.noc_reorder = reordering}).run(random, program) != orderly;
    }
    if (!differs) continue;
    ++changed;
    Bench bench(true);
    EXPECT_EQ(bench.run(random, program), orderly) << "before the eyes of the checker: seed " << seed;
    EXPECT_NE(account_of(bench.findings()), "") << text_of(random, seed, removed);
  }
  RecordProperty("changed", static_cast<int>(changed));
  std::printf("%u of %u programs\n", changed, range.end - range.first);
}

}  // namespace
}  // namespace kerr::random_programs
