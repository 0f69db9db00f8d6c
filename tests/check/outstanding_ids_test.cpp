#include "check/requests/outstanding_ids.hpp"

#include <gtest/gtest.h>

namespace kerr::check {
namespace {

// The number of the first request that is one too many; 0: none of the first 1000.
template <class Between>
int too_many(int id, Between between) {
  OutstandingIds ids;
  for (int n = 1; n <= 1000; ++n) {
    between(ids, n);
    if (ids.issued(id)) return n;
  }
  return 0;
}

TEST(OutstandingIds, TakeRequestsThatTheirCounterCanCount) {
  EXPECT_EQ(too_many(1, [](OutstandingIds&, int) {}), 256);
}

TEST(OutstandingIds, LetThoseGoThatSomebodyHasWaitedFor) {
  EXPECT_EQ(too_many(1,
                     [](OutstandingIds& ids, int n) {
                       if (n % 128 == 0) ids.at_most(1, 0);
                     }),
            0);
  EXPECT_EQ(too_many(1, [](OutstandingIds& ids, int) { ids.at_most(1, 128); }), 0);
  EXPECT_EQ(too_many(1,
                     [](OutstandingIds& ids, int n) {
                       if (n == 200) ids.none();
                     }),
            199 + 256);
  EXPECT_EQ(too_many(1, [](OutstandingIds& ids, int) { ids.at_most(2, 0); }), 256) << "another id";
}

TEST(OutstandingIds, DoNotLookAtTheIdOfThoseThatSayNone) {
  EXPECT_EQ(too_many(0, [](OutstandingIds&, int) {}), 0);
}

TEST(OutstandingIds, KnowHowManyAWaitAllows) {
  const auto throttle = [](uint32_t count) { return count <= 128; };
  EXPECT_EQ(OutstandingIds::most_that_leaves(0, throttle), 128u);
  EXPECT_EQ(OutstandingIds::most_that_leaves(128, throttle), 128u);
  EXPECT_EQ(OutstandingIds::most_that_leaves(0, [](uint32_t count) { return count == 0; }), 0u);
  EXPECT_EQ(OutstandingIds::most_that_leaves(3, [](uint32_t) { return true; }), 255u);
}

}  // namespace
}  // namespace kerr::check
