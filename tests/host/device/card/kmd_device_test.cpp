#include "host/device/card/kmd_device.hpp"

#include <cerrno>

#include "host/device/pinned_memory.hpp"
#include "tests/host/device/card/card_programs.hpp"
#include "tests/host/device/card/fake_linux.hpp"

namespace kerr::host {
namespace {

std::unique_ptr<KmdDevice> open_card(FakeLinux& machine) {
  return std::make_unique<KmdDevice>(machine, card_named(machine, FakeLinux::kBdf));
}

TEST(KmdDevice, AsksTheDriverForEverythingInOrderAndForPowerLast) {
  FakeLinux machine("tenstorrent");
  {
    const auto device = open_card(machine);
    EXPECT_EQ(machine.power_flags, 7) << "clock, memory and Tensix";
    EXPECT_EQ(device->bar_bytes(Bar::k4), arch::pcie::kBar4Bytes);
  }
  EXPECT_EQ(machine.all_calls(),
            "open /dev/tenstorrent/0\nGET_DRIVER_INFO\nGET_DEVICE_INFO\nQUERY_MAPPINGS\nmap BAR0\nmap BAR0 combined\n"
            "map BAR2\nmap BAR4\nmap BAR4 combined\nSET_POWER_STATE\nclose kmd\n");
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  EXPECT_TRUE(machine.nothing_is_open());
}

TEST(KmdDevice, TheWholeStackRunsOnItAndGivesItsWindowsBack) {
  FakeLinux machine("tenstorrent");
  {
    const auto device = open_card(machine);
    run_everything(*device);
    EXPECT_EQ(machine.windows_claimed(), 0);
    NocIo io(*device);
    io.read32({1, 2}, 0);
    EXPECT_EQ(machine.windows_claimed(), 1);
  }
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  EXPECT_TRUE(machine.nothing_is_open());
}

TEST(KmdDevice, OneFreeWindowIsEnoughAndNoneIsAnErrorNotAHang) {
  FakeLinux machine("tenstorrent");
  for (int i = 0; i < arch::pcie::kWindows; ++i) machine.other_windows.insert(i);
  const auto device = open_card(machine);
  NocIo io(*device);
  try {
    io.read32({1, 2}, 0);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::HostError);
    EXPECT_NE(std::string(error.what()).find("other processes hold all TLB windows"), std::string::npos);
  }
  machine.other_windows.erase(7);
  for (uint8_t y = 2; y < 12; ++y) io.write32({3, y}, 0x1000, y);
  for (uint8_t y = 2; y < 12; ++y) EXPECT_EQ(io.read32({3, y}, 0x1000), y);
  io.write({17, 13}, 0x12345, pattern(1000));
  std::vector<std::byte> out(1000);
  io.read({17, 13}, 0x12345, out);
  EXPECT_EQ(out, pattern(1000)) << "a DRAM bank through a small window";
}

TEST(KmdDevice, EachFailureOfOpeningNamesItsCauseAndWhatToDo) {
  struct Case {
    std::function<void(FakeLinux&)> break_it;
    std::string what, advice;
  };
  const std::string path = FakeLinux::kPath;
  const Case cases[] = {
      {[](FakeLinux& m) { m.files.erase("/sys/module/tenstorrent/version"); }, "not loaded", "modprobe tenstorrent"},
      {[](FakeLinux& m) { m.files["/sys/module/tenstorrent/version"] = "1.34.0\n"; },
       "1.34.0 is too old; it must be at least 2.0.0", "tt-kmd"},
      {[](FakeLinux& m) { m.files["/sys/module/tenstorrent/version"] = "what\n"; }, "'what' cannot be read", "tt-kmd"},
      {[&](FakeLinux& m) { m.files.erase(path + "/tenstorrent/tenstorrent!0/dev"); }, "not bound to tt-kmd", "devices"},
      {[](FakeLinux& m) { m.open_errors["/dev/tenstorrent/0"] = -EACCES; }, "(Permission denied)", "Give this user"},
      {[](FakeLinux& m) { m.open_errors["/dev/tenstorrent/0"] = -EBUSY; }, "busy", "exclusively"},
      {[](FakeLinux& m) { m.open_errors["/dev/tenstorrent/0"] = -ENODEV; }, "No such device", "Power-cycle"},
      {[](FakeLinux& m) { m.call_errors["GET_DRIVER_INFO"] = -ENOTTY; }, "which interface", "tt-kmd"},
      {[](FakeLinux& m) { m.kmd_interface = 1; }, "interface 1", "tt-kmd"},
      {[](FakeLinux& m) { m.call_errors["GET_DEVICE_INFO"] = -ENODEV; }, "does not say what it is", "kerr reset"},
      {[&](FakeLinux& m) { m.files[path + "/iommu_group/type"] = "identity\n"; }, "no translating IOMMU", "iommu=pt"},
      {[](FakeLinux& m) { m.call_errors["QUERY_MAPPINGS"] = -EINVAL; }, "where its BARs are", "tt-kmd"},
      {[](FakeLinux& m) { m.call_errors["map BAR0"] = -ENOMEM; }, "BAR0 of 0000:01:00.0 cannot be mapped", "dmesg"},
      {[](FakeLinux& m) { m.bar_bytes[1] = 4096; }, "BAR2 0x1000", "Above 4G"},
      {[](FakeLinux& m) { m.call_errors["SET_POWER_STATE"] = -EINVAL; }, "Tensix tiles", "tt-kmd"},
  };
  for (const Case& c : cases) {
    FakeLinux machine("tenstorrent");
    c.break_it(machine);
    try {
      open_card(machine);
      ADD_FAILURE() << c.what;
    } catch (const CardError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(c.what), std::string::npos) << text;
      EXPECT_NE(text.find(c.advice), std::string::npos) << text;
    }
    EXPECT_TRUE(machine.nothing_is_open()) << machine.all_calls();
    EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  }
}

TEST(KmdDevice, ADriverWithoutPowerStatesIsNotAskedForThem) {
  FakeLinux machine("tenstorrent");
  machine.files["/sys/module/tenstorrent/version"] = "2.0.0\n";
  open_card(machine);
  EXPECT_EQ(machine.all_calls().find("SET_POWER_STATE"), std::string::npos);
}

TEST(KmdDevice, PinsThatTheQueueCannotUseAreGivenBack) {
  FakeLinux machine("tenstorrent");
  const auto device = open_card(machine);
  machine.next_pin = (1ull << 32) - 4096;
  EXPECT_THROW(PinnedMemory(*device, 8192), CardError) << "crosses 4 GiB";
  EXPECT_EQ(machine.pinned_buffers(), 0u);
  machine.next_pin = 0;
  machine.call_errors["PIN_PAGES"] = -ENOSPC;
  try {
    PinnedMemory memory(*device, 4096);
    FAIL();
  } catch (const CardError& error) {
    EXPECT_NE(error.problem().advice.find("16 regions"), std::string::npos);
  }
  machine.call_errors.clear();
  {
    const PinnedMemory memory(*device, 4096);
    EXPECT_EQ(memory.noc_address(), arch::pcie::kNocHostBase);
  }
  EXPECT_THROW(device->unpin(12345), DeviceError);
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(KmdDevice, ConfigurationSpaceIsReadThroughSysfs) {
  FakeLinux machine("tenstorrent");
  const auto device = open_card(machine);
  EXPECT_EQ(device->config_read(0), 0xB140'1E52u);
  machine.open_errors[std::string(FakeLinux::kPath) + "/config"] = -EACCES;
  EXPECT_THROW(device->config_write(4, 6), CardError);
}

}  // namespace
}  // namespace kerr::host
