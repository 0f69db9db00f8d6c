#include "check/caches/data_caches.hpp"

#include <gtest/gtest.h>

namespace kerr::check {
namespace {

constexpr int kHart = 1;
Stamp writer(uint64_t number) { return {.number = number, .part = Part::Arrival}; }

DataCaches switched_on() {
  DataCaches caches;
  caches.set(kHart, true);
  return caches;
}

TEST(DataCaches, SayWhoHasWrittenSinceALineWasFilled) {
  DataCaches caches = switched_on();
  EXPECT_EQ(caches.loaded(kHart, 0x100, 4), nullptr);
  caches.written(0x100, 4, writer(7), -1);
  const Stamp* const stale = caches.loaded(kHart, 0x100, 4);
  ASSERT_NE(stale, nullptr);
  EXPECT_EQ(stale->number, 7u);
}

TEST(DataCaches, TellBytesOfALineApart) {
  DataCaches caches = switched_on();
  caches.loaded(kHart, 0x100, 4);
  caches.written(0x104, 4, writer(7), -1);
  EXPECT_EQ(caches.loaded(kHart, 0x100, 4), nullptr);
  EXPECT_NE(caches.loaded(kHart, 0x104, 1), nullptr);
}

TEST(DataCaches, AreFilledAnewBehindAFenceOrAStoreOfTheirHart) {
  DataCaches caches = switched_on();
  caches.loaded(kHart, 0x100, 4);
  caches.written(0x100, 4, writer(7), -1);
  caches.flush(kHart);
  EXPECT_EQ(caches.loaded(kHart, 0x100, 4), nullptr);
  caches.written(0x100, 4, writer(8), -1);
  caches.written(0x108, 4, {}, kHart);
  EXPECT_EQ(caches.loaded(kHart, 0x100, 4), nullptr);
}

TEST(DataCaches, KeepFourLines) {
  DataCaches caches = switched_on();
  for (uint32_t line = 0; line < 5; ++line) caches.loaded(kHart, 16 * line, 4);
  caches.written(0, 0x100, writer(7), -1);
  EXPECT_EQ(caches.loaded(kHart, 0, 4), nullptr) << "the first line made room";
  EXPECT_NE(caches.loaded(kHart, 16 * 4, 4), nullptr);
}

TEST(DataCaches, AreOffUntilTheyAreSwitchedOn) {
  DataCaches caches;
  EXPECT_FALSE(caches.any());
  caches.set(kHart, true);
  EXPECT_TRUE(caches.any() && caches.is_on(kHart));
  EXPECT_FALSE(caches.is_on(0));
  caches.set(kHart, false);
  EXPECT_FALSE(caches.any());
}

}  // namespace
}  // namespace kerr::check
