#include "host/device/pcie_device.hpp"

#include <gtest/gtest.h>

#include "host/device/pinned_memory.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {
namespace {

Category category_of(const std::function<void()>& action, std::string* report = nullptr) {
  try {
    action();
  } catch (const DeviceError& error) {
    if (report != nullptr) *report = error.report();
    return error.category();
  }
  throw std::logic_error("nothing was thrown");
}

TEST(Await, AQuiescentDeviceIsADeadlockWithTheDevicesReport) {
  FakeDevice device;
  device.next_status = {DeviceStatus::State::Quiescent, {}, "(1,2) BRISC waits for CB 16"};
  std::string report;
  EXPECT_EQ(category_of(
                [&] {
                  await(
                      device, "program", [] { return false; }, Deadline::milliseconds(1));
                },
                &report),
            Category::Deadlock);
  EXPECT_EQ(report, "(1,2) BRISC waits for CB 16");
}

TEST(Await, AFaultKeepsItsCategory) {
  FakeDevice device;
  device.next_status = {DeviceStatus::State::Faulted, Category::Misaligned, "where"};
  EXPECT_EQ(category_of([&] {
              await(
                  device, "program", [] { return false; }, Deadline::milliseconds(1));
            }),
            Category::Misaligned);
}

TEST(Await, ASpinnerEndsByTheDeadline) {
  FakeDevice device;
  device.tick = [] { return true; };
  EXPECT_EQ(category_of([&] { await(device, "program", [] { return false; }, {1000, {}}); }), Category::Timeout);
}

TEST(Await, ProgressExtendsTheDeadline) {
  FakeDevice device;
  uint64_t ticks = 0;
  device.tick = [&] { return ++ticks, true; };
  await(
      device, "program", [&] { return ticks == 100; }, {1000, {}}, [&] { return ticks; });
  EXPECT_EQ(ticks, 100u);
}

TEST(Await, TheConditionIsTestedBeforeTimePasses) {
  FakeDevice device;
  await(device, "nothing", [] { return true; }, {});
}

TEST(PinnedMemory, IsZeroedReachableAndUnpinnedAtTheEnd) {
  FakeDevice device;
  uint64_t address;
  {
    PinnedMemory memory(device, 5000);
    address = memory.noc_address();
    EXPECT_EQ(memory.bytes().size(), 8192u);
    EXPECT_EQ(memory.load(4096), 0u);
    memory.store(8, 0x12345678);
    EXPECT_EQ(device.host_memory(address + 8, 4)[0], std::byte{0x78});
    EXPECT_EQ(device.host_memory(address + 8190, 4), nullptr);
  }
  EXPECT_EQ(device.host_memory(address, 1), nullptr);
}

TEST(PinTable, FindsOnlyWhatLiesInsideOnePin) {
  FakeDevice device;
  PinnedMemory first(device, 4096), second(device, 4096);
  EXPECT_EQ(second.noc_address(), first.noc_address() + 4096);
  EXPECT_EQ(device.host_memory(first.noc_address() + 4000, 200), nullptr) << "two pins are not one buffer";
  EXPECT_EQ(device.host_memory(first.noc_address() - 1, 1), nullptr);
  EXPECT_EQ(device.pins.find(~0ull, 2), nullptr);
  EXPECT_THROW(device.pin(first.bytes().subspan(1)), DeviceError);
  EXPECT_THROW(device.unpin(12345), DeviceError);
}

}  // namespace
}  // namespace kerr::host
