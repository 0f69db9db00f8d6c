#include "host/device/library_device.hpp"

#include <gtest/gtest.h>

#include "host/device/pinned_memory.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kPcieTile{19, 24};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Stores its second argument where its first one points.
image::Image store_kernel() {
  image::Image image;
  image.name = "store";
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  for (uint32_t word : {0x0005'2283u, 0x0045'2303u, 0x0062'A023u, 0x0000'8067u}) {
    for (int shift = 0; shift < 32; shift += 8) segment.bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  segment.memory_bytes = 16;
  image.segments.push_back(segment);
  return image;
}

TEST(LibraryDevice, OneAtATimeAndFreshAfterEach) {
  for (int i = 0; i < 3; ++i) {
    const auto device = LibraryDevice::open(KERR_LIBRARY);
    EXPECT_NE(message_of([] { LibraryDevice::open(KERR_LIBRARY); }).find("still open"), std::string::npos);
    NocIo io(*device);
    EXPECT_EQ(io.read32({1, 2}, 0x20000), 0u);
    io.write32({1, 2}, 0x20000, 7);
    EXPECT_EQ(io.read32({1, 2}, 0x20000), 7u);
  }
}

TEST(LibraryDevice, FilesThatAreNoSuchLibraryAreRefused) {
  EXPECT_NE(message_of([] { LibraryDevice::open("/nonexistent.so"); }).find("cannot load"), std::string::npos);
  EXPECT_NE(message_of([] { LibraryDevice::open("libdl.so.2"); }).find("does not export"), std::string::npos);
  LibraryDevice::open(KERR_LIBRARY);  // a failed attempt leaves the place free
}

TEST(LibraryDevice, TheDeviceReachesPinnedMemoryAndNothingElse) {
  const auto device = LibraryDevice::open(KERR_LIBRARY);
  NocIo io(*device);
  PinnedMemory memory(*device, 8192);
  memory.store(0x1230, 0xCAFE);
  EXPECT_EQ(io.read32(kPcieTile, memory.noc_address() + 0x1230), 0xCAFEu);
  io.write32(kPcieTile, memory.noc_address() + 0x40, 99);
  EXPECT_EQ(memory.load(0x40), 99u);
  EXPECT_EQ(device->status().state, DeviceStatus::State::Running);
  io.read32(kPcieTile, memory.noc_address() + 8192);
  const DeviceStatus status = device->status();
  EXPECT_EQ(status.state, DeviceStatus::State::Faulted);
  EXPECT_NE(status.report.find("not pinned"), std::string::npos) << status.report;
  EXPECT_EQ(device->wait([] { return false; }, {1000, {}}), WaitResult::Faulted);
}

TEST(LibraryDevice, AccessesBeyondABarAreRefused) {
  const auto device = LibraryDevice::open(KERR_LIBRARY);
  std::byte bytes[8];
  EXPECT_THROW(device->read(Bar::k2, device->bar_bytes(Bar::k2) - 4, bytes), DeviceError);
  EXPECT_THROW(device->write(Bar::k0, ~0ull, bytes, Caching::Uncached), DeviceError);
  EXPECT_THROW(device->config_read(2), DeviceError);
}

TEST(LibraryDevice, BootsAndRunsProgramsByBothKindsOfDispatch) {
  const auto device = LibraryDevice::open(KERR_LIBRARY);
  Chip chip(*device);
  Program program("store");
  const uint32_t result = program.add_l1(16);
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, store_kernel(), chip.workers());
  auto run = [&](uint32_t salt, const std::function<void()>& launch) {
    for (arch::NocCoord core : chip.workers()) program.set_args(kernel, core, {result, core.packed() + salt});
    launch();
    for (arch::NocCoord core : chip.workers()) EXPECT_EQ(chip.io().read32(core, result), core.packed() + salt);
  };
  run(1000, [&] { chip.run(program); });
  CommandQueue queue(chip);
  run(2000, [&] {
    queue.enqueue(program);
    queue.finish();
  });
  EXPECT_GT(device->cycles(), 0u);
}

TEST(LibraryDevice, AWaitWithoutAnEndStopsAtItsDeadline) {
  const auto device = LibraryDevice::open(KERR_LIBRARY);
  EXPECT_EQ(device->wait([] { return false; }, {10'000, {}}), WaitResult::TimedOut);
  EXPECT_EQ(device->cycles(), 10'000u);
}

}  // namespace
}  // namespace kerr::host
