#include "check/clock.hpp"

#include <gtest/gtest.h>

#include "check/agent_clocks.hpp"

namespace kerr::check {
namespace {

constexpr Place kHere = 5, kThere = 6, kElsewhere = 7;

TEST(Clock, KnowsWhatItHasJoined) {
  Clock a(kHere), b(kThere);
  a.raise(component::hart(0), 3);
  EXPECT_TRUE(b.join(a.snapshot()));
  EXPECT_TRUE(b.knows({kHere, component::hart(0), 3}));
  EXPECT_FALSE(b.knows({kHere, component::hart(0), 4}));
  EXPECT_FALSE(b.join(a.snapshot())) << "nothing new";
}

TEST(Clock, HandsOnWhatItHeardOfOthers) {
  Clock a(kHere), b(kThere), c(kElsewhere);
  a.raise(component::hart(1), 7);
  b.join(a.snapshot());
  c.join(b.snapshot());
  EXPECT_TRUE(c.knows({kHere, component::hart(1), 7}));
}

TEST(Clock, SnapshotsStayAsTheyAre) {
  Clock a(kHere);
  a.raise(Event{kThere, component::hart(0), 1});
  const SnapshotPtr before = a.snapshot();
  a.raise(Event{kThere, component::hart(0), 2});
  a.raise(component::hart(0), 9);
  EXPECT_FALSE(before->knows({kThere, component::hart(0), 2}));
  EXPECT_FALSE(before->knows({kHere, component::hart(0), 9}));
  EXPECT_TRUE(a.snapshot()->knows({kThere, component::hart(0), 2}));
}

TEST(Clock, HasChannelsBeyondTheFixedComponents) {
  Clock a(kHere), b(kThere);
  a.raise(component::channel(40), 2);
  b.join(a.snapshot());
  EXPECT_TRUE(b.knows({kHere, component::channel(40), 2}));
  EXPECT_FALSE(b.knows({kHere, component::channel(41), 1}));
}

TEST(AgentClock, AStoreTellsNothingOfWhatComesBehindIt) {
  AgentClock writer(kHere, component::hart(0));
  const uint32_t flag = writer.stores();
  const uint32_t later = writer.stores();
  Clock reader(kHere);
  EXPECT_TRUE(writer.hand_store(reader, flag));
  EXPECT_TRUE(reader.knows({kHere, component::hart(0), flag}));
  EXPECT_FALSE(reader.knows({kHere, component::hart(0), later}));
}

TEST(AgentClock, AStoreTellsNothingOfWhatItsHartLearntLater) {
  AgentClock writer(kHere, component::hart(0));
  const uint32_t flag = writer.stores();
  writer.acquire([](Clock& c) { c.raise(Event{kThere, component::hart(2), 4}); });
  Clock early(kHere), late(kHere);
  writer.hand_store(early, flag);
  EXPECT_FALSE(early.knows({kThere, component::hart(2), 4}));
  writer.hand_store(late, writer.stores());
  EXPECT_TRUE(late.knows({kThere, component::hart(2), 4}));
}

TEST(AgentClock, ReadsBehindAReleaseHaveANewNumber) {
  AgentClock hart(kHere, component::hart(0));
  const uint32_t before = hart.reads();
  hart.release();
  EXPECT_GT(hart.reads(), before);
}

}  // namespace
}  // namespace kerr::check
