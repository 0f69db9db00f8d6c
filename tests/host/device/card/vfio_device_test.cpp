#include "host/device/card/vfio_device.hpp"

#include <linux/vfio.h>

#include <cerrno>

#include "host/device/pinned_memory.hpp"
#include "tests/host/device/card/card_programs.hpp"
#include "tests/host/device/card/fake_linux.hpp"

namespace kerr::host {
namespace {

// Our tables against the kernel's header.
static_assert(vfio::kGetApiVersion == VFIO_GET_API_VERSION && vfio::kCheckExtension == VFIO_CHECK_EXTENSION &&
              vfio::kSetIommu == VFIO_SET_IOMMU && vfio::kGroupGetStatus == VFIO_GROUP_GET_STATUS &&
              vfio::kGroupSetContainer == VFIO_GROUP_SET_CONTAINER &&
              vfio::kGroupGetDeviceFd == VFIO_GROUP_GET_DEVICE_FD && vfio::kDeviceGetInfo == VFIO_DEVICE_GET_INFO &&
              vfio::kDeviceGetRegionInfo == VFIO_DEVICE_GET_REGION_INFO && vfio::kDeviceReset == VFIO_DEVICE_RESET &&
              vfio::kIommuGetInfo == VFIO_IOMMU_GET_INFO && vfio::kIommuMapDma == VFIO_IOMMU_MAP_DMA &&
              vfio::kIommuUnmapDma == VFIO_IOMMU_UNMAP_DMA);
static_assert(vfio::kType1v2 == VFIO_TYPE1v2_IOMMU && vfio::kConfigRegion == VFIO_PCI_CONFIG_REGION_INDEX &&
              vfio::kGroupViable == VFIO_GROUP_FLAGS_VIABLE &&
              vfio::kGroupContainerSet == VFIO_GROUP_FLAGS_CONTAINER_SET &&
              vfio::kRegionMappable == VFIO_REGION_INFO_FLAG_MMAP &&
              vfio::kCapIovaRange == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE &&
              vfio::kInfoHasCapabilities == VFIO_IOMMU_INFO_CAPS);
static_assert(offsetof(vfio::RegionInfo, offset) == offsetof(vfio_region_info, offset) &&
              sizeof(vfio::RegionInfo) == sizeof(vfio_region_info) &&
              offsetof(vfio::DmaMap, iova) == offsetof(vfio_iommu_type1_dma_map, iova) &&
              offsetof(vfio::DmaUnmap, size) == offsetof(vfio_iommu_type1_dma_unmap, size) &&
              offsetof(vfio::IommuInfo, cap_offset) == offsetof(vfio_iommu_type1_info, cap_offset) &&
              sizeof(vfio::IovaRangeHeader) == sizeof(vfio_iommu_type1_info_cap_iova_range));

std::unique_ptr<VfioDevice> open_card(FakeLinux& machine) {
  return std::make_unique<VfioDevice>(machine, card_named(machine, FakeLinux::kBdf));
}

// The sentence with which the card is refused; nothing may stay open behind it.
std::string refusal(FakeLinux& machine) {
  try {
    open_card(machine);
  } catch (const CardError& error) {
    EXPECT_TRUE(machine.nothing_is_open()) << machine.all_calls();
    EXPECT_EQ(machine.mistakes, std::vector<std::string>());
    EXPECT_NE(error.problem().advice, "");
    return error.what();
  }
  ADD_FAILURE() << "opened";
  return {};
}

TEST(VfioDevice, OpensAndClosesInTheOrderThatVfioWants) {
  FakeLinux machine("vfio-pci");
  open_card(machine);
  EXPECT_EQ(machine.all_calls(),
            "open /dev/vfio/vfio\nGET_API_VERSION\nCHECK_EXTENSION\nopen /dev/vfio/17\nGET_STATUS\nSET_CONTAINER\n"
            "SET_IOMMU\nGET_IOMMU_INFO\nGET_IOMMU_INFO\nGET_DEVICE_FD\nGET_DEVICE_INFO\nGET_REGION_INFO\n"
            "config[0x4]\n"  // memory and bus master on
            "GET_REGION_INFO\nmap BAR0\nopen /sys/bus/pci/devices/0000:01:00.0/resource0_wc\nmap BAR0 combined\n"
            "GET_REGION_INFO\nmap BAR2\n"
            "GET_REGION_INFO\nmap BAR4\nopen /sys/bus/pci/devices/0000:01:00.0/resource4_wc\nmap BAR4 combined\n"
            "config[0x4]\n"  // bus master off
            "close device\nclose group\nclose container\n");
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  EXPECT_EQ(machine.command() & 4, 0) << "bus master stays on without a driver";
  EXPECT_TRUE(machine.nothing_is_open());
}

TEST(VfioDevice, TheWholeStackRunsOnIt) {
  FakeLinux machine("vfio-pci");
  {
    const auto device = open_card(machine);
    run_everything(*device);
  }
  EXPECT_GT(machine.combined_stores, 100u);
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
  EXPECT_TRUE(machine.nothing_is_open());
}

TEST(VfioDevice, WithoutWriteCombiningAndWithoutBar4AllStillWorks) {
  FakeLinux machine("vfio-pci");
  machine.open_errors[std::string(FakeLinux::kPath) + "/resource0_wc"] = -EACCES;
  machine.bar_bytes[2] = 0;
  const auto device = open_card(machine);
  EXPECT_EQ(device->bar_bytes(Bar::k4), 0u);
  run_everything(*device);
  EXPECT_EQ(machine.combined_stores, 0u);
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(VfioDevice, EachFailureOfOpeningNamesItsCauseAndWhatToDo) {
  struct Case {
    std::function<void(FakeLinux&)> break_it;
    std::string what, advice;
  };
  const std::string path = FakeLinux::kPath;
  const Case cases[] = {
      {[&](FakeLinux& m) { m.links[path + "/driver"] = "/sys/bus/pci/drivers/tenstorrent"; }, "not bound to vfio-pci",
       "kerr devices"},
      {[&](FakeLinux& m) { m.links.erase(path + "/iommu_group"); }, "the IOMMU is off", "intel_iommu=on"},
      {[](FakeLinux& m) { m.open_errors["/dev/vfio/vfio"] = -ENOENT; }, "/dev/vfio/vfio (No such file",
       "modprobe vfio-pci"},
      {[](FakeLinux& m) { m.open_errors["/dev/vfio/vfio"] = -EACCES; }, "Permission denied", "udev rule"},
      {[](FakeLinux& m) { m.vfio_version = 7; }, "version 7", "another kernel"},
      {[](FakeLinux& m) { m.type1v2 = false; }, "no type 1 IOMMU", "vfio_iommu_type1"},
      {[](FakeLinux& m) { m.open_errors["/dev/vfio/17"] = -EACCES; }, "/dev/vfio/17 (Permission denied)", "udev rule"},
      {[](FakeLinux& m) { m.open_errors["/dev/vfio/17"] = -EBUSY; }, "busy", "Another process uses the card"},
      {[](FakeLinux& m) { m.open_errors["/dev/vfio/17"] = -ENOENT; }, "No such file", "without an IOMMU"},
      {[](FakeLinux& m) { m.call_errors["GET_STATUS"] = -EIO; }, "state of /dev/vfio/17", "modprobe"},
      {[](FakeLinux& m) {
         m.viable = false;
         m.files["/sys/kernel/iommu_groups/17/devices/0000:01:00.1/config"] = "";
         m.links["/sys/kernel/iommu_groups/17/devices/0000:01:00.1/driver"] = "/sys/bus/pci/drivers/nvme";
       },
       "group 17 is not viable: 0000:01:00.1 (nvme)", "Bind every device"},
      {[](FakeLinux& m) { m.container_taken = true; }, "another container", "End the process"},
      {[](FakeLinux& m) { m.call_errors["SET_CONTAINER"] = -EBUSY; }, "cannot be put into a container", "End"},
      {[](FakeLinux& m) { m.call_errors["SET_IOMMU"] = -EPERM; }, "cannot be set up", "allow_unsafe_interrupts"},
      {[](FakeLinux& m) { m.call_errors["SET_IOMMU"] = -ENODEV; }, "cannot be set up", "Switch the IOMMU on"},
      {[](FakeLinux& m) { m.call_errors["GET_DEVICE_FD"] = -ENODEV; }, "does not give out 0000:01:00.0", "dmesg"},
      {[](FakeLinux& m) { m.call_errors["GET_DEVICE_INFO"] = -EIO; }, "cannot read what", "dmesg"},
      {[](FakeLinux& m) { m.call_errors["GET_REGION_INFO"] = -EIO; }, "where region 7", "dmesg"},
      {[](FakeLinux& m) { m.gone = true; }, "hung or has left the bus", "kerr reset"},
      {[](FakeLinux& m) { m.call_errors["config[0x4]"] = -EIO; }, "bus mastering", "kerr reset"},
      {[](FakeLinux& m) { m.bar_bytes[0] = 256 << 20; }, "BAR0 of 0000:01:00.0 has 0x10000000", "Above 4G"},
      {[](FakeLinux& m) { m.call_errors["map BAR0"] = -ENOMEM; }, "BAR0 of 0000:01:00.0 cannot be mapped", "dmesg"},
      {[](FakeLinux& m) { m.call_errors["map BAR2"] = -EINVAL; }, "BAR2 of 0000:01:00.0 cannot be mapped", "dmesg"},
  };
  for (const Case& c : cases) {
    FakeLinux machine("vfio-pci");
    c.break_it(machine);
    const std::string text = refusal(machine);
    EXPECT_NE(text.find(c.what), std::string::npos) << text;
    EXPECT_NE(text.find(c.advice), std::string::npos) << text;
  }
}

TEST(VfioDevice, PinsGetAPlaceThatTheIommuHasAndNeverTheSameTwice) {
  FakeLinux machine("vfio-pci");
  machine.iova_ranges = {{0, 0xFFFF'FFFF}, {0x1'8000'0000, 0x1'8000'FFFF}, {0x2'0000'0000, 0x2'FFFF'FFFF}};
  const auto device = open_card(machine);
  const PinnedMemory first(*device, 0x10000);
  uint64_t address;
  {
    const PinnedMemory second(*device, 0x10000);
    EXPECT_EQ(second.noc_address(), first.noc_address() + 0x10000);
    address = second.noc_address();
    EXPECT_EQ(machine.pinned_buffers(), 2u);
  }
  EXPECT_EQ(machine.pinned_buffers(), 1u);
  const PinnedMemory third(*device, 0x10000);
  EXPECT_EQ(third.noc_address(), address) << "NoC addresses are few";
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(VfioDevice, ThePinsThatFailLeaveNothingBehind) {
  FakeLinux machine("vfio-pci");
  const auto device = open_card(machine);
  std::vector<std::unique_ptr<PinnedMemory>> held;
  machine.call_errors["MAP_DMA"] = -ENOMEM;
  EXPECT_THROW(PinnedMemory(*device, 4096), DeviceError);
  machine.call_errors.clear();
  for (int i = 0; i < 16; ++i) held.push_back(std::make_unique<PinnedMemory>(*device, 4096));
  EXPECT_THROW(PinnedMemory(*device, 4096), CardError) << "the card translates 16 buffers";
  held.pop_back();
  EXPECT_NO_THROW(PinnedMemory(*device, 4096));
  EXPECT_THROW(device->unpin(12345), DeviceError);
  machine.iova_ranges = {};
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(VfioDevice, WithoutAListOfRangesItStaysWithinWhatEveryIommuHas) {
  FakeLinux machine("vfio-pci");
  machine.iova_ranges = {};
  const auto device = open_card(machine);
  const PinnedMemory memory(*device, 4096);
  EXPECT_EQ(machine.pinned_buffers(), 1u);
  EXPECT_EQ(machine.mistakes, std::vector<std::string>());
}

TEST(VfioDevice, ACardThatLeavesTheBusEndsAWaitWithItsState) {
  FakeLinux machine("vfio-pci");
  const auto device = open_card(machine);
  int looks = 0;
  try {
    await(
        *device, "something",
        [&] {
          machine.gone = ++looks == 10;
          return false;
        },
        Deadline::milliseconds(60'000));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Timeout) << "it came back";
  }
  looks = 0;
  machine.gone = true;
  try {
    await(
        *device, "something", [] { return false; }, Deadline::milliseconds(60'000));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(error.report().find("vfio 0000:01:00.0 answers nothing but ones"), std::string::npos) << error.report();
  }
  EXPECT_LT(machine.now().count(), 200'000);
}

TEST(VfioDevice, RangesOutsideABarAreRefused) {
  FakeLinux machine("vfio-pci");
  const auto device = open_card(machine);
  std::byte word[4];
  EXPECT_THROW(device->read(Bar::k2, arch::pcie::kBar2Bytes - 2, word), DeviceError);
  EXPECT_THROW(device->read(Bar::k0, ~0ull, word), DeviceError);
  EXPECT_THROW(device->write(Bar::k4, arch::pcie::kBar4Bytes, word, Caching::Uncached), DeviceError);
  EXPECT_THROW(device->config_read(2), DeviceError);
  EXPECT_THROW(device->config_write(4096, 0), DeviceError);
}

}  // namespace
}  // namespace kerr::host
