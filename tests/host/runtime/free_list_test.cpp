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
  }
}

}  // namespace
}  // namespace kerr::host
