#include "check/regions/device_memory.hpp"

#include <gtest/gtest.h>

namespace kerr::check {
namespace {

using arch::note::Allocated;
using arch::note::Freed;
using Space = Allocated::Space;

Allocated buffer(uint64_t id, uint32_t address, uint64_t bytes, Space space = Space::Dram) {
  return {.id = id, .space = space, .address = address, .per_bank = bytes};
}

TEST(DeviceMemory, KnowsWhatWasFreedAndWhen) {
  DeviceMemory memory;
  memory.noted(buffer(1, 0x1000, 0x800), 5);
  EXPECT_EQ(memory.freed_dram(0x1000, 64), nullptr);
  memory.noted(arch::note::Launched{.id = 2}, 6);
  memory.noted(Freed{1}, 7);
  memory.noted(arch::note::Launched{.id = 3}, 8);
  const DeviceMemory::Freed* const freed = memory.freed_dram(0x17FC, 4);
  ASSERT_NE(freed, nullptr);
  EXPECT_EQ(freed->buffer, 1u);
  EXPECT_EQ(freed->last_launch, 2u);
  EXPECT_EQ(freed->cycle, 7u);
  EXPECT_EQ(memory.freed_dram(0x1800, 64), nullptr);
  EXPECT_EQ(memory.freed_dram(0xFC0, 64), nullptr);
  EXPECT_NE(memory.freed_dram(0xFC0, 65), nullptr) << "a request that reaches into it";
}

TEST(DeviceMemory, ForgetsOfFreedMemoryWhatIsGivenAnew) {
  DeviceMemory memory;
  memory.noted(buffer(1, 0x1000, 0x1000), 0);
  memory.noted(Freed{1}, 1);
  memory.noted(buffer(2, 0x1400, 0x400), 2);
  EXPECT_NE(memory.freed_dram(0x13C0, 64), nullptr);
  EXPECT_EQ(memory.freed_dram(0x1400, 0x400), nullptr);
  EXPECT_NE(memory.freed_dram(0x1800, 64), nullptr);
  memory.noted(Freed{2}, 3);
  ASSERT_NE(memory.freed_dram(0x1400, 64), nullptr);
  EXPECT_EQ(memory.freed_dram(0x1400, 64)->buffer, 2u);
  memory.noted(buffer(3, 0, 0x10000), 4);
  EXPECT_EQ(memory.freed_dram(0, 0x10000), nullptr);
}

TEST(DeviceMemory, TellsBuffersInL1FromWhatLiesBesideThem) {
  DeviceMemory memory;
  memory.noted(buffer(1, 0x100000, 0x800, Space::L1), 0);
  EXPECT_TRUE(memory.is_buffer_in_l1(0x100000, 0x800));
  EXPECT_FALSE(memory.is_buffer_in_l1(0x1007FC, 8));
  EXPECT_FALSE(memory.is_buffer_in_l1(0xFFFFC, 4));
  EXPECT_EQ(memory.freed_dram(0x100000, 4), nullptr);
  memory.noted(Freed{1}, 1);
  EXPECT_FALSE(memory.is_buffer_in_l1(0x100000, 4));
  EXPECT_EQ(memory.freed_dram(0x100000, 4), nullptr) << "it is no DRAM";
}

TEST(DeviceMemory, TakesNoNoteOfBuffersThatItDoesNotKnow) {
  DeviceMemory memory;
  memory.noted(Freed{9}, 0);
  EXPECT_EQ(memory.freed_dram(0, 1u << 20), nullptr);
}

}  // namespace
}  // namespace kerr::check
