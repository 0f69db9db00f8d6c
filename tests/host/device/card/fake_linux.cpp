#include "tests/host/device/card/fake_linux.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "arch/bytes.hpp"

namespace kerr::host {
namespace {

namespace pcie = arch::pcie;

constexpr uint64_t kRegionStride = 1ull << 40;  // offsets of the device file, as vfio-pci has them
constexpr uint64_t kKmdStride = 1ull << 36;
constexpr uint32_t kCapability = 0x70;
constexpr const char* kBarNames[] = {"BAR0", "BAR1", "BAR2", "BAR3", "BAR4"};

emu::Options options(emu::HostMemory* memory) {
  emu::Options o;
  o.host_memory = memory;
  return o;
}

template <class Struct>
Struct& at(uintptr_t argument) {
  return *reinterpret_cast<Struct*>(argument);
}

}  // namespace

FakeLinux::FakeLinux(const std::string& driver) : machine_(options(&host_memory_)) {
  const std::string path = kPath;
  files[path + "/vendor"] = "0x1e52\n";
  files[path + "/device"] = "0xb140\n";
  files[path + "/iommu_group/type"] = "DMA-FQ\n";
  files[path + "/current_link_speed"] = "32.0 GT/s PCIe\n";
  files[path + "/current_link_width"] = "16\n";
  files[path + "/config"] = "";
  files[path + "/reset"] = "";
  files["/sys/bus/pci/devices/0000:00:1f.0/vendor"] = "0x8086\n";
  files["/sys/bus/pci/devices/0000:00:1f.0/device"] = "0xa0a1\n";
  files[std::string(kBridge) + "/class"] = "0x060400\n";
  files[std::string(kBridge) + "/config"] = "";
  links[path] = kRealPath;
  links[path + "/driver"] = "/sys/bus/pci/drivers/" + driver;
  links[path + "/iommu_group"] = "/sys/kernel/iommu_groups/17";
  files["/sys/kernel/iommu_groups/17/devices/0000:01:00.0/config"] = "";
  links["/sys/kernel/iommu_groups/17/devices/0000:01:00.0/driver"] = links[path + "/driver"];
  if (driver == "tenstorrent") {
    files["/sys/module/tenstorrent/version"] = "2.6.1\n";
    files[path + "/tenstorrent/tenstorrent!0/dev"] = "240:0\n";
    machine_.config_write(0, 4, 6);  // as tt-kmd leaves the card
  }
}

FakeLinux::~FakeLinux() {
  for (const auto& [start, mapping] : mappings_) ::munmap(start, mapping.bytes);
}

std::string FakeLinux::all_calls() const {
  std::string text;
  for (const std::string& call : calls) text += call + "\n";
  return text;
}

// Notes the call; the error that a test wants it to have, or 0.
int FakeLinux::done(const std::string& call) {
  calls.push_back(call);
  const auto error = call_errors.find(call);
  if (error == call_errors.end()) return 0;
  if (int& left = calls_before_error[call]; left > 0) return --left, 0;
  return error->second;
}

int FakeLinux::new_fd(Kind kind, const std::string& path) {
  open_[next_fd_] = {kind, path};
  return next_fd_++;
}

int FakeLinux::open(const std::string& path, int flags) {
  const bool quiet = path.starts_with("/sys/") && !path.ends_with("_wc");
  if (!quiet) calls.push_back("open " + path);
  if (const auto error = open_errors.find(path); error != open_errors.end()) return error->second;
  if ((flags & O_CLOEXEC) == 0) mistake("opened without O_CLOEXEC: " + path);
  if (path == "/dev/vfio/vfio") return new_fd(Kind::Container, path);
  if (path == "/dev/vfio/17") return new_fd(Kind::Group, path);
  if (path == "/dev/tenstorrent/0") return new_fd(Kind::Kmd, path);
  if (path == std::string(kPath) + "/config") return new_fd(Kind::Config, path);
  if (path == std::string(kBridge) + "/config") return new_fd(Kind::BridgeConfig, path);
  if (path == std::string(kPath) + "/resource0_wc" || path == std::string(kPath) + "/resource4_wc") {
    return new_fd(Kind::Resource, path);
  }
  if (files.contains(path)) return new_fd(Kind::File, path);
  return -ENOENT;
}

int FakeLinux::close(int fd) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return mistake("closed twice"), -EBADF;
  const Kind kind = found->second.kind;
  open_.erase(found);
  switch (kind) {
    case Kind::Device:
      calls.push_back("close device");
      for (const auto& [start, mapping] : mappings_) {
        if (!mapping.combined) mistake("the device was closed with BARs mapped");
      }
      device_open_ = false;
      break;
    case Kind::Group:
      calls.push_back("close group");
      if (device_open_) mistake("the group was closed before the device");
      container_set_ = false;
      break;
    case Kind::Container:
      calls.push_back("close container");
      if (container_set_) mistake("the container was closed before the group");
      iommu_set_ = false;
      iommu_.clear();
      break;
    case Kind::Kmd:
      calls.push_back("close kmd");
      iommu_.clear();
      windows_.clear();
      power_flags = 0;
      break;
    default: break;
  }
  return 0;
}

int FakeLinux::ioctl(int fd, unsigned long request, uintptr_t argument) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return mistake("ioctl on a closed file"), -EBADF;
  const Open file = found->second;
  if (file.kind == Kind::Kmd) return kmd_call(request, argument);
  return vfio_call(file, request, argument);
}

int FakeLinux::vfio_call(const Open& file, unsigned long request, uintptr_t argument) {
  struct Row {
    unsigned long request;
    Kind kind;
    const char* name;
  };
  static constexpr Row kRows[] = {
      {vfio::kGetApiVersion, Kind::Container, "GET_API_VERSION"},
      {vfio::kCheckExtension, Kind::Container, "CHECK_EXTENSION"},
      {vfio::kSetIommu, Kind::Container, "SET_IOMMU"},
      {vfio::kIommuGetInfo, Kind::Container, "GET_IOMMU_INFO"},
      {vfio::kIommuMapDma, Kind::Container, "MAP_DMA"},
      {vfio::kIommuUnmapDma, Kind::Container, "UNMAP_DMA"},
      {vfio::kGroupGetStatus, Kind::Group, "GET_STATUS"},
      {vfio::kGroupSetContainer, Kind::Group, "SET_CONTAINER"},
      {vfio::kGroupGetDeviceFd, Kind::Group, "GET_DEVICE_FD"},
      {vfio::kDeviceGetInfo, Kind::Device, "GET_DEVICE_INFO"},
      {vfio::kDeviceGetRegionInfo, Kind::Device, "GET_REGION_INFO"},
      {vfio::kDeviceReset, Kind::Device, "DEVICE_RESET"},
  };
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.request == request; });
  if (row == std::end(kRows) || row->kind != file.kind) {
    mistake(fmt::format("request {:#x} on {}", request, file.path));
    return -ENOTTY;
  }
  if (const int error = done(row->name); error < 0) return error;
  switch (request) {
    case vfio::kGetApiVersion: return vfio_version;
    case vfio::kCheckExtension: return argument == vfio::kType1v2 && type1v2 ? 1 : 0;
    case vfio::kGroupGetStatus: {
      auto& status = at<vfio::GroupStatus>(argument);
      if (status.argsz < sizeof status) return -EINVAL;
      status.flags = (viable ? vfio::kGroupViable : 0) | (container_taken ? vfio::kGroupContainerSet : 0);
      return 0;
    }
    case vfio::kGroupSetContainer: {
      const auto container = open_.find(at<int>(argument));
      if (container == open_.end() || container->second.kind != Kind::Container) return -EINVAL;
      container_set_ = true;
      return 0;
    }
    case vfio::kSetIommu:
      if (!container_set_) return mistake("SET_IOMMU before SET_CONTAINER"), -EINVAL;
      if (argument != vfio::kType1v2) return mistake("SET_IOMMU: not type 1 v2"), -EINVAL;
      iommu_set_ = true;
      return 0;
    case vfio::kIommuGetInfo: return iommu_info(argument);
    case vfio::kGroupGetDeviceFd:
      if (!iommu_set_) return mistake("GET_DEVICE_FD before SET_IOMMU"), -EINVAL;
      if (std::strcmp(reinterpret_cast<const char*>(argument), kBdf) != 0) return -ENODEV;
      device_open_ = true;
      return new_fd(Kind::Device, "device");
    case vfio::kDeviceGetInfo: {
      auto& info = at<vfio::DeviceInfo>(argument);
      info.flags = vfio::kDeviceHasReset;
      info.num_regions = 9;
      return 0;
    }
    case vfio::kDeviceGetRegionInfo: {
      auto& info = at<vfio::RegionInfo>(argument);
      if (info.argsz < sizeof info) return -EINVAL;
      info.offset = info.index * kRegionStride;
      info.size = 0;
      info.flags = 3;
      if (info.index == vfio::kConfigRegion) info.size = config_bytes;
      if (info.index <= 4 && info.index % 2 == 0) {
        info.size = bar_bytes[info.index / 2];
        info.flags |= vfio::kRegionMappable;
      }
      return 0;
    }
    case vfio::kDeviceReset:
      ++function_resets;
      clear_function();
      return 0;
    case vfio::kIommuMapDma: return map_dma(at<vfio::DmaMap>(argument));
    default: return unmap_dma(at<vfio::DmaUnmap>(argument));
  }
}

int FakeLinux::iommu_info(uintptr_t argument) {
  auto& info = at<vfio::IommuInfo>(argument);
  const uint32_t given = info.argsz;
  const auto all =
      static_cast<uint32_t>(sizeof info + sizeof(vfio::IovaRangeHeader) + iova_ranges.size() * sizeof(vfio::IovaRange));
  info.flags = 1;
  info.iova_pgsizes = ~uint64_t{0xFFF};
  if (iova_ranges.empty()) return 0;
  info.flags |= vfio::kInfoHasCapabilities;
  info.argsz = all;
  info.cap_offset = 0;
  if (given < all) return 0;
  info.cap_offset = sizeof info;
  vfio::IovaRangeHeader header;
  header.header = {vfio::kCapIovaRange, 1, 0};
  header.count = static_cast<uint32_t>(iova_ranges.size());
  auto* to = reinterpret_cast<std::byte*>(argument) + sizeof info;
  std::memcpy(to, &header, sizeof header);
  std::memcpy(to + sizeof header, iova_ranges.data(), iova_ranges.size() * sizeof(vfio::IovaRange));
  return 0;
}

int FakeLinux::map_dma(const vfio::DmaMap& map) {
  if (!iommu_set_) return mistake("MAP_DMA before SET_IOMMU"), -EINVAL;
  if (map.argsz != sizeof map || map.flags != (vfio::kDmaRead | vfio::kDmaWrite) || map.size == 0 ||
      (map.vaddr | map.iova | map.size) % 4096 != 0) {
    return mistake("MAP_DMA with a bad argument"), -EINVAL;
  }
  const bool allowed = std::any_of(iova_ranges.begin(), iova_ranges.end(), [&](const vfio::IovaRange& r) {
    return map.iova >= r.start && map.iova <= r.end && map.size - 1 <= r.end - map.iova;
  });
  if (!allowed && !iova_ranges.empty()) return mistake("MAP_DMA outside the IOMMU's ranges"), -EINVAL;
  for (const auto& [iova, buffer] : iommu_) {
    if (map.iova < iova + buffer.bytes && iova < map.iova + map.size) return mistake("MAP_DMA twice"), -EEXIST;
  }
  iommu_[map.iova] = {reinterpret_cast<std::byte*>(map.vaddr), map.size, -1, 0};
  return 0;
}

int FakeLinux::unmap_dma(vfio::DmaUnmap& unmap) {
  const auto found = iommu_.find(unmap.iova);
  if (unmap.argsz != sizeof unmap || found == iommu_.end() || found->second.bytes != unmap.size) {
    unmap.size = 0;
    return mistake("UNMAP_DMA of what is not mapped"), 0;
  }
  for (int region = 0; region < pcie::kIatuRegions; ++region) {
    uint32_t words[9];
    machine_.read(0, emu::Bar::k2, pcie::kIatuBase + pcie::kIatuRegionStride * static_cast<uint32_t>(region),
                  arch::as_uint8(words));
    if ((words[1] & pcie::kIatuCtrl2Enable) != 0 && (uint64_t{words[6]} << 32 | words[5]) == unmap.iova) {
      mistake("memory was released while the card still translates to it");
    }
  }
  iommu_.erase(found);
  return 0;
}

int FakeLinux::kmd_call(unsigned long request, uintptr_t argument) {
  switch (request) {
    case kmd::kGetDriverInfo: {
      if (const int error = done("GET_DRIVER_INFO"); error < 0) return error;
      auto& info = at<kmd::GetDriverInfo>(argument);
      if (info.output_size_bytes < sizeof info.out) return mistake("GET_DRIVER_INFO: size"), -EINVAL;
      info.out = {sizeof info.out, kmd_interface, 2, 6, 1, 0};
      return 0;
    }
    case kmd::kGetDeviceInfo: {
      if (const int error = done("GET_DEVICE_INFO"); error < 0) return error;
      auto& info = at<kmd::GetDeviceInfo>(argument);
      info.out.vendor = pcie::kVendorId;
      info.out.device = pcie::kDeviceId;
      info.out.bus_dev_fn = 0x0100;
      return 0;
    }
    case kmd::kQueryMappings: {
      if (const int error = done("QUERY_MAPPINGS"); error < 0) return error;
      auto& query = at<kmd::QueryMappings>(argument);
      for (uint32_t i = 0; i < query.count; ++i) {
        query.mappings[i] = {i + 1, 0, i * kKmdStride, bar_bytes[i / 2]};
      }
      return 0;
    }
    case kmd::kPinPages: {
      if (const int error = done("PIN_PAGES"); error < 0) return error;
      auto& pin = at<kmd::PinPages>(argument);
      if (pin.flags != kmd::kPinForNoc || pin.bytes == 0 || (pin.address | pin.bytes) % 4096 != 0) return -EINVAL;
      int region = 0;
      for (const auto& [iova, buffer] : iommu_) region = std::max(region, buffer.region + 1);
      if (region == pcie::kIatuRegions) return -ENOSPC;
      const uint64_t iova = 0x1'0000'0000 + (uint64_t{static_cast<uint32_t>(region)} << 33), base = next_pin;
      next_pin += pin.bytes;
      iommu_[iova] = {reinterpret_cast<std::byte*>(pin.address), pin.bytes, region, pcie::kNocHostBase + base};
      const uint32_t r = pcie::kIatuRegionStride * static_cast<uint32_t>(region);
      const uint64_t limit = base + pin.bytes - 1;
      write_bar2(r + pcie::kIatuLowerBase, static_cast<uint32_t>(base));
      write_bar2(r + pcie::kIatuUpperBase, static_cast<uint32_t>(base >> 32));
      write_bar2(r + pcie::kIatuLowerTarget, static_cast<uint32_t>(iova));
      write_bar2(r + pcie::kIatuUpperTarget, static_cast<uint32_t>(iova >> 32));
      write_bar2(r + pcie::kIatuLowerLimit, static_cast<uint32_t>(limit));
      write_bar2(r + pcie::kIatuUpperLimit, static_cast<uint32_t>(limit >> 32));
      write_bar2(r + pcie::kIatuCtrl1, pcie::kIatuCtrl1IncreaseRegionSize);
      write_bar2(r + pcie::kIatuCtrl2, pcie::kIatuCtrl2Enable);
      pin.physical_address = iova;
      pin.noc_address = pcie::kNocHostBase + base;
      return 0;
    }
    case kmd::kUnpinPages: {
      if (const int error = done("UNPIN_PAGES"); error < 0) return error;
      const auto& unpin = at<kmd::UnpinPages>(argument);
      for (auto i = iommu_.begin(); i != iommu_.end(); ++i) {
        if (i->second.at != reinterpret_cast<std::byte*>(unpin.address) || i->second.bytes != unpin.bytes) continue;
        write_bar2(pcie::kIatuRegionStride * static_cast<uint32_t>(i->second.region) + pcie::kIatuCtrl2, 0);
        next_pin = i->second.noc_address - pcie::kNocHostBase;  // first fit
        iommu_.erase(i);
        return 0;
      }
      return mistake("UNPIN_PAGES of what is not pinned"), -EINVAL;
    }
    case kmd::kAllocateTlb: {
      if (const int error = done("ALLOCATE_TLB"); error < 0) return error;
      auto& tlb = at<kmd::AllocateTlb>(argument);
      const bool large = tlb.bytes == pcie::kLargeWindowBytes;
      if (!large && tlb.bytes != pcie::kSmallWindowBytes) return -EINVAL;
      for (int i = large ? pcie::kSmallWindows : 0; i < (large ? pcie::kWindows : pcie::kDriverWindow); ++i) {
        if (windows_.contains(i) || other_windows.contains(i)) continue;
        windows_.insert(i);
        tlb.id = static_cast<uint32_t>(i);
        return 0;
      }
      return -ENOMEM;
    }
    case kmd::kFreeTlb: {
      if (const int error = done("FREE_TLB"); error < 0) return error;
      if (windows_.erase(static_cast<int>(at<kmd::FreeTlb>(argument).id)) == 0) mistake("FREE_TLB of another's window");
      return 0;
    }
    case kmd::kSetPowerState: {
      if (const int error = done("SET_POWER_STATE"); error < 0) return error;
      const auto& power = at<kmd::SetPowerState>(argument);
      if (power.argsz != sizeof power || power.flags != 0) return mistake("SET_POWER_STATE: argsz"), -EINVAL;
      power_flags = power.power_flags;
      return 0;
    }
    case kmd::kResetDevice: return kmd_reset(at<kmd::ResetDevice>(argument));
    default: return mistake(fmt::format("request {:#x} on tt-kmd", request)), -ENOTTY;
  }
}

int FakeLinux::kmd_reset(kmd::ResetDevice& reset) {
  if (const int error = done(fmt::format("RESET_DEVICE {}", reset.flags)); error < 0) return error;
  switch (static_cast<kmd::Reset>(reset.flags)) {
    case kmd::Reset::ConfigWrite:
    case kmd::Reset::AsicReset:
      if (!mappings_.empty()) mistake("BARs were mapped during the driver's reset");
      if (asic_reset_works) machine_.reset(0);
      ++resets;
      reset_asked_ = true;
      return 0;
    case kmd::Reset::RestoreState:
    case kmd::Reset::PostReset:
      if (!reset_asked_) mistake("POST_RESET without a reset");
      reset.result = asic_reset_works ? 0 : 1;
      machine_.config_write(0, 4, 6);
      return 0;
    default: return -EINVAL;
  }
}

void FakeLinux::write_bar2(uint32_t offset, uint32_t value) {
  machine_.write(0, emu::Bar::k2, pcie::kIatuBase + offset, arch::as_uint8(value));
}

// Configuration space: what the emulated function has, and the PCI Express capability of real ones.
void FakeLinux::config_get(uint64_t offset, std::span<std::byte> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const auto at_byte = static_cast<uint32_t>(offset + i);
    uint32_t word = machine_.config_read(0, at_byte & ~3u);
    if ((at_byte & ~3u) == 0x34) word = kCapability;
    if ((at_byte & ~3u) == kCapability) word = 0x10;
    if ((at_byte & ~3u) == kCapability + 8) word = device_control_;
    if (gone || held_in_reset_) word = ~0u;
    out[i] = static_cast<std::byte>(word >> 8 * (at_byte % 4));
  }
}

void FakeLinux::config_set(uint64_t offset, std::span<const std::byte> bytes) {
  if (gone || held_in_reset_) return;
  if (offset == kCapability + 8 && bytes.size() == 2) {
    std::memcpy(&device_control_, bytes.data(), 2);
    return;
  }
  if (offset < 0x40 && offset + bytes.size() > 0x06 && offset < 0x08) mistake("the status register was written");
  for (size_t i = 0; i < bytes.size();) {
    const auto word_at = static_cast<uint32_t>((offset + i) & ~3ull);
    uint32_t word = machine_.config_read(0, word_at);
    const size_t in = (offset + i) % 4, n = std::min<size_t>(4 - in, bytes.size() - i);
    std::memcpy(reinterpret_cast<std::byte*>(&word) + in, bytes.data() + i, n);
    const bool fire = word_at == 0x930 && (word & 0x11) == 0x11;
    if (fire) ++resets;
    if (!fire || asic_reset_works) machine_.config_write(0, word_at, word);
    if (fire && asic_reset_works) device_control_ = 0;
    i += n;
  }
}

// What a reset of the function does: its configuration and the controller's registers, not the chip behind.
void FakeLinux::clear_function() {
  for (uint32_t offset : {0x04u, 0x0Cu, 0x10u, 0x14u, 0x18u, 0x1Cu, 0x20u, 0x24u, 0x3Cu}) {
    machine_.config_write(0, offset, 0);
  }
  for (uint32_t region = 0; region < pcie::kIatuRegions; ++region) {
    write_bar2(region * pcie::kIatuRegionStride + pcie::kIatuCtrl2, 0);
  }
  device_control_ = 0;
}

int64_t FakeLinux::pread(int fd, std::span<std::byte> out, uint64_t offset) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return mistake("pread of a closed file"), -EBADF;
  switch (found->second.kind) {
    case Kind::Device: offset -= vfio::kConfigRegion * kRegionStride; [[fallthrough]];
    case Kind::Config: {
      if (offset >= config_bytes) return 0;
      const size_t n = std::min<uint64_t>(out.size(), config_bytes - offset);
      config_get(offset, out.first(n));
      return static_cast<int64_t>(n);
    }
    case Kind::BridgeConfig:
      if (offset != 0x3E || out.size() != 2) return -EINVAL;
      std::memcpy(out.data(), &bridge_control_, 2);
      return 2;
    case Kind::File: {
      const std::string& text = files[found->second.path];
      const size_t n = std::min(out.size(), text.size() - std::min<size_t>(offset, text.size()));
      std::memcpy(out.data(), text.data() + offset, n);
      return static_cast<int64_t>(n);
    }
    default: return -EINVAL;
  }
}

int64_t FakeLinux::pwrite(int fd, std::span<const std::byte> bytes, uint64_t offset) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return mistake("pwrite of a closed file"), -EBADF;
  switch (found->second.kind) {
    case Kind::Device: offset -= vfio::kConfigRegion * kRegionStride; [[fallthrough]];
    case Kind::Config:
      if (const int error = done(fmt::format("config[{:#x}]", offset)); error < 0) return error;
      config_set(offset, bytes);
      return static_cast<int64_t>(bytes.size());
    case Kind::BridgeConfig: {
      if (offset != 0x3E || bytes.size() != 2) return -EINVAL;
      std::memcpy(&bridge_control_, bytes.data(), 2);
      const bool held = (bridge_control_ & 0x40) != 0;
      calls.push_back(held ? "bus reset on" : "bus reset off");
      if (held && !held_in_reset_) {
        ++bus_resets;
        clear_function();
      }
      held_in_reset_ = held;
      return 2;
    }
    case Kind::File:
      if (const int error = done("write " + found->second.path); error < 0) return error;
      if (found->second.path == std::string(kPath) + "/reset") {
        ++function_resets;
        clear_function();
      }
      return static_cast<int64_t>(bytes.size());
    default: return -EINVAL;
  }
}

int FakeLinux::map(int fd, uint64_t bytes, uint64_t offset, std::byte*& start) {
  const auto found = open_.find(fd);
  if (found == open_.end()) return mistake("mmap of a closed file"), -EBADF;
  int bar = 0;
  bool combined = false;
  switch (found->second.kind) {
    case Kind::Device: bar = static_cast<int>(offset / kRegionStride); break;
    case Kind::Resource:
      bar = found->second.path.find("resource4") != std::string::npos ? 4 : 0;
      combined = true;
      break;
    case Kind::Kmd:
      bar = static_cast<int>(offset / kKmdStride / 2 * 2);
      combined = offset / kKmdStride % 2 == 1;
      break;
    default: return -ENODEV;
  }
  if (const int error = done(fmt::format("map {}{}", kBarNames[bar], combined ? " combined" : "")); error < 0) {
    return error;
  }
  if (bytes != bar_bytes[bar / 2]) return mistake("mmap of another size than the BAR's"), -EINVAL;
  void* place = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return -ENOMEM;
  start = static_cast<std::byte*>(place);
  mappings_[start] = {bar, combined, bytes};
  return 0;
}

int FakeLinux::unmap(std::byte* start, uint64_t bytes) {
  const auto found = mappings_.find(start);
  if (found == mappings_.end() || found->second.bytes != bytes) return mistake("munmap of what is not mapped"), -EINVAL;
  ::munmap(start, bytes);
  mappings_.erase(found);
  return 0;
}

std::vector<std::string> FakeLinux::list(const std::string& folder) {
  std::set<std::string> names;
  const std::string prefix = folder + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(prefix))
      names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
  };
  for (const auto& [path, text] : files) add(path);
  for (const auto& [path, target] : links) add(path);
  return {names.begin(), names.end()};
}

std::optional<std::string> FakeLinux::real_path(const std::string& path) {
  const auto found = links.find(path);
  if (found == links.end()) return std::nullopt;
  return found->second;
}

const FakeLinux::BarMapping* FakeLinux::mapping_of(const std::byte* address, uint64_t bytes, uint64_t& offset) const {
  auto found = mappings_.upper_bound(const_cast<std::byte*>(address));
  if (found == mappings_.begin()) return nullptr;
  --found;
  offset = static_cast<uint64_t>(address - found->first);
  if (offset > found->second.bytes || bytes > found->second.bytes - offset) return nullptr;
  return &found->second;
}

void FakeLinux::load(const std::byte* from, std::span<std::byte> out) {
  if (!late_.empty()) mistake("a read while combined stores were under way");
  uint64_t offset = 0;
  const BarMapping* mapping = mapping_of(from, out.size(), offset);
  if (mapping == nullptr || mapping->combined) mistake("a read of what is not mapped, or through a combined view");
  std::fill(out.begin(), out.end(), std::byte{0xFF});
  if (mapping == nullptr || !memory_enabled()) return;
  machine_.read(0, static_cast<emu::Bar>(mapping->bar), offset, arch::as_uint8(out));
}

void FakeLinux::store(std::byte* to, std::span<const std::byte> bytes) {
  uint64_t offset = 0;
  const BarMapping* mapping = mapping_of(to, bytes.size(), offset);
  if (mapping == nullptr) return mistake("a store to what is not mapped");
  if (mapping->combined) {
    ++combined_stores;
    late_.emplace_back(to, std::vector<std::byte>(bytes.begin(), bytes.end()));
    return;
  }
  if (!memory_enabled()) return;
  machine_.write(0, static_cast<emu::Bar>(mapping->bar), offset, arch::as_uint8(bytes));
}

// Only here do combined stores arrive.
void FakeLinux::fence() {
  ++fences;
  for (const auto& [to, bytes] : late_) {
    uint64_t offset = 0;
    const BarMapping* mapping = mapping_of(to, bytes.size(), offset);
    if (mapping == nullptr || !memory_enabled()) continue;
    machine_.write(0, static_cast<emu::Bar>(mapping->bar), offset, arch::as_uint8(bytes));
  }
  late_.clear();
}

std::chrono::milliseconds FakeLinux::now() {
  return std::chrono::milliseconds(milliseconds_ + machine_.now() / 1'350'000);
}

void FakeLinux::pause() {
  if (gone || machine_.faulted() || machine_.quiescent()) {
    ++milliseconds_;
  } else {
    machine_.advance(4096);
  }
}

std::byte* FakeLinux::Iommu::find(uint64_t bus_address, uint64_t bytes) {
  if ((linux_.command() & 4) == 0) return nullptr;
  auto found = linux_.iommu_.upper_bound(bus_address);
  if (found == linux_.iommu_.begin()) return nullptr;
  --found;
  const uint64_t offset = bus_address - found->first;
  if (offset > found->second.bytes || bytes > found->second.bytes - offset) return nullptr;
  return found->second.at + offset;
}

bool FakeLinux::Iommu::read(uint64_t bus_address, std::span<uint8_t> out) {
  const std::byte* from = find(bus_address, out.size());
  if (from != nullptr) std::memcpy(out.data(), from, out.size());
  return from != nullptr;
}

bool FakeLinux::Iommu::write(uint64_t bus_address, std::span<const uint8_t> bytes) {
  std::byte* to = find(bus_address, bytes.size());
  if (to != nullptr) std::memcpy(to, bytes.data(), bytes.size());
  return to != nullptr;
}

}  // namespace kerr::host
