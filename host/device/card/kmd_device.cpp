#include "host/device/card/kmd_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "arch/pcie.hpp"
#include "host/device/card/sysfs_reset.hpp"

namespace kerr::host {
namespace {

namespace pcie = arch::pcie;

constexpr const char* kVersionFile = "/sys/module/tenstorrent/version";
// host-pcie.md 3.1
constexpr KmdVersion kOldest{2, 0, 0}, kAsicReset{2, 4, 1}, kPowerStates{2, 6, 0};
constexpr const char* kUpdate = "Install a current tt-kmd (https://github.com/tenstorrent/tt-kmd).";

// What a pinned buffer's NoC address may be: firmware handles its low 32 bits (docs/hardware/fast-dispatch.md 2.1).
bool is_reachable(uint64_t noc_address, uint64_t bytes) {
  const uint64_t offset = noc_address & ~pcie::kNocHostBase;
  return (noc_address & pcie::kNocHostBase) != 0 && offset < 1ull << 32 && bytes <= (1ull << 32) - offset;
}

}  // namespace

KmdDevice::KmdDevice(System& system, const Card& card)
    : CardDevice(system), card_(card), version_(check_version(system)), node_(open_node(system, card, version_)) {
  check_interface(node_, card_);
  check_iommu(card_);
  map_bars();
  if (version_ >= kPowerStates) ask_for_power();
}

// The driver releases pins, windows and the power request when the file is closed.
KmdDevice::~KmdDevice() { unmap_bars(); }

void KmdDevice::check(System& system, const Card& card) {
  // With power states a client that asks for none changes nothing.
  const KmdVersion version = check_version(system);
  if (version >= kPowerStates) check_interface(open_node(system, card, version), card);
  check_iommu(card);
}

void KmdDevice::check_iommu(const Card& card) {
  if (card.iommu_type.starts_with("DMA")) return;
  refuse(fmt::format("{} has no translating IOMMU (its type is '{}'): a kernel could reach all of this machine's "
                     "memory, and only physically contiguous memory could be pinned",
                     card.bdf, card.iommu_type),
         "Switch the IOMMU on, without iommu=pt on the kernel's command line.");
}

KmdVersion KmdDevice::check_version(System& system) {
  const auto text = read_text(system, kVersionFile);
  if (!text) refuse("the kernel module 'tenstorrent' (tt-kmd) is not loaded", "Load it: 'modprobe tenstorrent'.");
  KmdVersion version;
  if (std::sscanf(text->c_str(), "%u.%u.%u", &version.major, &version.minor, &version.patch) < 2) {
    refuse(fmt::format("tt-kmd's version '{}' cannot be read", *text), kUpdate);
  }
  if (version < kOldest) {
    refuse(fmt::format("tt-kmd {} is too old; it must be at least {}.{}.{}", *text, kOldest.major, kOldest.minor,
                       kOldest.patch),
           kUpdate);
  }
  return version;
}

// With O_APPEND a client starts with no demand for power instead of the demand that old clients are taken to have.
File KmdDevice::open_node(System& system, const Card& card, KmdVersion version) {
  if (card.driver != "tenstorrent" || card.kmd_node.empty()) {
    refuse(fmt::format("{} is not bound to tt-kmd", card.bdf), "See 'kerr devices'.");
  }
  File node(system, system.open(card.kmd_node, O_RDWR | O_CLOEXEC | (version >= kPowerStates ? O_APPEND : 0)));
  if (node.is_open()) return node;
  const std::string what = fmt::format("cannot open {}", card.kmd_node);
  switch (node.fd()) {
    case -EACCES:
    case -EPERM: refuse(what, node.fd(), fmt::format("Give this user access to {}.", card.kmd_node));
    case -EBUSY:
    case -EAGAIN: refuse(what, node.fd(), "Another process holds the card exclusively; end it first.");
    case -ENODEV: refuse(what, node.fd(), "The card has left the bus. Power-cycle the machine.");
    default: refuse(what, node.fd(), kSeeLog);
  }
}

void KmdDevice::check_interface(const File& node, const Card& card) {
  kmd::GetDriverInfo driver;
  require(node.ioctl(kmd::kGetDriverInfo, driver), card.kmd_node + " does not say which interface it has", kUpdate);
  if (driver.out.interface_version != kmd::kInterfaceVersion) {
    refuse(fmt::format("tt-kmd has interface {}; this program knows {}", driver.out.interface_version,
                       kmd::kInterfaceVersion),
           kUpdate);
  }
  kmd::GetDeviceInfo info;
  if (const int error = node.ioctl(kmd::kGetDeviceInfo, info); error < 0) {
    refuse(fmt::format("{} does not say what it is", card.kmd_node), error,
           error == -ENODEV ? "The card was reset or has left the bus. Try again, then reset it ('kerr reset')."
                            : kUpdate);
  }
  if (info.out.vendor != pcie::kVendorId || info.out.device != pcie::kDeviceId) {
    refuse(fmt::format("{} is {:04x}:{:04x} and no Blackhole", card.kmd_node, info.out.vendor, info.out.device),
           "See 'kerr devices'.");
  }
}

void KmdDevice::map_bars() {
  kmd::QueryMappings query;
  require(node_.ioctl(kmd::kQueryMappings, query), card_.kmd_node + " does not say where its BARs are", kUpdate);
  for (const kmd::ResourceMapping& mapping : query.mappings) {
    if (mapping.id == 0 || mapping.id > static_cast<uint32_t>(kmd::MappingId::Bar4Combined) || mapping.size == 0) {
      continue;
    }
    const bool combined = mapping.id % 2 == 0;
    const auto which = static_cast<Bar>((mapping.id - 1) / 2 * 2);
    if (combined && which == Bar::k2) continue;  // registers only
    BarView& view = bar(which);
    int error = 0;
    (combined ? view.combined : view.uncached) = Mapping(system_, node_, mapping.size, mapping.base, error);
    if (combined) continue;  // works without
    if (which != Bar::k4) require_mapped(error, which, card_);
    if (error == 0) view.bytes = mapping.size;
  }
  if (bar_bytes(Bar::k0) < pcie::kBar0Bytes || bar_bytes(Bar::k2) < pcie::kBar2Bytes) {
    refuse(fmt::format("BAR0 of {} has {:#x} bytes and BAR2 {:#x}; wanted are {:#x} and {:#x}", card_.bdf,
                       bar_bytes(Bar::k0), bar_bytes(Bar::k2), pcie::kBar0Bytes, pcie::kBar2Bytes),
           "Enable 'Above 4G Decoding' in the platform's firmware.");
  }
}

// All but the L2CPUs, which nothing here uses.
void KmdDevice::ask_for_power() {
  kmd::SetPowerState power{.validity = 4, .power_flags = kmd::kPowerMaxAiclk | kmd::kPowerMriscPhy | kmd::kPowerTensix};
  require(node_.ioctl(kmd::kSetPowerState, power), card_.kmd_node + " does not switch the Tensix tiles on", kUpdate);
}

// The driver has no call for configuration space; sysfs shows its first 64 bytes to everybody.
uint32_t KmdDevice::config_read(uint32_t offset) {
  const File file(system_, system_.open(pci_path(card_.bdf) + "/config", O_RDONLY | O_CLOEXEC));
  uint32_t value = ~0u;
  if (offset % 4 != 0) host_error(fmt::format("a configuration read at {:#x} is not aligned to 4 bytes", offset));
  return file.is_open() && file.read(offset, value) ? value : ~0u;
}

void KmdDevice::config_write(uint32_t offset, uint32_t value) {
  const File file(system_, system_.open(pci_path(card_.bdf) + "/config", O_RDWR | O_CLOEXEC));
  if (offset % 4 != 0) host_error(fmt::format("a configuration write at {:#x} is not aligned to 4 bytes", offset));
  require(file.is_open() ? file.write(offset, value) : file.fd(),
          fmt::format("configuration space of {} cannot be written", card_.bdf), "It takes root.");
}

uint64_t KmdDevice::pin(std::span<std::byte> memory) {
  kmd::PinPages pages{.address = reinterpret_cast<uint64_t>(memory.data()), .bytes = memory.size()};
  if (pages.address % kPageBytes != 0 || pages.bytes % kPageBytes != 0 || pages.bytes == 0) {
    host_error(fmt::format("{} bytes at {:#x} are not whole pages", pages.bytes, pages.address));
  }
  std::lock_guard lock(mutex_);
  if (const int error = node_.ioctl(kmd::kPinPages, pages); error < 0) {
    refuse(fmt::format("{} bytes cannot be pinned for {}", memory.size(), card_.bdf), error,
           error == -ENOSPC   ? "All 16 regions of the card are taken; unpin a buffer or end another process."
           : error == -EEXIST ? "This buffer is pinned already."
                              : "Pin less, or raise the limit of locked memory ('ulimit -l').");
  }
  if (!is_reachable(pages.noc_address, pages.bytes)) {
    kmd::UnpinPages unpin{.address = pages.address, .bytes = pages.bytes};
    node_.ioctl(kmd::kUnpinPages, unpin);
    refuse(fmt::format("tt-kmd put {} bytes at NoC address {:#x}, but the command queue needs them in one piece below "
                       "4 GiB",
                       pages.bytes, pages.noc_address),
           "Another process has pinned what lies below; end it.");
  }
  pinned_[pages.noc_address] = memory;
  return pages.noc_address;
}

void KmdDevice::unpin(uint64_t noc_address) {
  std::lock_guard lock(mutex_);
  const auto found = pinned_.find(noc_address);
  if (found == pinned_.end()) host_error(fmt::format("nothing is pinned at NoC address {:#x}", noc_address));
  kmd::UnpinPages unpin{.address = reinterpret_cast<uint64_t>(found->second.data()), .bytes = found->second.size()};
  pinned_.erase(found);
  require(node_.ioctl(kmd::kUnpinPages, unpin),
          fmt::format("{} bytes pinned for {} cannot be released", unpin.bytes, card_.bdf),
          "Close the device: the driver then releases everything.");
}

std::optional<int> KmdDevice::claim_window(bool large) {
  kmd::AllocateTlb tlb{.bytes = large ? pcie::kLargeWindowBytes : pcie::kSmallWindowBytes};
  if (node_.ioctl(kmd::kAllocateTlb, tlb) < 0) return std::nullopt;
  const int first = large ? pcie::kSmallWindows : 0, end = large ? pcie::kWindows : pcie::kSmallWindows;
  const int window = static_cast<int>(tlb.id);
  if (window < first || window >= end) {
    refuse(fmt::format("tt-kmd gave out window {} where one of {} to {} was asked for", tlb.id, first, end - 1),
           kUpdate);
  }
  return window;
}

void KmdDevice::release_window(int window) {
  kmd::FreeTlb tlb{.id = static_cast<uint32_t>(window)};
  node_.ioctl(kmd::kFreeTlb, tlb);
}

class KmdDevice::Port final : public SysfsResetPort {
 public:
  explicit Port(KmdDevice& device) : SysfsResetPort(device.system_, device.card_.bdf), device_(device) {
    device_.in_reset_ = true;
  }
  ~Port() override { device_.in_reset_ = false; }

  // Pins keep their place in the driver's books, but the reset has cleared the translation that they need.
  void restored() override {
    std::lock_guard lock(device_.mutex_);
    for (const auto& [noc_address, memory] : device_.pinned_) {
      kmd::UnpinPages unpin{.address = reinterpret_cast<uint64_t>(memory.data()), .bytes = memory.size()};
      device_.node_.ioctl(kmd::kUnpinPages, unpin);
    }
    for (const auto& [noc_address, memory] : device_.pinned_) {
      kmd::PinPages pages{.address = reinterpret_cast<uint64_t>(memory.data()), .bytes = memory.size()};
      const int error = device_.node_.ioctl(kmd::kPinPages, pages);
      if (error < 0 || pages.noc_address != noc_address) {
        refuse(fmt::format("after its reset {} does not show a pinned buffer where it was", device_.card_.bdf),
               "Open the card anew.");
      }
    }
  }

  std::optional<std::string> reset_by_driver() override {
    device_.unmap_bars();  // the driver takes them away anyway
    const bool current = device_.version_ >= kAsicReset;
    call(current ? kmd::Reset::AsicReset : kmd::Reset::ConfigWrite);
    device_.wait([] { return false; }, Deadline::milliseconds(2000));
    if (call(current ? kmd::Reset::PostReset : kmd::Reset::RestoreState) != 0) {
      throw DeviceError(Category::Protocol,
                        fmt::format("{}: tt-kmd's reset did not happen. Power-cycle the machine.", device_.name()));
    }
    device_.map_bars();
    if (device_.version_ >= kPowerStates) device_.ask_for_power();
    return fmt::format("tt-kmd reset the chip ({})", current ? "ASIC reset" : "interface timer");
  }

 private:
  uint32_t call(kmd::Reset flag) {
    kmd::ResetDevice reset{.flags = static_cast<uint32_t>(flag)};
    if (const int error = device_.node_.ioctl(kmd::kResetDevice, reset); error < 0) {
      refuse(fmt::format("tt-kmd refuses to reset {}", device_.card_.bdf), error,
             error == -EBUSY ? "Another process has exported its memory; end it." : kSeeLog);
    }
    return reset.result;
  }

  KmdDevice& device_;
};

std::unique_ptr<ResetPort> KmdDevice::reset_port() { return std::make_unique<Port>(*this); }

}  // namespace kerr::host
