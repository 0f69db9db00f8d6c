// The part of the tt-kmd character device's interface that the driver uses. docs/hardware/host-pcie.md 3
#pragma once

#include <cstdint>

namespace kerr::host::kmd {

// Requests carry no size: _IO(0xFA, n).
constexpr unsigned long request(unsigned n) { return 0xFA00 + n; }
inline constexpr unsigned long kGetDeviceInfo = request(0);
inline constexpr unsigned long kQueryMappings = request(2);
inline constexpr unsigned long kGetDriverInfo = request(5);
inline constexpr unsigned long kResetDevice = request(6);
inline constexpr unsigned long kPinPages = request(7);
inline constexpr unsigned long kUnpinPages = request(10);
inline constexpr unsigned long kAllocateTlb = request(11);
inline constexpr unsigned long kFreeTlb = request(12);
inline constexpr unsigned long kSetPowerState = request(15);

inline constexpr uint32_t kInterfaceVersion = 2;

struct GetDeviceInfo {
  uint32_t output_size_bytes = sizeof(GetDeviceInfo) - sizeof(uint32_t);
  struct Out {
    uint32_t output_size_bytes = 0;
    uint16_t vendor = 0;
    uint16_t device = 0;
    uint16_t subsystem_vendor = 0;
    uint16_t subsystem = 0;
    uint16_t bus_dev_fn = 0;  // [2:0] function, [7:3] device, [15:8] bus
    uint16_t max_dma_buf_size_log2 = 0;
    uint16_t pci_domain = 0;
    uint16_t reserved = 0;
  } out;
};
static_assert(sizeof(GetDeviceInfo) == 24);

enum class MappingId : uint32_t { None, Bar0, Bar0Combined, Bar2, Bar2Combined, Bar4, Bar4Combined };
struct ResourceMapping {
  uint32_t id = 0;
  uint32_t reserved = 0;
  uint64_t base = 0;  // offset for mmap
  uint64_t size = 0;
};
inline constexpr uint32_t kMappings = 6;
struct QueryMappings {
  uint32_t count = kMappings;
  uint32_t reserved = 0;
  ResourceMapping mappings[kMappings];
};
static_assert(sizeof(QueryMappings) == 8 + 24 * kMappings);

struct GetDriverInfo {
  uint32_t output_size_bytes = sizeof(GetDriverInfo) - sizeof(uint32_t);
  struct Out {
    uint32_t output_size_bytes = 0;
    uint32_t interface_version = 0;
    uint8_t major = 0;
    uint8_t minor = 0;
    uint8_t patch = 0;
    uint8_t reserved = 0;
  } out;
};
static_assert(sizeof(GetDriverInfo) == 16);

enum class Reset : uint32_t {
  RestoreState = 0,
  ConfigWrite = 2,  // before 2.4.1
  AsicReset = 4,
  PostReset = 6,
};
struct ResetDevice {
  uint32_t output_size_bytes = 8;
  uint32_t flags = 0;
  uint32_t out_size_bytes = 0;
  uint32_t result = 0;  // 0: done
};
static_assert(sizeof(ResetDevice) == 16);

inline constexpr uint32_t kPinForNoc = 2;
struct PinPages {
  uint32_t output_size_bytes = 16;
  uint32_t flags = kPinForNoc;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t physical_address = 0;  // out, or IOVA
  uint64_t noc_address = 0;       // out
};
static_assert(sizeof(PinPages) == 40);
struct UnpinPages {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t reserved = 0;
};

struct AllocateTlb {
  uint64_t bytes = 0;  // of a window: 2 MiB or 4 GiB
  uint64_t reserved = 0;
  uint32_t id = 0;  // out, the window's number
  uint32_t reserved_out = 0;
  uint64_t mmap_offset_uncached = 0;
  uint64_t mmap_offset_combined = 0;
  uint64_t reserved_out2 = 0;
};
static_assert(sizeof(AllocateTlb) == 48);
struct FreeTlb {
  uint32_t id = 0;
};

inline constexpr uint16_t kPowerMaxAiclk = 1, kPowerMriscPhy = 2, kPowerTensix = 4;
struct SetPowerState {
  uint32_t argsz = sizeof(SetPowerState);
  uint32_t flags = 0;
  uint8_t reserved = 0;
  uint8_t validity = 0;  // [3:0] flags that count, [7:4] settings that count
  uint16_t power_flags = 0;
  uint16_t power_settings[14] = {};
};
static_assert(sizeof(SetPowerState) == 40);

}  // namespace kerr::host::kmd
