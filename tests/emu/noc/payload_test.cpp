// Bytes under way: who shares them, and where their memory comes from.
#include "emu/noc/payload.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "tests/emu/forked.hpp"

namespace kerr::emu {
namespace {

std::vector<uint8_t> bytes_of(const Payload& payload) { return {payload.bytes().begin(), payload.bytes().end()}; }

TEST(PayloadMemory, ServesEverySizeAlignedToALine) {
  for (const size_t bytes : {1u, 64u, 65u, 128u, 129u, 4096u, 16448u, 16449u, 100'000u}) {
    void* const memory = PayloadMemory::take(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % PayloadMemory::kLineBytes, 0u) << bytes;
    std::memset(memory, 0xA5, bytes);
    PayloadMemory::give(memory, bytes);
  }
}

TEST(PayloadMemory, GivesBackWhatWasUsedLast) {
  void* const first = PayloadMemory::take(2112);
  PayloadMemory::give(first, 2112);
  EXPECT_EQ(PayloadMemory::take(2112), first);
  PayloadMemory::give(first, 2112);
}

TEST(PayloadMemory, GoesRoundBetweenAThreadThatTakesAndOneThatGives) {
  constexpr size_t kBlocks = 100;
  std::set<void*> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> blocks;
    for (size_t i = 0; i < kBlocks; ++i) blocks.push_back(PayloadMemory::take(8256));
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), kBlocks) << "a block was given twice";
    seen.insert(blocks.begin(), blocks.end());
    std::thread([&] {
      for (void* block : blocks) PayloadMemory::give(block, 8256);
    }).join();
  }
  EXPECT_LE(seen.size(), 2 * kBlocks);
}

TEST(PayloadMemory, IsThereForAChildOfForkWhateverThreadsOfItsParentWereDoing) {
  EXPECT_TRUE(children_get_through(100, [] {
    for (int i = 0; i < 1000; ++i) PayloadMemory::give(PayloadMemory::take(64), 64);
  }));
}

TEST(Payload, IsSharedByItsCopies) {
  Payload payload(std::vector<uint8_t>{1, 2, 3});
  EXPECT_TRUE(payload.alone());
  const Payload copy = payload;
  EXPECT_FALSE(payload.alone());
  EXPECT_EQ(copy.bytes().data(), payload.bytes().data());
}

TEST(Payload, LentBytesFollowTheirOwnerUntilTheyAreKept) {
  std::vector<uint8_t> owner{1, 2, 3};
  Payload lent = Payload::lent(owner);
  const Payload copy = lent;
  EXPECT_EQ(copy.bytes().data(), owner.data());
  lent.keep();
  owner[0] = 9;
  EXPECT_EQ(bytes_of(lent), (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(bytes_of(copy), (std::vector<uint8_t>{1, 2, 3}));
}

}  // namespace
}  // namespace kerr::emu
