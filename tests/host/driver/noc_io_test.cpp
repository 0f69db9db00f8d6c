#include "host/driver/noc_io.hpp"

#include <gtest/gtest.h>

#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kTile{3, 5};

size_t count_of(WindowAllocator& allocator, WindowAllocator::Size size) {
  std::vector<Window> held;
  while (auto window = allocator.allocate(size)) held.push_back(std::move(*window));
  return held.size();
}

TEST(Windows, TheDriversWindowIsNeverGivenOutAndWindowsComeBack) {
  FakeDevice device;
  WindowAllocator allocator(device);
  {
    std::vector<Window> held;
    while (auto window = allocator.allocate(WindowAllocator::Size::k2MiB)) {
      EXPECT_NE(window->index(), 201u);
      held.push_back(std::move(*window));
    }
    EXPECT_EQ(held.size(), 201u);
    EXPECT_EQ(held.front().index(), 32u) << "windows with stride patterns come last";
    held[100] = std::move(held.back());
    held.pop_back();
    EXPECT_EQ(allocator.allocate(WindowAllocator::Size::k2MiB)->index(), 132u) << "the one that was overwritten";
  }
  EXPECT_EQ(count_of(allocator, WindowAllocator::Size::k2MiB), 201u);
  EXPECT_EQ(count_of(allocator, WindowAllocator::Size::k4GiB), 8u);
}

TEST(Windows, ASmallerBar4HasFewerLargeWindows) {
  FakeDevice device;
  device.bar4_bytes = 13ull << 30;
  WindowAllocator allocator(device);
  EXPECT_EQ(count_of(allocator, WindowAllocator::Size::k4GiB), 3u);
  device.bar4_bytes = 0;
  EXPECT_FALSE(WindowAllocator(device).allocate(WindowAllocator::Size::k4GiB).has_value());
}

TEST(Windows, AWindowThatWasConfiguredHalfWayShowsNothing) {
  FakeDevice device;
  WindowAllocator allocator(device);
  Window window = *allocator.allocate(WindowAllocator::Size::k2MiB);
  EXPECT_FALSE(window.target().has_value());
  window.configure(WindowTarget::tile(kTile, 0));
  EXPECT_EQ(window.target(), WindowTarget::tile(kTile, 0));
  device.fail_config_writes = true;
  EXPECT_THROW(window.configure(WindowTarget::tile({1, 2}, 0)), DeviceError);
  EXPECT_FALSE(window.target().has_value()) << "a cache must not take it for its old target";
}

TEST(Windows, RefuseRangesAndBasesThatDoNotFit) {
  FakeDevice device;
  WindowAllocator allocator(device);
  Window window = *allocator.allocate(WindowAllocator::Size::k2MiB);
  EXPECT_THROW(window.configure(WindowTarget::tile(kTile, 0x1000)), DeviceError);
  window.configure(WindowTarget::tile(kTile, 0));
  std::byte bytes[8];
  EXPECT_THROW(window.read((2 << 20) - 4, bytes), DeviceError);
  EXPECT_THROW(window.read(~0ull, bytes), DeviceError);
  window.configure({.tiles = {{1, 2}, {4, 4}}, .multicast = true});
  EXPECT_THROW(window.read(0, bytes), DeviceError);
}

TEST(NocIo, ATransferAcrossAWindowBorderIsSplit) {
  FakeDevice device;
  device.bar4_bytes = 0;
  NocIo io(device);
  const auto bytes = pattern(100);
  io.write({17, 14}, (2 << 20) - 40, bytes);
  ASSERT_EQ(device.writes.size(), 2u);
  EXPECT_EQ(device.writes[0].bytes.size(), 40u);
  std::vector<std::byte> back(100);
  io.read({17, 14}, (2 << 20) - 40, back);
  EXPECT_EQ(back, bytes);
}

TEST(NocIo, DramGoesThroughOneLargeWindowPerBank) {
  FakeDevice device;
  NocIo io(device);
  const auto bytes = pattern(64);
  io.write({17, 12}, 0x0, bytes);
  const uint64_t configured = device.config_writes;
  io.write({17, 12}, 0xE000'0000, bytes);
  EXPECT_EQ(device.config_writes, configured);
  EXPECT_EQ(device.at({17, 12}, 0xE000'0001), bytes[1]);
}

TEST(NocIo, GoingRoundAllTilesConfiguresEachWindowOnce) {
  FakeDevice device;
  NocIo io(device);
  for (int round = 0; round < 3; ++round) {
    for (uint8_t y = 2; y < 12; ++y) {
      for (uint8_t x = 1; x < 15; ++x) io.write32({x, y}, 0x370, 1);
    }
  }
  EXPECT_EQ(device.config_writes, 140u * 3);
}

TEST(NocIo, MoreTargetsThanWindowsStillReachTheRightTile) {
  FakeDevice device;
  NocIo io(device);
  for (uint32_t i = 0; i < 400; ++i) io.write32(kTile, static_cast<uint64_t>(i) << 21, i);
  for (uint32_t i = 0; i < 400; ++i) EXPECT_EQ(io.read32(kTile, static_cast<uint64_t>(i) << 21), i);
}

TEST(NocIo, AMessageNeverOvertakesWriteCombinedData) {
  FakeDevice device;
  NocIo io(device);
  io.write(kTile, 0x1000, pattern(96));
  const uint64_t before = device.flushes;
  io.write32(kTile, 0x370, 0x8000'0000);
  EXPECT_EQ(device.flushes, before + 1);
  EXPECT_EQ(device.writes[0].caching, Caching::WriteCombined);
  EXPECT_EQ(device.writes[1].caching, Caching::Uncached);
}

TEST(NocIo, LateDataIsFlushedBeforeItsWindowMoves) {
  FakeDevice device;
  device.bar4_bytes = 0;
  NocIo io(device);
  for (uint32_t i = 0; i < 161; ++i) {  // the last one takes the first one's window
    io.write(kTile, static_cast<uint64_t>(i) << 21, pattern(64));
  }
  EXPECT_GE(device.flushes, 161u);
  EXPECT_EQ(device.unflushed_when_configured, 0u);
}

TEST(NocIo, MulticastReachesEveryTileOfTheRectangle) {
  FakeDevice device;
  NocIo io(device);
  const auto bytes = pattern(32);
  io.multicast({{1, 2}, {7, 11}}, 0x20000, bytes);
  EXPECT_EQ(device.at({1, 2}, 0x2001F), bytes[31]);
  EXPECT_EQ(device.at({7, 11}, 0x20005), bytes[5]);
  EXPECT_EQ(device.writes.size(), 1u);
}

}  // namespace
}  // namespace kerr::host
