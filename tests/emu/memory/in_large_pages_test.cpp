#include "emu/memory/in_large_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace kerr::emu {
namespace {

struct Thing : InLargePages {
  uint8_t bytes[100'000];
};
struct TooLarge : InLargePages {
  uint8_t bytes[size_t{2} << 20];
};

TEST(InLargePages, ObjectsAreAlignedAndKeepTheirBytesWhateverComesAndGoes) {
  std::vector<std::unique_ptr<Thing>> things(100);  // five pieces
  for (size_t round = 0; round < 6; ++round) {
    for (size_t i = round; i < things.size(); i += round + 1) {
      things[i] = std::make_unique<Thing>();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(things[i].get()) % 64, 0u);
      std::memset(things[i]->bytes, static_cast<int>(i + round), sizeof(Thing::bytes));
    }
    for (size_t i = 0; i < things.size(); i += 3) things[i].reset();
  }
  for (size_t i = 0; i < things.size(); ++i) {
    if (!things[i]) continue;
    size_t last_round = 0;
    for (size_t round = 0; round < 6; ++round) {
      if (i >= round && (i - round) % (round + 1) == 0) last_round = round;
    }
    for (const size_t at : {size_t{0}, sizeof(Thing::bytes) / 2, sizeof(Thing::bytes) - 1})
      EXPECT_EQ(things[i]->bytes[at], static_cast<uint8_t>(i + last_round)) << i;
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST(InLargePages, WhatCannotFitIsRefused) { EXPECT_THROW(delete new TooLarge, std::bad_alloc); }
#endif

}  // namespace
}  // namespace kerr::emu
