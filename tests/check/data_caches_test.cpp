#include "check/caches/data_caches.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kerr::check {
namespace {

constexpr int kHart = 1;
const std::vector<uint8_t> kL1(0x200);
Stamp writer(uint64_t number) { return {.number = number, .part = Part::Arrival}; }

DataCaches switched_on() {
  DataCaches caches;
  caches.set(kHart, true);
  return caches;
}

TEST(DataCaches, SayWhoHasWrittenSinceALineWasFilled) {
  DataCaches caches = switched_on();
  EXPECT_FALSE(caches.loaded(kHart, 0x100, 4, kL1));
  caches.written(0x100, 4, writer(7), -1);
  const auto old = caches.loaded(kHart, 0x100, 4, kL1);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->by.number, 7u);
}

TEST(DataCaches, SayWhatALineStillHolds) {
  DataCaches caches = switched_on();
  std::vector<uint8_t> l1(0x200);
  l1[0x105] = 9;
  caches.loaded(kHart, 0x100, 4, l1);
  l1[0x105] = 1;
  caches.written(0x104, 4, writer(7), -1);
  const auto old = caches.loaded(kHart, 0x104, 4, l1);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->value, 0x900u);
}

TEST(DataCaches, TellBytesOfALineApart) {
  DataCaches caches = switched_on();
  caches.loaded(kHart, 0x100, 4, kL1);
  caches.written(0x104, 4, writer(7), -1);
  EXPECT_FALSE(caches.loaded(kHart, 0x100, 4, kL1));
  EXPECT_TRUE(caches.loaded(kHart, 0x104, 1, kL1));
}

TEST(DataCaches, AreFilledAnewBehindAFenceOrAStoreOfTheirHart) {
  DataCaches caches = switched_on();
  caches.loaded(kHart, 0x100, 4, kL1);
  caches.written(0x100, 4, writer(7), -1);
  caches.flush(kHart);
  EXPECT_FALSE(caches.loaded(kHart, 0x100, 4, kL1));
  caches.written(0x100, 4, writer(8), -1);
  caches.written(0x108, 4, {}, kHart);
  EXPECT_FALSE(caches.loaded(kHart, 0x100, 4, kL1));
}

TEST(DataCaches, KeepFourLines) {
  DataCaches caches = switched_on();
  for (uint32_t line = 0; line < 5; ++line) caches.loaded(kHart, 16 * line, 4, kL1);
  caches.written(0, 0x100, writer(7), -1);
  EXPECT_FALSE(caches.loaded(kHart, 0, 4, kL1)) << "the first line made room";
  EXPECT_TRUE(caches.loaded(kHart, 16 * 4, 4, kL1));
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
