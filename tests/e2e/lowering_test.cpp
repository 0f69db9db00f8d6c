// kerr matmul --launch small-writes and whole-writes: launches as blackhole-py's host makes them, several queued at
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "jobs/matmul.hpp"

namespace kerr::jobs {
namespace {

MatmulJob request(Launch launch, uint32_t repeat = 0) {
  MatmulJob r{.shape = {256, 256, 256}};
  r.device.emulator.shards = 1;
  r.device.emulator.timing = emu::Timing::Exact;
  r.planner = Planner::Compat;
  r.launch = launch;
  r.repeat = repeat;
  return r;
}

TEST(Launch, TheCommandsOfALaunchAreFetchedWhileTheOneBeforeItRuns) {
  const MatmulOutcome three = run(request(Launch::SmallWrites));
  EXPECT_TRUE(three.agreement.good());
  ASSERT_EQ(three.launches.size(), 3u) << "as the benchmark of that host";
  const MatmulOutcome one = run(request(Launch::SmallWrites, 1));
  ASSERT_EQ(one.launches.size(), 1u);
  EXPECT_EQ(one.hash, three.hash);
  EXPECT_EQ(one.total_cycles, three.launches[0].total_cycles) << "what comes later does not hold up the first";
  // A read of host memory takes 783 cycles behind the NoC alone, and several fit into a run.
  EXPECT_LT(three.launches[1].total_cycles + 3000, three.launches[0].total_cycles);
  uint64_t least = three.total_cycles;
  for (const LaunchTime& l : three.launches) {
    least = std::min(least, l.total_cycles);
    EXPECT_LT(l.device_cycles, l.total_cycles);
  }
  EXPECT_EQ(three.total_cycles, least);
}

TEST(Launch, PiecesWithABarrierAfterEachTakeLongerThanWholeImages) {
  EXPECT_GT(run(request(Launch::SmallWrites)).total_cycles, run(request(Launch::WholeWrites)).total_cycles + 3000);
}

TEST(Launch, UtilisationCoversTheDispatchToo) {
  MatmulJob r = request(Launch::WholeWrites);
  r.observing.watch = Watch::Timeline;
  const MatmulOutcome outcome = run(r);
  ASSERT_TRUE(outcome.timeline);
  EXPECT_EQ(outcome.timeline->utilisation.end - outcome.timeline->utilisation.begin, outcome.total_cycles);
}

TEST(Launch, OnlyLaunchesThatAreTimedOneByOneCanBeRepeated) {
  EXPECT_THROW(run(request(Launch::Overlapped, 2)), std::invalid_argument);
  EXPECT_EQ(run(request(Launch::Overlapped, 1)).launches.size(), 1u);
}

}  // namespace
}  // namespace kerr::jobs
