#include "host/driver/chip_reset.hpp"

#include <gtest/gtest.h>

#include "host/device/emulated_device.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/device/reset_port.hpp"
#include "tests/host/device/card/card_programs.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kTile{1, 2};
constexpr arch::NocCoord kPcieTile{19, 24};

// Another port with something broken.
struct BrokenPort : ResetPort {
  explicit BrokenPort(PcieDevice& device) : inner(device.reset_port()) {}
  std::unique_ptr<ResetPort> inner;
  uint32_t bytes = 4096;
  bool bridge = true, timer = true, dead_after_bus_reset = false;
  int function_resets = 0;
  bool was_reset = false;

  uint32_t config_bytes() override { return bytes; }
  void config_read(uint32_t offset, std::span<std::byte> out) override {
    if (was_reset && dead_after_bus_reset) {
      std::fill(out.begin(), out.end(), std::byte{0xFF});
    } else {
      inner->config_read(offset, out);
    }
  }
  void config_write(uint32_t offset, std::span<const std::byte> out) override {
    if (timer || offset != kInterfaceTimerControl) inner->config_write(offset, out);
  }
  bool hold_bus_reset(bool asserted) override {
    was_reset = true;
    return bridge && inner->hold_bus_reset(asserted);
  }
  void function_reset() override {
    ++function_resets;
    inner->function_reset();
  }
};

std::string steps(const ChipResetReport& report) {
  std::string text;
  for (const std::string& step : report.steps) text += step + "\n";
  return text;
}

TEST(ChipReset, TheSequenceOfStepsOnAHealthyChip) {
  EmulatedDevice device;
  const ChipResetReport report = reset_chip(device);
  EXPECT_TRUE(report.chip);
  EXPECT_EQ(steps(report),
            "saved the function's configuration\nreset the bus\nthe interface timer reset the chip\n"
            "the payload size is left as it is\nthe management controller answers\n")
      << "the emulated function has no PCI Express capability";
  run_everything(device);
}

TEST(ChipReset, AFaultedDeviceIsWholeAgainAndKeepsItsPins) {
  EmulatedDevice device;
  PinnedMemory memory(device, 4096);
  memory.store(16, 0xABCD);
  for (int round = 0; round < 2; ++round) {
    {
      Chip chip(device);
      const arch::NocCoord core[] = {kTile};
      EXPECT_THROW(chip.run(store_program(core, 0xFF00'0000, 1)), DeviceError) << "nothing is there";
    }
    ASSERT_EQ(device.status().state, DeviceStatus::State::Faulted);
    EXPECT_TRUE(reset_chip(device).chip);
    EXPECT_NE(device.status().state, DeviceStatus::State::Faulted);
    run_everything(device);
    EXPECT_EQ(NocIo(device).read32(kPcieTile, memory.noc_address() + 16), 0xABCDu);
  }
}

TEST(ChipReset, WithoutExtendedConfigurationSpaceOnlyTheFunctionIsReset) {
  EmulatedDevice device;
  NocIo(device).write32(kTile, 0x1000, 77);
  BrokenPort port(device);
  port.bytes = 256;
  const ChipResetReport report = reset_chip(device, port);
  EXPECT_FALSE(report.chip);
  EXPECT_EQ(port.function_resets, 1);
  EXPECT_NE(steps(report).find("extended configuration space cannot be reached: only the function"), std::string::npos);
  EXPECT_EQ(NocIo(device).read32(kTile, 0x1000), 77u);
  EXPECT_EQ(device.config_read(4) & 6, 6u) << "memory and bus master are on again";
}

TEST(ChipReset, ATimerThatDoesNotFireFallsBackToTheFunction) {
  EmulatedDevice device;
  BrokenPort port(device);
  port.timer = false;
  const ChipResetReport report = reset_chip(device, port);
  EXPECT_FALSE(report.chip);
  EXPECT_EQ(port.function_resets, 1);
  EXPECT_EQ(device.config_read(4) & 0x40, 0u) << "the marker is gone";
}

TEST(ChipReset, WithoutABridgeTheTimerDoesIt) {
  EmulatedDevice device;
  NocIo(device).write32(kTile, 0x1000, 77);
  BrokenPort port(device);
  port.bridge = false;
  const ChipResetReport report = reset_chip(device, port);
  EXPECT_TRUE(report.chip);
  EXPECT_NE(steps(report).find("no bridge can be reached"), std::string::npos);
  EXPECT_EQ(NocIo(device).read32(kTile, 0x1000), 0u);
}

TEST(ChipReset, AFunctionThatStaysAwayIsATimeoutWithTheStepsSoFar) {
  EmulatedDevice device;
  BrokenPort port(device);
  port.dead_after_bus_reset = true;
  try {
    reset_chip(device, port);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Timeout);
    EXPECT_NE(std::string(error.what()).find("does not answer after the bus reset"), std::string::npos) << error.what();
    EXPECT_NE(error.report().find("saved the function's configuration"), std::string::npos);
  }
}

struct NoReset final : FakeDevice {};

TEST(ChipReset, ADeviceWithoutAPortSaysSo) {
  NoReset device;
  EXPECT_THROW(reset_chip(device), DeviceError);
}

}  // namespace
}  // namespace kerr::host
