// kerr devices on a machine of the test's own.
#include "cli/commands/devices.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"
#include "tests/host/device/card/fake_linux.hpp"

namespace kerr::cli {
namespace {

std::string devices(host::FakeLinux& machine, bool json = false) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(list_devices(machine, json), 0);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(Devices, ACardThatCanBeUsedIsListedWithItsOption) {
  host::FakeLinux machine("vfio-pci");
  const std::string text = devices(machine);
  EXPECT_NE(text.find("0000:01:00.0  Blackhole, vfio-pci          --device 0"), std::string::npos) << text;
  EXPECT_NE(text.find("32.0 GT/s PCIe x16"), std::string::npos) << text;
  EXPECT_NE(text.find("IOMMU group 17, type DMA-FQ"), std::string::npos) << text;
}

TEST(Devices, OneThatCannotIsListedWithTheReasonAndTheRemedy) {
  host::FakeLinux machine("vfio-pci");
  machine.open_errors["/dev/vfio/17"] = -EACCES;
  const std::string text = devices(machine);
  EXPECT_NE(text.find("cannot be used"), std::string::npos) << text;
  EXPECT_NE(text.find("why: cannot open /dev/vfio/17 (Permission denied)"), std::string::npos) << text;
  EXPECT_NE(text.find("do:  Give this user access"), std::string::npos) << text;
  const auto json = parsed(devices(machine, true));
  EXPECT_FALSE(json.at("cards").at(0).at("usable"));
  EXPECT_EQ(json.at("cards").at(0).at("address"), "0000:01:00.0");
  EXPECT_EQ(json.at("cards").at(0).at("iommu_group"), 17);
}

TEST(Devices, DevicesListsBoardsAndCardsAndACardThatIsNotThereIsNamed) {
  const Outcome outcome = kerr("devices");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("emulated      p100a, p150"), std::string::npos) << outcome.text;
  EXPECT_EQ(parsed(kerr("devices --json").text).at("emulated").size(), 2u);
  const Outcome absent = kerr("smi --device 0000:ff:1f.7");
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.text.find("Blackhole card"), std::string::npos) << absent.text;
  EXPECT_NE(kerr("smi --device 0 --board p150").status, 0);
}

}  // namespace
}  // namespace kerr::cli
