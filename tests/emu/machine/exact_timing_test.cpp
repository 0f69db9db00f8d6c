// Exact timing: however a world is run, every cycle of it is that of the reference scheduler.
#include <cstdlib>

#include "tests/emu/machine/random_tiles.hpp"

namespace kerr::emu {
namespace {

constexpr Cycle kCycles = 100 * kExactWindowCycles;
constexpr int kGroups = 12;

// KERR_RANDOM_TILES asks for more (10000 take some minutes).
int worlds_per_group() {
  const char* asked = std::getenv("KERR_RANDOM_TILES");
  return (asked ? std::max(1, std::atoi(asked)) : 504) / kGroups;
}

MachineOptions exact(MachineOptions options = {}) {
  options.timing = Timing::Exact;
  return options;
}

// --- ways of running ---

class ExactWorld : public ::testing::TestWithParam<unsigned> {
 protected:
  const RandomTiles world{GetParam()};
  const TilesOutcome expected = run(world, exact(), kCycles, kCycles);
};

TEST_P(ExactWorld, ShardsChangeNothing) {
  for (int shards : {2, 3, 4, 8}) EXPECT_EQ(run(world, exact({.shards = shards}), kCycles, kCycles), expected) << shards;
}

TEST_P(ExactWorld, SlicesOfTheClockChangeNothing) {
  for (Cycle slice : {1, 22, 100}) EXPECT_EQ(run(world, exact({.shards = 2}), kCycles, slice), expected) << slice;
}

TEST_P(ExactWorld, ParkingChangesNothing) {
  EXPECT_EQ(run(world, exact({.parking = false}), kCycles, kCycles), expected);
}

// The window only says how far tiles run without hearing of each other.
TEST_P(ExactWorld, TheWindowChangesNothing) {
  for (Cycle window : {1, 2, 11}) EXPECT_EQ(run(world, exact({.window_cycles = window}), kCycles, kCycles), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactWorld, ::testing::Range(1u, 13u));

TEST(ExactTiming, RefusesAWindowThatIsTooLong) {
  EXPECT_THROW(Machine(exact({.window_cycles = 23})), std::invalid_argument);
  EXPECT_EQ(Machine(exact()).options().window_cycles, 22u);
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

}  // namespace
}  // namespace kerr::emu
