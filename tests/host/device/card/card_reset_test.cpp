// Reset of a card through sysfs and VFIO, and through tt-kmd.
#include <gtest/gtest.h>

#include <cerrno>

#include "host/device/card/pci.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/driver/chip_reset.hpp"
#include "tests/host/device/card/card_programs.hpp"
#include "tests/host/device/card/fake_linux.hpp"

namespace kerr::host {
namespace {

constexpr uint64_t kDbiDeviceControl = arch::pcie::kNocDbiBase + 0x78;
constexpr arch::NocCoord kPcieTile{19, 24};

std::unique_ptr<PcieDevice> open(FakeLinux& machine) { return open_card(machine, card_named(machine, "0")); }

TEST(CardReset, ThroughVfioRestoresPayloadSizeAndPins) {
  FakeLinux machine("vfio-pci");
  const auto device = open(machine);
  PinnedMemory memory(*device, 4096);
  memory.store(8, 0x1234);
  run_everything(*device);
  const ChipResetReport report = reset_chip(*device);
  EXPECT_TRUE(report.chip);
  EXPECT_EQ(machine.bus_resets, 1);
  EXPECT_EQ(machine.resets, 1);
  EXPECT_EQ(machine.function_resets, 0);
  {
    NocIo io(*device);
    const uint32_t control = io.read32(kPcieTile, kDbiDeviceControl);
    EXPECT_EQ(control & 0xE0, FakeLinux::kDeviceControl & 0xE0) << "payload size";
    EXPECT_EQ(control & 0x7000, 0x5000u) << "read requests of 4096 bytes";
    EXPECT_EQ(io.read32(kPcieTile, memory.noc_address() + 8), 0x1234u);
  }
  run_everything(*device, 0xBEE);
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(CardReset, ThroughVfioTheFunctionAloneIsTheLastResort) {
  for (const bool extended : {false, true}) {
    FakeLinux machine("vfio-pci");
    const auto device = open(machine);
    if (!extended) machine.config_bytes = 256;
    machine.asic_reset_works = false;
    const ChipResetReport report = reset_chip(*device);
    EXPECT_FALSE(report.chip);
    EXPECT_EQ(machine.function_resets, 1);
    EXPECT_EQ(machine.bus_resets, extended ? 1 : 0);
    run_everything(*device);
    EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  }
}

TEST(CardReset, WithoutTheRightsItIsRefusedBeforeAnythingHappens) {
  FakeLinux machine("vfio-pci");
  const auto device = open(machine);
  machine.open_errors[std::string(FakeLinux::kPath) + "/config"] = -EACCES;
  try {
    reset_chip(*device);
    FAIL();
  } catch (const CardError& error) {
    EXPECT_NE(error.problem().advice.find("root"), std::string::npos);
  }
  EXPECT_EQ(machine.bus_resets + machine.resets + machine.function_resets, 0);
}

TEST(CardReset, TheDriverDoesItWhereItCan) {
  for (const char* version : {"2.6.1", "2.0.0"}) {
    FakeLinux machine("tenstorrent");
    machine.files["/sys/module/tenstorrent/version"] = version;
    const auto device = open(machine);
    PinnedMemory memory(*device, 4096);
    memory.store(8, 0x1234);
    machine.calls.clear();
    EXPECT_TRUE(reset_chip(*device).chip);
    const std::string calls = machine.all_calls();
    const bool current = std::string(version) != "2.0.0";
    EXPECT_NE(calls.find(current ? "RESET_DEVICE 4" : "RESET_DEVICE 2"), std::string::npos) << calls;
    EXPECT_NE(calls.find(current ? "RESET_DEVICE 6" : "RESET_DEVICE 0"), std::string::npos) << calls;
    EXPECT_EQ(NocIo(*device).read32(kPcieTile, memory.noc_address() + 8), 0x1234u) << "pinned anew";
    run_everything(*device);
    EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  }
}

TEST(CardReset, WhatTheDriverCannotDoIsSaid) {
  {
    FakeLinux busy("tenstorrent");
    const auto device = open(busy);
    busy.call_errors["RESET_DEVICE 4"] = -EBUSY;
    EXPECT_THROW(reset_chip(*device), CardError);
  }
  FakeLinux failing("tenstorrent");
  const auto device = open(failing);
  failing.asic_reset_works = false;
  try {
    reset_chip(*device);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Protocol);
    EXPECT_NE(std::string(error.what()).find("Power-cycle"), std::string::npos);
  }
}

}  // namespace
}  // namespace kerr::host
