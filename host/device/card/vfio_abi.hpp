// The part of Linux' VFIO interface that the driver uses. docs/hardware/host-pcie.md 2.3, linux/vfio.h
#pragma once

#include <cstdint>

namespace kerr::host::vfio {

// Requests carry no size: _IO(';', 100 + n).
constexpr unsigned long request(unsigned n) { return 0x3B64 + n; }
inline constexpr unsigned long kGetApiVersion = request(0);
inline constexpr unsigned long kCheckExtension = request(1);
inline constexpr unsigned long kSetIommu = request(2);
inline constexpr unsigned long kGroupGetStatus = request(3);
inline constexpr unsigned long kGroupSetContainer = request(4);
inline constexpr unsigned long kGroupGetDeviceFd = request(6);
inline constexpr unsigned long kDeviceGetInfo = request(7);
inline constexpr unsigned long kDeviceGetRegionInfo = request(8);
inline constexpr unsigned long kDeviceReset = request(11);
inline constexpr unsigned long kIommuGetInfo = request(12);
inline constexpr unsigned long kIommuMapDma = request(13);
inline constexpr unsigned long kIommuUnmapDma = request(14);

inline constexpr int kApiVersion = 0;
inline constexpr int kType1v2 = 3;

inline constexpr uint32_t kConfigRegion = 7;  // regions 0 to 5 are the BARs

inline constexpr uint32_t kGroupViable = 1;
inline constexpr uint32_t kGroupContainerSet = 2;
struct GroupStatus {
  uint32_t argsz = sizeof(GroupStatus);
  uint32_t flags = 0;
};

inline constexpr uint32_t kDeviceHasReset = 1;
struct DeviceInfo {
  uint32_t argsz = sizeof(DeviceInfo);
  uint32_t flags = 0;
  uint32_t num_regions = 0;
  uint32_t num_irqs = 0;
  uint32_t cap_offset = 0;
};

inline constexpr uint32_t kRegionMappable = 4;
struct RegionInfo {
  uint32_t argsz = sizeof(RegionInfo);
  uint32_t flags = 0;
  uint32_t index = 0;
  uint32_t cap_offset = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};

inline constexpr uint32_t kInfoHasCapabilities = 2;
struct IommuInfo {
  uint32_t argsz = sizeof(IommuInfo);
  uint32_t flags = 0;
  uint64_t iova_pgsizes = 0;
  uint32_t cap_offset = 0;
};

// Capabilities are a chain of headers; `next` counts from the start of the whole structure, 0 ends it.
struct CapabilityHeader {
  uint16_t id = 0;
  uint16_t version = 0;
  uint32_t next = 0;
};
inline constexpr uint16_t kCapIovaRange = 1;
struct IovaRangeHeader {
  CapabilityHeader header;
  uint32_t count = 0;
  uint32_t reserved = 0;
};
struct IovaRange {
  uint64_t start = 0;
  uint64_t end = 0;  // inclusive
};

inline constexpr uint32_t kDmaRead = 1;
inline constexpr uint32_t kDmaWrite = 2;
struct DmaMap {
  uint32_t argsz = sizeof(DmaMap);
  uint32_t flags = kDmaRead | kDmaWrite;
  uint64_t vaddr = 0;
  uint64_t iova = 0;
  uint64_t size = 0;
};
struct DmaUnmap {
  uint32_t argsz = sizeof(DmaUnmap);
  uint32_t flags = 0;
  uint64_t iova = 0;
  uint64_t size = 0;
};
static_assert(sizeof(DmaMap) == 32 && sizeof(DmaUnmap) == 24);

}  // namespace kerr::host::vfio
