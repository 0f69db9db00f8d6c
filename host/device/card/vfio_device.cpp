#include "host/device/card/vfio_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "arch/bytes.hpp"
#include "host/device/card/sysfs_reset.hpp"

namespace kerr::host {
namespace {

namespace pcie = arch::pcie;

constexpr const char* kContainer = "/dev/vfio/vfio";
constexpr const char* kLoad = "Load the module: 'modprobe vfio-pci'.";
constexpr const char* kIommuOff =
    "Switch the IOMMU on: VT-d or AMD-Vi in the firmware setup, and intel_iommu=on (Intel) on the kernel's command "
    "line.";

constexpr uint32_t kCommandMemory = 2, kCommandMaster = 4;

// IOVAs are given out from here up and never again: a late access of the device to a buffer that is gone must not hit
// the next one (host-pcie.md 8.2). Beyond the interrupt range of x86 and whatever else lies below 4 GiB.
constexpr uint64_t kFirstIova = 1ull << 32;
// Without a list of ranges from the kernel: what every IOMMU can.
constexpr vfio::IovaRange kDefaultRange = {kFirstIova, (1ull << 39) - 1};

std::string group_path(int group) { return fmt::format("/dev/vfio/{}", group); }

std::string device_permission(const std::string& path) {
  return fmt::format(
      "Give this user access to {}, for example by a udev rule: SUBSYSTEM==\"vfio\", GROUP=\"kerr\", "
      "MODE=\"0660\".",
      path);
}

// The devices that keep a group from being used: bound to a driver that does its own DMA.
std::string strangers(System& system, int group) {
  std::string list;
  const std::string folder = fmt::format("/sys/kernel/iommu_groups/{}/devices", group);
  for (const std::string& bdf : system.list(folder)) {
    const auto driver = link_target(system, folder + "/" + bdf + "/driver");
    if (!driver || *driver == "vfio-pci" || *driver == "pcieport") continue;
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", bdf, *driver);
  }
  return list.empty() ? "another device of the group" : list;
}

}  // namespace

VfioDevice::VfioDevice(System& system, const Card& card) : CardDevice(system), card_(card), next_iova_(kFirstIova) {
  container_ = open_container(system, card);
  attach_iommu();
  read_iova_ranges();
  open_device();
  try {
    enable(true);
    map_bars();
  } catch (...) {
    unmap_bars();  // before the device is closed
    throw;
  }
}

VfioDevice::~VfioDevice() {
  try {
    for (const auto& [base, pinned] : pinned_) disable_region(pinned.region);
    enable(false);
  } catch (const DeviceError&) {  // the IOMMU drops all mappings with the container
  }
  unmap_bars();
  device_.close();
  container_.group.close();
  container_.container.close();
}

// Up to the group's status: nothing is changed.
VfioDevice::Container VfioDevice::open_container(System& system, const Card& card) {
  if (card.driver != "vfio-pci") {
    refuse(fmt::format("{} is not bound to vfio-pci", card.bdf), "See 'kerr devices'.");
  }
  if (!card.iommu_group) {
    refuse(fmt::format("{} is in no IOMMU group: the IOMMU is off, and without it a kernel could reach all of this "
                       "machine's memory",
                       card.bdf),
           kIommuOff);
  }
  Container c;
  c.container = File(system, system.open(kContainer, O_RDWR | O_CLOEXEC));
  if (!c.container.is_open()) {
    refuse(fmt::format("cannot open {}", kContainer), c.container.fd(),
           c.container.fd() == -EACCES || c.container.fd() == -EPERM ? device_permission(kContainer) : kLoad);
  }
  if (const int version = c.container.ioctl_value(vfio::kGetApiVersion); version != vfio::kApiVersion) {
    refuse(fmt::format("this kernel speaks version {} of VFIO, not {}", version, vfio::kApiVersion),
           "Use another kernel.");
  }
  if (c.container.ioctl_value(vfio::kCheckExtension, vfio::kType1v2) != 1) {
    refuse("this kernel's VFIO has no type 1 IOMMU",
           std::string("Load the module: 'modprobe vfio_iommu_type1'. ") + kIommuOff);
  }
  const std::string path = group_path(*card.iommu_group);
  c.group = File(system, system.open(path, O_RDWR | O_CLOEXEC));
  if (!c.group.is_open()) {
    const int error = c.group.fd();
    const std::string what = fmt::format("cannot open {}", path);
    if (error == -EBUSY) refuse(what, error, "Another process uses the card; end it first.");
    if (error == -EACCES || error == -EPERM) refuse(what, error, device_permission(path));
    refuse(what, error, std::string("The group may run without an IOMMU, which gives no protection. ") + kIommuOff);
  }
  vfio::GroupStatus status;
  require(c.group.ioctl(vfio::kGroupGetStatus, status), "cannot read the state of " + path, kLoad);
  if ((status.flags & vfio::kGroupViable) == 0) {
    refuse(fmt::format("IOMMU group {} is not viable: {} has a driver that is not vfio-pci", *card.iommu_group,
                       strangers(system, *card.iommu_group)),
           "Bind every device of the group to vfio-pci, or unbind it.");
  }
  if ((status.flags & vfio::kGroupContainerSet) != 0) {
    refuse(fmt::format("IOMMU group {} already belongs to another container", *card.iommu_group),
           "End the process that uses the card.");
  }
  return c;
}

void VfioDevice::attach_iommu() {
  int fd = container_.container.fd();
  require(container_.group.ioctl(vfio::kGroupSetContainer, fd),
          fmt::format("IOMMU group {} cannot be put into a container", *card_.iommu_group),
          "End the process that uses the card.");
  if (const int error = container_.container.ioctl_value(vfio::kSetIommu, vfio::kType1v2); error < 0) {
    refuse("the IOMMU cannot be set up", error,
           error == -EPERM
               ? "The platform does not remap interrupts; it needs vfio_iommu_type1.allow_unsafe_interrupts=1."
               : kIommuOff);
  }
}

// Which addresses the IOMMU can hand to the device; kernels before 5.4 do not say.
void VfioDevice::read_iova_ranges() {
  vfio::IommuInfo info;
  if (container_.container.ioctl(vfio::kIommuGetInfo, info) >= 0 && (info.flags & vfio::kInfoHasCapabilities) != 0 &&
      info.argsz > sizeof info && info.argsz <= 1 << 16) {
    std::vector<std::byte> all(info.argsz);
    info.argsz = static_cast<uint32_t>(all.size());
    std::memcpy(all.data(), &info, sizeof info);
    if (system_.ioctl(container_.container.fd(), vfio::kIommuGetInfo, reinterpret_cast<uintptr_t>(all.data())) >= 0) {
      std::memcpy(&info, all.data(), sizeof info);
      size_t links = 0;
      for (uint64_t at = info.cap_offset; at != 0 && at + sizeof(vfio::IovaRangeHeader) <= all.size() && links < 64;
           ++links) {
        vfio::IovaRangeHeader header;
        std::memcpy(&header, all.data() + at, sizeof header);
        if (header.header.id == vfio::kCapIovaRange) {
          const uint64_t room = (all.size() - at - sizeof header) / sizeof(vfio::IovaRange);
          iova_ranges_.resize(std::min<uint64_t>(header.count, room));
          std::memcpy(iova_ranges_.data(), all.data() + at + sizeof header,
                      iova_ranges_.size() * sizeof(vfio::IovaRange));
        }
        at = header.header.next;
      }
    }
  }
  if (iova_ranges_.empty()) iova_ranges_.push_back(kDefaultRange);
}

void VfioDevice::open_device() {
  const int fd =
      system_.ioctl(container_.group.fd(), vfio::kGroupGetDeviceFd, reinterpret_cast<uintptr_t>(card_.bdf.c_str()));
  require(fd, "VFIO does not give out " + card_.bdf, kSeeLog);
  device_ = File(system_, fd);
  vfio::DeviceInfo info;
  require(device_.ioctl(vfio::kDeviceGetInfo, info), fmt::format("cannot read what {} has", card_.bdf), kSeeLog);
  if (info.num_regions <= vfio::kConfigRegion) {
    refuse(fmt::format("{} has no configuration space", card_.bdf), "See 'kerr devices'.");
  }
  const vfio::RegionInfo config = region(vfio::kConfigRegion);
  config_offset_ = config.offset;
  config_bytes_ = config.size;
  constexpr uint32_t kBlackhole = pcie::kVendorId | uint32_t{pcie::kDeviceId} << 16;
  if (const uint32_t id = config_read(pcie::kConfigVendorDevice); id != kBlackhole) {
    const bool gone = id == ~uint32_t{0};
    refuse(fmt::format("{} answers {:#x} where a Blackhole has {:#x}: it is {}", card_.bdf, id, kBlackhole,
                       gone ? "hung or has left the bus" : "another device"),
           gone ? "Reset it ('kerr reset')." : "See 'kerr devices'.");
  }
}

vfio::RegionInfo VfioDevice::region(uint32_t index) const {
  vfio::RegionInfo info{.index = index};
  require(device_.ioctl(vfio::kDeviceGetRegionInfo, info),
          fmt::format("cannot read where region {} of {} is", index, card_.bdf), kSeeLog);
  return info;
}

void VfioDevice::map_bars() {
  const struct {
    Bar bar;
    uint64_t wanted;  // at least; 0: may be absent
    const char* combined;
  } kBars[] = {
      {Bar::k0, pcie::kBar0Bytes, "resource0_wc"}, {Bar::k2, pcie::kBar2Bytes, nullptr}, {Bar::k4, 0, "resource4_wc"}};
  for (const auto& [which, wanted, combined] : kBars) {
    const vfio::RegionInfo info = region(static_cast<uint32_t>(which));
    BarView& view = bar(which);
    if (info.size < wanted) {
      refuse(fmt::format("BAR{} of {} has {:#x} bytes instead of {:#x}", static_cast<int>(which), card_.bdf, info.size,
                         wanted),
             "The platform's firmware has given the card too little address space: enable 'Above 4G Decoding'.");
    }
    if (info.size == 0) continue;
    int error = -EINVAL;
    if ((info.flags & vfio::kRegionMappable) != 0) {
      view.uncached = Mapping(system_, device_, info.size, info.offset, error);
    }
    if (error < 0 && wanted == 0) continue;  // without 4 GiB windows, the small ones do
    require_mapped(error, which, card_);
    view.bytes = info.size;
    if (combined != nullptr) map_combined(view, combined);
  }
}

// VFIO maps without write combining; sysfs can with it, if this process may. Without it all works, writes are slower.
void VfioDevice::map_combined(BarView& view, const char* name) {
  const File file(system_, system_.open(pci_path(card_.bdf) + "/" + name, O_RDWR | O_CLOEXEC));
  int error = 0;
  if (file.is_open()) view.combined = Mapping(system_, file, view.bytes, 0, error);
}

void VfioDevice::check_config(uint32_t offset) const {
  if (offset % 4 != 0 || offset >= config_bytes_) {
    host_error(
        fmt::format("configuration space at {:#x}; there are {:#x} bytes in aligned words", offset, config_bytes_));
  }
}

uint32_t VfioDevice::config_read(uint32_t offset) {
  check_config(offset);
  uint32_t value;
  return device_.read(config_offset_ + offset, value) ? value : ~0u;  // a device that is gone reads as all ones
}

void VfioDevice::config_write(uint32_t offset, uint32_t value) {
  check_config(offset);
  require(device_.write(config_offset_ + offset, value),
          fmt::format("configuration space of {} cannot be written", card_.bdf), "Reset the card ('kerr reset').");
}

// Two bytes at a time: the upper half of the word is status bits that a write clears.
void VfioDevice::enable(bool on) {
  const auto old = static_cast<uint16_t>(config_read(pcie::kConfigCommandStatus));
  const auto command = static_cast<uint16_t>(on ? old | kCommandMemory | kCommandMaster : old & ~kCommandMaster);
  const int error = device_.write(config_offset_ + pcie::kConfigCommandStatus, command);
  if (!on) return;
  require(error, fmt::format("memory space and bus mastering of {} cannot be switched on", card_.bdf),
          "Reset the card ('kerr reset').");
}

uint64_t VfioDevice::take_iova(uint64_t bytes) {
  for (const vfio::IovaRange& range : iova_ranges_) {
    const uint64_t start = (std::max(range.start, next_iova_) + kPageBytes - 1) & ~(kPageBytes - 1);
    if (start <= range.end && bytes - 1 <= range.end - start) {
      next_iova_ = start + bytes;
      return start;
    }
  }
  refuse(fmt::format("no IOVA is left for {} bytes on {}", bytes, card_.bdf), "Open the card anew.");
}

void VfioDevice::write_bar2(uint32_t offset, uint32_t value) {
  write(Bar::k2, pcie::kIatuBase + offset, arch::bytes_of(value), Caching::Uncached);
}

// Enabled last (host-pcie.md 2.4).
void VfioDevice::enable_region(int region, uint64_t base, uint64_t bytes, uint64_t target) {
  const uint32_t at = pcie::kIatuRegionStride * static_cast<uint32_t>(region);
  const uint64_t limit = base + bytes - 1;
  write_bar2(at + pcie::kIatuLowerBase, static_cast<uint32_t>(base));
  write_bar2(at + pcie::kIatuUpperBase, static_cast<uint32_t>(base >> 32));
  write_bar2(at + pcie::kIatuLowerTarget, static_cast<uint32_t>(target));
  write_bar2(at + pcie::kIatuUpperTarget, static_cast<uint32_t>(target >> 32));
  write_bar2(at + pcie::kIatuLowerLimit, static_cast<uint32_t>(limit));
  write_bar2(at + pcie::kIatuUpperLimit, static_cast<uint32_t>(limit >> 32));
  write_bar2(at + pcie::kIatuCtrl1, pcie::kIatuCtrl1IncreaseRegionSize);
  write_bar2(at + pcie::kIatuCtrl3, 0);
  write_bar2(at + pcie::kIatuCtrl2, pcie::kIatuCtrl2Enable);
}

void VfioDevice::disable_region(int region) {
  const uint32_t at = pcie::kIatuRegionStride * static_cast<uint32_t>(region);
  write_bar2(at + pcie::kIatuCtrl2, 0);
  uint32_t back;  // the region is off before the memory goes
  read(Bar::k2, pcie::kIatuBase + at + pcie::kIatuCtrl2, arch::bytes_of(back));
}

uint64_t VfioDevice::pin(std::span<std::byte> memory) {
  std::lock_guard lock(mutex_);
  int region = 0;
  while (region < pcie::kIatuRegions && regions_[static_cast<size_t>(region)]) ++region;
  if (region == pcie::kIatuRegions) {
    refuse(
        fmt::format("{} buffers are pinned on {}, and the card can translate no more", pcie::kIatuRegions, card_.bdf),
        "Unpin one, or pin one large buffer.");
  }
  const uint64_t base = pins_.add(memory);
  try {
    const uint64_t iova = take_iova(memory.size());
    vfio::DmaMap map{.vaddr = reinterpret_cast<uint64_t>(memory.data()), .iova = iova, .size = memory.size()};
    if (const int error = container_.container.ioctl(vfio::kIommuMapDma, map); error < 0) {
      refuse(fmt::format("{} bytes cannot be pinned for {}", memory.size(), card_.bdf), error,
             error == -ENOMEM ? "Raise the limit of locked memory ('ulimit -l')." : "Pin less, or open the card anew.");
    }
    enable_region(region, base, memory.size(), iova);
    pinned_[base] = {iova, memory.size(), region};
  } catch (...) {
    pins_.remove(base);
    throw;
  }
  regions_.set(static_cast<size_t>(region));
  return pcie::kNocHostBase | base;
}

void VfioDevice::unpin(uint64_t noc_address) {
  std::lock_guard lock(mutex_);
  const uint64_t base = noc_address & ~pcie::kNocHostBase;
  pins_.remove(base);
  const Pinned pinned = pinned_.at(base);
  pinned_.erase(base);
  disable_region(pinned.region);
  regions_.reset(static_cast<size_t>(pinned.region));
  vfio::DmaUnmap unmap{.iova = pinned.iova, .size = pinned.bytes};
  const int error = container_.container.ioctl(vfio::kIommuUnmapDma, unmap);
  if (error < 0 || unmap.size != pinned.bytes) {
    refuse(fmt::format("{} bytes pinned for {} cannot be released", pinned.bytes, card_.bdf),
           error < 0 ? error : -EINVAL, "Close the device: the kernel then releases everything.");
  }
}

// A reset of the chip forgets the regions, and the pins are still there.
void VfioDevice::program_pins() {
  std::lock_guard lock(mutex_);
  for (const auto& [base, pinned] : pinned_) enable_region(pinned.region, base, pinned.bytes, pinned.iova);
}

class VfioDevice::Port final : public SysfsResetPort {
 public:
  explicit Port(VfioDevice& device) : SysfsResetPort(device.system_, device.card_.bdf), device_(device) {
    device_.in_reset_ = true;
  }
  ~Port() override { device_.in_reset_ = false; }

  void function_reset() override {
    if (device_.device_.ioctl_value(vfio::kDeviceReset) < 0) SysfsResetPort::function_reset();
  }
  void restored() override { device_.program_pins(); }

 private:
  VfioDevice& device_;
};

std::unique_ptr<ResetPort> VfioDevice::reset_port() { return std::make_unique<Port>(*this); }

}  // namespace kerr::host
