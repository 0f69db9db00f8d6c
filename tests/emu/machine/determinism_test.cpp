// Results depend on what the program and the host do, never on shards, slices, parking or the scheduler.
#include <algorithm>
#include <ostream>

#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;

constexpr Cycle kCycles = 32'768;

struct Outcome {
  Cycle cycles = 0;
  uint64_t hash = 0;
  uint32_t sum = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& o) {
    return out << "cycles " << o.cycles << " hash " << o.hash << " sum " << o.sum;
  }
};

Outcome run(Options options, Cycle slice, int tiles, Cycle cycles = kCycles) {
  TestMemory memory;
  options.host_memory = &memory;
  options.always_in_parallel = true;
  Machine machine(options);
  TestHost host(machine);
  const auto workers = arch::tensix_tiles(options.boards[0].harvesting);
  for (int i = 0; i < tiles; ++i) {
    const NocCoord bank = arch::dram_bank_tile_for_noc(options.boards[0].harvesting, i % 7, 0);
    const auto at = [&](int n) { return workers[static_cast<size_t>(n)]; };
    host.start(at(i), busy_kernel(i, at((i + 1) % tiles), at(0), bank, 3));
  }
  for (Cycle spent = 0; spent < cycles; spent += slice) machine.advance(std::min(slice, cycles - spent));
  EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
  if (options.scheduler == Scheduler::Fast && options.parking) {
    EXPECT_TRUE(machine.quiescent()) << text(machine.waits());
  }
  return {machine.now(), machine.state_hash(), host.read32(workers[0], 0x4010)};
}

class Determinism : public ::testing::Test {
 protected:
  static constexpr int kTiles = 24;
  const Outcome expected = run({}, kCycles, kTiles);
};

TEST_F(Determinism, ExactTimingComputesTheSameAndIsAsDeterministic) {
  constexpr Cycle kWindows = 1000 * kExactWindowCycles;
  const Outcome exact = run({.timing = Timing::Exact}, kWindows, kTiles, kWindows);
  EXPECT_EQ(exact.sum, expected.sum);
  for (const int shards : {2, 3, 4, 8})
    EXPECT_EQ(run({.shards = shards, .timing = Timing::Exact}, kWindows, kTiles, kWindows), exact) << shards;
  for (const Cycle slice : {1, 777}) EXPECT_EQ(run({.timing = Timing::Exact}, slice, kTiles, kWindows), exact) << slice;
  EXPECT_EQ(run({.timing = Timing::Exact, .parking = false}, kWindows, kTiles, kWindows), exact);
  EXPECT_EQ(run({.scheduler = Scheduler::Reference, .timing = Timing::Exact}, kWindows, kTiles, kWindows), exact);
}

TEST_F(Determinism, TheProgramDoesItsWork) { EXPECT_EQ(expected.sum, 3u * kTiles * (kTiles + 1) / 2); }

TEST_F(Determinism, ShardsChangeNothing) {
  for (int shards : {2, 3, 4, 8}) EXPECT_EQ(run({.shards = shards}, kCycles, kTiles), expected) << shards;
}

TEST_F(Determinism, SlicesOfTheClockChangeNothing) {
  for (Cycle slice : {1, 100, 256, 4096}) EXPECT_EQ(run({}, slice, kTiles), expected) << slice;
}

TEST_F(Determinism, ParkingChangesNothing) { EXPECT_EQ(run({.parking = false}, kCycles, kTiles), expected); }

TEST_F(Determinism, TheReferenceSchedulerAgrees) {
  EXPECT_EQ(run({.scheduler = Scheduler::Reference}, kCycles, kTiles), expected);
}

TEST_F(Determinism, TheReferenceSchedulerAgreesOnALoneTile) {
  EXPECT_EQ(run({.scheduler = Scheduler::Reference}, kCycles, 1), run({}, kCycles, 1));
}

// Another window is another NoC, but the same program on it gets the same answer, whoever schedules it.
TEST_F(Determinism, SchedulersAgreeForEveryWindow) {
  for (Cycle window : {64, 128, 1024}) {
    const Outcome fast = run({.shards = 2, .window_cycles = window}, kCycles, kTiles);
    EXPECT_EQ(run({.scheduler = Scheduler::Reference, .window_cycles = window}, kCycles, kTiles), fast) << window;
    EXPECT_EQ(fast.sum, expected.sum) << window;
  }
}

TEST_F(Determinism, TenRunsAreEqual) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run({.shards = 2}, 1000, kTiles), expected);
}

}  // namespace
}  // namespace kerr::emu
