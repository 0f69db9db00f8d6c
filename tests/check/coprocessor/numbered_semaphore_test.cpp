#include "check/coprocessor/numbered_semaphore.hpp"

#include <gtest/gtest.h>

#include "check/component.hpp"

namespace kerr::check {
namespace {

constexpr Place kHome = 5;

/// A thread that posts or gets; each time its unit has done one thing more before.
struct Worker {
  explicit Worker(int thread) : thread(thread), clock(kHome) {}

  void post(NumberedSemaphore& s) { s.post(next(), clock.snapshot()); }
  void get(NumberedSemaphore& s) { s.get(next(), clock.snapshot()); }
  Event did(uint32_t n) const { return {kHome, component::issue(thread), n}; }

  int thread;
  uint32_t number = 0;
  Clock clock;

 private:
  Event next() {
    clock.raise(did(++number));
    return did(number);
  }
};

NumberedSemaphore initialised(uint32_t value, uint32_t max) {
  NumberedSemaphore s(kHome);
  s.init(value, max, nullptr);
  return s;
}

TEST(NumberedSemaphore, OnePostIsTakenForEachGet) {
  NumberedSemaphore s = initialised(0, 2);
  Worker math(1), pack(2);
  math.post(s);
  math.post(s);
  s.acquire_not_zero(pack.clock);
  EXPECT_TRUE(pack.clock.knows(math.did(1)));
  EXPECT_FALSE(pack.clock.knows(math.did(2))) << "a wait for one post knows of one";
  pack.get(s);
  s.acquire_not_zero(pack.clock);
  EXPECT_TRUE(pack.clock.knows(math.did(2)));
}

TEST(NumberedSemaphore, TwoHalvesAreFreedOneByOne) {
  NumberedSemaphore s = initialised(0, 2);
  Worker math(1), pack(2);
  for (int half = 0; half < 2; ++half) {
    s.acquire_below_max(math.clock);
    math.post(s);
  }
  for (int half = 0; half < 2; ++half) {
    s.acquire_not_zero(pack.clock);
    pack.get(s);
  }
  s.acquire_below_max(math.clock);
  EXPECT_TRUE(math.clock.knows(pack.did(1)));
  EXPECT_FALSE(math.clock.knows(pack.did(2))) << "the wait would have ended behind the first get";
}

TEST(NumberedSemaphore, AHartThatWaitsForZeroKnowsAllGets) {
  NumberedSemaphore s = initialised(0, 2);
  Worker math(1), pack(2);
  math.post(s);
  pack.get(s);
  s.acquire(math.clock, 0, 0);
  EXPECT_TRUE(math.clock.knows(pack.did(1)));
}

TEST(NumberedSemaphore, ANumberDoesNotTellWhichOfTwoPostersItWas) {
  NumberedSemaphore s = initialised(0, 2);
  Worker a(0), b(1), waits(2);
  a.post(s);
  b.post(s);
  s.acquire_not_zero(waits.clock);
  EXPECT_TRUE(waits.clock.knows(a.did(1)));
  EXPECT_TRUE(waits.clock.knows(b.did(1))) << "what nobody is sure of counts as ordered";
}

TEST(NumberedSemaphore, OldPostsAreKeptInOneClock) {
  NumberedSemaphore s = initialised(0, 15);
  Worker math(1), pack(2), late(0);
  for (int i = 0; i < 100; ++i) {
    math.post(s);
    s.acquire_not_zero(pack.clock);
    EXPECT_TRUE(pack.clock.knows(math.did(math.number))) << i;
    pack.get(s);
  }
  s.acquire_not_zero(late.clock);
  EXPECT_TRUE(late.clock.knows(math.did(1)));
}

TEST(NumberedSemaphore, AnUnexpectedValueEndsTheNumbers) {
  NumberedSemaphore s(kHome);
  EXPECT_EQ(s.value(), std::nullopt);
  s.saw(3);
  EXPECT_EQ(s.value(), 3u);
  Worker math(1), pack(2);
  math.post(s);
  EXPECT_EQ(s.value(), 4u);
  s.saw(2);
  EXPECT_EQ(s.value(), 2u);
  s.acquire_not_zero(pack.clock);
  EXPECT_TRUE(pack.clock.knows(math.did(1))) << "nobody can say that it was not needed";
}

}  // namespace
}  // namespace kerr::check
