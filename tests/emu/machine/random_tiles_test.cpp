// Random programs that race on purpose: however such a world is run, every cycle of it is that of the reference
// scheduler.
#include <cstdlib>

#include "tests/emu/machine/random_tiles.hpp"

namespace kerr::emu {
namespace {

constexpr Cycle kCycles = 128 * kExactWindowCycles;  // 11 windows of relaxed timing
static_assert(kCycles % kRelaxedWindowCycles == 0);
constexpr int kGroups = 12;

// KERR_RANDOM_TILES asks for more (10000 take ten minutes).
int worlds_per_group() {
  const char* asked = std::getenv("KERR_RANDOM_TILES");
  return (asked ? std::max(1, std::atoi(asked)) : 504) / kGroups;
}

Options exact(Options options = {}) {
  options.timing = Timing::Exact;
  return options;
}

std::string name_of(Timing timing) { return timing == Timing::Exact ? "Exact" : "Relaxed"; }

// --- ways of running ---

class World : public ::testing::TestWithParam<std::tuple<Timing, unsigned>> {
 protected:
  TilesOutcome with(Options options, Cycle slice = kCycles) {
    options.timing = std::get<Timing>(GetParam());
    return run(world_, options, kCycles, slice);
  }
  const RandomTiles world_{std::get<unsigned>(GetParam())};
  const TilesOutcome expected_ = with({});
};

TEST_P(World, ShardsChangeNothing) {
  for (int shards : {2, 3, 4, 8}) EXPECT_EQ(with({.shards = shards}), expected_) << shards;
}

TEST_P(World, SlicesOfTheClockChangeNothing) {
  for (Cycle slice : {1, 22, 100}) EXPECT_EQ(with({.shards = 2}, slice), expected_) << slice;
}

TEST_P(World, ParkingChangesNothing) { EXPECT_EQ(with({.parking = false}), expected_); }

TEST_P(World, TheReferenceSchedulerAgrees) { EXPECT_EQ(with({.scheduler = Scheduler::Reference}), expected_); }

INSTANTIATE_TEST_SUITE_P(
    Seeds, World, ::testing::Combine(::testing::Values(Timing::Relaxed, Timing::Exact), ::testing::Range(1u, 13u)),
    [](const auto& p) { return name_of(std::get<0>(p.param)) + std::to_string(std::get<1>(p.param)); });

// The window of exact timing only says how far tiles run without hearing of each other.
TEST(ExactTiming, TheWindowChangesNothing) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomTiles world(seed);
    const TilesOutcome expected = run(world, exact(), kCycles, kCycles);
    for (Cycle window : {1, 2, 11})
      EXPECT_EQ(run(world, exact({.window_cycles = window}), kCycles, kCycles), expected) << seed;
  }
}

TEST(ExactTiming, RefusesAWindowThatIsTooLong) {
  EXPECT_THROW(Machine(exact({.window_cycles = 23})), std::invalid_argument);
  EXPECT_EQ(Machine(exact()).options().window(), 22u);
}

// --- against the reference ---

class RandomWorlds : public ::testing::TestWithParam<int> {};

TEST_P(RandomWorlds, AreTheReferenceSchedulersToTheCycle) {
  const int worlds = worlds_per_group();
  for (int i = 0; i < worlds; ++i) {
    const unsigned seed = static_cast<unsigned>(GetParam() * worlds + i) + 1;
    const RandomTiles world(seed);
    const TilesOutcome expected = run(world, exact({.scheduler = Scheduler::Reference}), kCycles, kCycles);
    ASSERT_EQ(run(world, exact(), kCycles, kCycles), expected) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, RandomWorlds, ::testing::Range(0, kGroups));

// Two multicasts of a source that left in one window were one to the links, before each had a packet number.
TEST(ExactTiming, TwoMulticastsOfOneWindowAreTwoPackets) {
  const RandomTiles world(1526);
  EXPECT_EQ(run(world, exact(), kCycles, kCycles),
            run(world, exact({.scheduler = Scheduler::Reference}), kCycles, kCycles));
}

}  // namespace
}  // namespace kerr::emu
