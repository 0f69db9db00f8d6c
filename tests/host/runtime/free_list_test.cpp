#include "host/runtime/free_list.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "host/error.hpp"

namespace kerr::host {
namespace {

TEST(FreeList, NamesTheLargestFreeBlockWhenNothingFits) {
  FreeList list("test memory", 0x100, 0x1100, 64);
  const uint64_t first = list.allocate(0x800);
  list.allocate(0x400);
  list.release(first);
  EXPECT_EQ(list.largest_free(), 0x800u);
  try {
    list.allocate(0x801);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::HostError);
    EXPECT_NE(std::string(error.what()).find("the largest free block has 2048"), std::string::npos) << error.what();
  }
}

TEST(FreeList, RefusesNothingAndStrangers) {
  FreeList list("test memory", 0, 4096, 16);
  EXPECT_THROW(list.allocate(0), DeviceError);
  EXPECT_THROW(list.allocate(~0ull), DeviceError);
  EXPECT_THROW(list.release(16), DeviceError);
}

TEST(FreeList, TakesTheLowestOrTheHighestPlaceThatFits) {
  FreeList list("test memory", 0, 0x1000, 64);
  for (uint64_t at = 0; at < 0x1000; at += 0x400) EXPECT_EQ(list.allocate(0x400), at);
  list.release(0x400);
  list.release(0xC00);
  EXPECT_EQ(list.allocate_high(0x100), 0xF00u);
  EXPECT_EQ(list.allocate(0x100), 0x400u);
  EXPECT_THROW(list.allocate(0x340), OutOfDeviceMemory) << "what is left is in two pieces of 0x300";
}

RC_GTEST_PROP(FreeList, PiecesNeverOverlapAndStayInside, ()) {
  FreeList list("test memory", 100, 8192, 64);
  std::map<uint64_t, uint64_t> held;
  for (int step = 0; step < 60; ++step) {
    if (held.empty() || *rc::gen::inRange(0, 3) != 0) {
      const uint64_t bytes = *rc::gen::inRange(1, 1500);
      if (bytes > list.largest_free()) continue;
      const uint64_t at = list.allocate(bytes);
      RC_ASSERT(at % 64 == 0u);
      RC_ASSERT(at >= 100u);
      RC_ASSERT(at + bytes <= 8192u);
      for (const auto& [base, size] : held) RC_ASSERT(at + bytes <= base || base + size <= at);
      held[at] = bytes;
    } else {
      list.release(held.begin()->first);
      held.erase(held.begin());
    }
    uint64_t sum = 0;
    for (const auto& [base, size] : held) sum += (size + 63) & ~63ull;
    RC_ASSERT(list.used() == sum);
  }
  for (const auto& [base, size] : held) list.release(base);
  RC_ASSERT(list.used() == 0u);
  RC_ASSERT(list.largest_free() == list.bytes());
}

TEST(FreeList, HandsOutAndTakesBackAHundredThousandPiecesInAnyOrder) {
  FreeList list("test memory", 0, uint64_t{1} << 32, 64);
  constexpr uint64_t kPieces = 100'000, kStep = 61'861;  // coprime
  for (uint64_t i = 0; i < kPieces; ++i) ASSERT_EQ(list.allocate(4096), i * 4096);
  for (uint64_t i = 0; i < kPieces; ++i) list.release(i * kStep % kPieces * 4096);
  EXPECT_EQ(list.largest_free(), list.bytes());
}

}  // namespace
}  // namespace kerr::host
