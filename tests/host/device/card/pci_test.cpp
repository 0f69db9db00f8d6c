#include "host/device/card/pci.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/host/device/card/fake_linux.hpp"

namespace kerr::host {
namespace {

TEST(Cards, OnlyBlackholesAreListedWithWhatSysfsSays) {
  FakeLinux machine("tenstorrent");
  const auto cards = find_cards(machine);
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].bdf, "0000:01:00.0");
  EXPECT_EQ(cards[0].driver, "tenstorrent");
  EXPECT_EQ(cards[0].iommu_group, 17);
  EXPECT_EQ(cards[0].iommu_type, "DMA-FQ");
  EXPECT_EQ(cards[0].kmd_node, "/dev/tenstorrent/0");
  EXPECT_EQ(cards[0].link, "32.0 GT/s PCIe x16");
}

TEST(Cards, AMissingCardIsSaidWithTheOnesThatThereAre) {
  FakeLinux machine("vfio-pci");
  try {
    card_named(machine, "0000:02:00.0");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("there are 0000:01:00.0"), std::string::npos) << error.what();
  }
  machine.files.clear();
  EXPECT_TRUE(find_cards(machine).empty());
  EXPECT_THROW(card_named(machine, "0000:01:00.0"), DeviceError);
}

TEST(Cards, WhyACardIsUnusableIsFoundWithoutDisturbingIt) {
  struct Case {
    const char* driver;
    std::function<void(FakeLinux&)> break_it;
    std::string what;
  };
  const std::string path = FakeLinux::kPath;
  const Case cases[] = {
      {"vfio-pci", [](FakeLinux&) {}, ""},
      {"tenstorrent", [](FakeLinux&) {}, ""},
      {"vfio-pci", [](FakeLinux& m) { m.open_errors["/dev/vfio/17"] = -EBUSY; }, "cannot open /dev/vfio/17"},
      {"vfio-pci", [](FakeLinux& m) { m.gone = true; }, "hung or has left the bus"},
      {"tenstorrent", [](FakeLinux& m) { m.open_errors["/dev/tenstorrent/0"] = -EACCES; }, "/dev/tenstorrent/0"},
      {"tenstorrent", [](FakeLinux& m) { m.files["/sys/module/tenstorrent/version"] = "1.0.0"; }, "too old"},
      {"pci-stub", [](FakeLinux&) {}, "the driver 'pci-stub' is bound"},
      {"vfio-pci", [&](FakeLinux& m) { m.links.erase(path + "/driver"); }, "no driver is bound"},
  };
  for (const Case& c : cases) {
    FakeLinux machine(c.driver);
    c.break_it(machine);
    const auto problem = problem_of(machine, card_named(machine, FakeLinux::kBdf));
    EXPECT_EQ(problem.has_value(), !c.what.empty()) << c.what;
    if (problem) {
      EXPECT_NE(problem->what.find(c.what), std::string::npos) << problem->what;
      EXPECT_NE(problem->advice, "");
    }
    EXPECT_TRUE(machine.nothing_is_open());
    EXPECT_EQ(machine.mistakes, std::vector<std::string>());
    for (const char* call : {"SET_IOMMU", "GET_DEVICE_FD", "SET_POWER_STATE", "map BAR0"}) {
      EXPECT_EQ(machine.all_calls().find(call), std::string::npos) << call;
    }
  }
}

}  // namespace
}  // namespace kerr::host
