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

TEST(Clock, SnapshotsHaveWhatItTicksAsItWas) {
  Clock a(kHere, component::hart(0));
  a.raise(component::hart(0), 3);
  const SnapshotPtr here = a.snapshot(), there = a.snapshot_for_others();
  a.raise(component::hart(0), 4);
  for (const SnapshotPtr& snapshot : {here, there}) {
    Clock near(kHere), far(kThere);
    near.join(snapshot);
    far.join(snapshot);
    for (const Clock* const reader : {&near, &far}) {
      EXPECT_TRUE(reader->knows({kHere, component::hart(0), 3}));
      EXPECT_FALSE(reader->knows({kHere, component::hart(0), 4}));
    }
  }
}

TEST(Clock, HearsNothingNewOfItselfFromOthers) {
  Clock a(kHere, component::hart(0)), b(kThere);
  a.raise(component::hart(0), 3);
  b.join(a.snapshot_for_others());
  b.raise(component::hart(1), 1);
  a.join(b.snapshot());
  const uint64_t version = a.version();
  b.raise(Event{kElsewhere, component::hart(2), 1});
  EXPECT_TRUE(a.join(b.snapshot()));
  EXPECT_GT(a.version(), version);
  EXPECT_EQ(a.at(component::hart(0)), 3u);
  EXPECT_FALSE(a.join(b.snapshot()));
}

// A mend is tried on a copy.
TEST(Clock, CopiesDoNotChangeEachOther) {
  Clock a(kHere);
  a.raise(Event{kThere, component::hart(0), 1});
  Clock b(a);
  b.raise(Event{kThere, component::hart(0), 5});
  EXPECT_FALSE(a.knows({kThere, component::hart(0), 5}));
  a.raise(Event{kThere, component::hart(1), 2});
  EXPECT_FALSE(b.knows({kThere, component::hart(1), 2}));
  EXPECT_TRUE(b.knows({kThere, component::hart(0), 5}));
}

TEST(Clock, JoinsWhatTwoHaveHeardOfNeighbours) {
  Clock a(kHere), b(kElsewhere + 40), c(kHere);
  for (uint32_t n = 1; n < 40; ++n) {
    (n % 2 == 0 ? a : b).raise(Event{static_cast<Place>(kElsewhere + n), component::hart(0), n});
  }
  c.join(a.snapshot());
  EXPECT_TRUE(c.join(b.snapshot()));
  for (uint32_t n = 1; n < 40; ++n) {
    EXPECT_TRUE(c.knows({static_cast<Place>(kElsewhere + n), component::hart(0), n})) << n;
    EXPECT_FALSE(c.knows({static_cast<Place>(kElsewhere + n), component::hart(0), n + 1})) << n;
  }
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
