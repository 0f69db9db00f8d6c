#include "host/device/late_writes.hpp"

#include <gtest/gtest.h>

#include <map>

#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "host/driver/noc_io.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

using Written = std::map<uint64_t, std::byte>;

LateWrites::Emit into(Written& memory, std::vector<uint64_t>* order = nullptr) {
  return [&memory, order](Bar, uint64_t offset, std::span<const std::byte> bytes) {
    if (order != nullptr) order->push_back(offset);
    for (size_t i = 0; i < bytes.size(); ++i) memory[offset + i] = bytes[i];
  };
}

TEST(LateWrites, AfterADrainEveryByteHasItsLastValue) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    LateWrites late(seed);
    Written memory, model;
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 300; ++i) {
      const uint64_t offset = random() % 4000;
      const auto bytes = pattern(1 + random() % 300, static_cast<uint8_t>(i));
      for (size_t j = 0; j < bytes.size(); ++j) model[offset + j] = bytes[j];
      late.add(Bar::k0, offset, bytes, into(memory));
    }
    EXPECT_NE(memory, model) << "something is still under way";
    late.drain(into(memory));
    EXPECT_EQ(memory, model) << seed;
  }
}

TEST(LateWrites, TheOrderFollowsFromTheSeedAndIsNotThatOfTheStores) {
  const auto order = [](uint64_t seed) {
    LateWrites late(seed);
    Written memory;
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < 40; ++i) late.add(Bar::k0, 64 * i, pattern(64), into(memory, &offsets));
    late.drain(into(memory, &offsets));
    return offsets;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  const auto offsets = order(1);
  EXPECT_FALSE(std::is_sorted(offsets.begin(), offsets.end()));
}

TEST(LateWrites, OnAnEmulatedDeviceAnUncachedWriteOvertakesAndAReadDoesNot) {
  EmulatedDevice device({.late_writes = 1});
  WindowAllocator allocator(device);
  Window window = *allocator.allocate(WindowAllocator::Size::k2MiB);
  window.configure(WindowTarget::tile({1, 2}, 0));
  int overtaken = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const auto bytes = pattern(64, static_cast<uint8_t>(i));
    window.write(0x1000 + 64 * i, bytes, Caching::WriteCombined);
    uint8_t seen[4];
    device.machine().read_coordinate(0, 1, 2, 0x1000 + 64 * i, seen);
    overtaken += static_cast<std::byte>(seen[1]) != bytes[1];
    std::byte word[4] = {};
    window.write(0x200, word, Caching::Uncached);
    std::vector<std::byte> back(64);
    if (i % 2 != 0) {
      device.flush();
      device.machine().read_coordinate(0, 1, 2, 0x1000 + 64 * i, seen);
      EXPECT_EQ(static_cast<std::byte>(seen[1]), bytes[1]);
    }
    window.read(0x1000 + 64 * i, back);
    EXPECT_EQ(back, bytes);
  }
  EXPECT_GT(overtaken, 10);
}

}  // namespace
}  // namespace kerr::host
