#pragma once

#include <stdint.h>

// The PCI Express function: BARs, TLB windows, iATU, and the PCIe tile as a NoC target.
// docs/hardware/host-pcie.md 1, 6
namespace kerr::arch::pcie {

inline constexpr uint16_t kVendorId = 0x1E52;
inline constexpr uint16_t kDeviceId = 0xB140;
inline constexpr uint32_t kClassRevision = 0x12000000;

inline constexpr uint64_t kBar0Bytes = 512ull << 20;
inline constexpr uint64_t kBar2Bytes = 1ull << 20;
inline constexpr uint64_t kBar4Bytes = 32ull << 30;

// The three memory regions of the function. host-pcie.md 1.2 to 1.4, 1.10
enum class Bar : uint8_t {
  k0 = 0,  // 512 MiB: 2 MiB windows, window configuration, NIU registers
  k2 = 2,  // 1 MiB: iATU and DMA engine
  k4 = 4,  // up to 32 GiB: 4 GiB windows; may be smaller to a host, or absent
};
constexpr uint64_t bar_bytes(Bar bar) { return bar == Bar::k0 ? kBar0Bytes : bar == Bar::k2 ? kBar2Bytes : kBar4Bytes; }

// Emulator-internal bus addresses of chip 0 in the libttsim ABI; chip d adds d << 36. host-pcie.md 1.2, 6.1
inline constexpr uint64_t kBar0Base = 0x1'0000'0000;
inline constexpr uint64_t kBar2Base = 0x1'2000'0000;
inline constexpr uint64_t kBar4Base = 0x8'0000'0000;
inline constexpr int kChipAddressShift = 36;

// Offsets in configuration space.
inline constexpr uint32_t kConfigVendorDevice = 0x00;
inline constexpr uint32_t kConfigCommandStatus = 0x04;
inline constexpr uint32_t kConfigClassRevision = 0x08;
inline constexpr uint32_t kConfigBar0 = 0x10;
inline constexpr uint32_t kConfigBar2 = 0x18;
inline constexpr uint32_t kConfigBar4 = 0x20;
inline constexpr uint32_t kConfigSubsystem = 0x2C;
inline constexpr uint32_t kConfigInterrupt = 0x3C;

// TLB windows: 0..201 of 2 MiB in BAR0, 202..209 of 4 GiB in BAR4. host-pcie.md 1.3, 1.4
inline constexpr int kSmallWindows = 202;
inline constexpr int kLargeWindows = 8;
inline constexpr int kWindows = kSmallWindows + kLargeWindows;
inline constexpr int kDriverWindow = 201;  // owned by the kernel driver by convention
inline constexpr uint64_t kSmallWindowBytes = 2ull << 20;
inline constexpr uint64_t kLargeWindowBytes = 4ull << 30;
inline constexpr uint32_t kTlbConfigBase = 0x1FC00000;  // in BAR0
inline constexpr uint32_t kTlbConfigEntryBytes = 12;
inline constexpr uint32_t kTlbConfigEnd = kTlbConfigBase + kWindows * kTlbConfigEntryBytes;
inline constexpr uint32_t kStridedConfigBase = 0x1FC009D8;  // 32 words
inline constexpr int kStridedWindows = 32;
static_assert(kTlbConfigEnd == kStridedConfigBase);
constexpr uint32_t tlb_config_address(int window) {
  return kTlbConfigBase + kTlbConfigEntryBytes * static_cast<uint32_t>(window);
}
inline constexpr uint32_t kNiu0Base = 0x1FD04000;  // NIU registers of the PCIe tile, in BAR0
inline constexpr uint32_t kNiu1Base = 0x1FD14000;
inline constexpr uint32_t kNiuBytes = 0x2000;
inline constexpr uint32_t kArcBase = 0x1FE00000;  // only where the endpoint is PCIe tile 1

enum class Ordering : uint8_t { Relaxed = 0, Strict = 1, Posted = 2, Counted = 3 };

// One TLB configuration entry, decoded. host-pcie.md 1.5
struct TlbEntry {
  uint64_t local_offset = 0;  // address of the tile: bits 63:21 (2 MiB) or 63:32 (4 GiB)
  uint8_t x_end = 0;          // unicast: the target
  uint8_t y_end = 0;
  uint8_t x_start = 0;        // multicast only
  uint8_t y_start = 0;
  uint8_t noc = 0;
  bool multicast = false;
  Ordering ordering = Ordering::Relaxed;
  bool linked = false;
  bool static_vc = false;
  uint8_t static_vc_buddy = 0;
  uint8_t static_vc_class = 0;

  friend constexpr bool operator==(const TlbEntry&, const TlbEntry&) = default;
};

struct TlbWords {
  uint32_t low = 0;
  uint32_t mid = 0;
  uint32_t high = 0;

  friend constexpr bool operator==(const TlbWords&, const TlbWords&) = default;
};

// A field of the 96-bit entry by its position.
struct TlbField {
  uint8_t lowest_bit;
  uint8_t width;

  constexpr uint64_t get(const TlbWords& w) const {
    uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
      const int bit = lowest_bit + i;
      const uint32_t word = bit < 32 ? w.low : bit < 64 ? w.mid : w.high;
      value |= static_cast<uint64_t>((word >> (bit & 31)) & 1) << i;
    }
    return value;
  }
  constexpr void set(TlbWords& w, uint64_t value) const {
    for (int i = 0; i < width; ++i) {
      const int bit = lowest_bit + i;
      uint32_t& word = bit < 32 ? w.low : bit < 64 ? w.mid : w.high;
      const uint32_t mask = 1u << (bit & 31);
      word = ((value >> i) & 1) ? word | mask : word & ~mask;
    }
  }
};

struct TlbFormat {
  int offset_shift;
  TlbField local_offset, x_end, y_end, x_start, y_start, noc, multicast, ordering, linked, static_vc, static_vc_buddy,
      static_vc_class;
};
inline constexpr TlbFormat kSmallTlbFormat = {21,      {0, 43},  {43, 6}, {49, 6}, {55, 6}, {61, 6}, {67, 1},
                                              {69, 1}, {70, 2}, {72, 1}, {73, 1}, {75, 1}, {76, 2}};
inline constexpr TlbFormat kLargeTlbFormat = {32,      {0, 32},  {32, 6}, {38, 6}, {44, 6}, {50, 6}, {56, 1},
                                              {58, 1}, {59, 2}, {61, 1}, {62, 1}, {64, 1}, {65, 2}};
constexpr const TlbFormat& tlb_format(int window) { return window < kSmallWindows ? kSmallTlbFormat : kLargeTlbFormat; }
constexpr uint64_t window_bytes(int window) { return window < kSmallWindows ? kSmallWindowBytes : kLargeWindowBytes; }

// Calls `with` for each field of an entry and its member.
template <class Entry, class With>
constexpr void each_field(const TlbFormat& f, Entry& e, With with) {
  with(f.local_offset, e.local_offset);
  with(f.x_end, e.x_end);
  with(f.y_end, e.y_end);
  with(f.x_start, e.x_start);
  with(f.y_start, e.y_start);
  with(f.noc, e.noc);
  with(f.multicast, e.multicast);
  with(f.ordering, e.ordering);
  with(f.linked, e.linked);
  with(f.static_vc, e.static_vc);
  with(f.static_vc_buddy, e.static_vc_buddy);
  with(f.static_vc_class, e.static_vc_class);
}

constexpr TlbWords encode(const TlbFormat& f, const TlbEntry& e) {
  TlbWords w;
  each_field(f, e, [&](const TlbField& field, auto value) { field.set(w, static_cast<uint64_t>(value)); });
  return w;
}

constexpr TlbEntry decode(const TlbFormat& f, const TlbWords& w) {
  TlbEntry e;
  each_field(f, e, [&]<class T>(const TlbField& field, T& value) { value = static_cast<T>(field.get(w)); });
  return e;
}

// Address translation unit, in BAR2. host-pcie.md 1.10
inline constexpr uint32_t kIatuBase = 0x1000;
inline constexpr uint32_t kIatuRegionStride = 0x200;
inline constexpr uint32_t kIatuInbound = 0x100;
inline constexpr int kIatuRegions = 16;
inline constexpr uint32_t kIatuCtrl1 = 0x00;
inline constexpr uint32_t kIatuCtrl2 = 0x04;
inline constexpr uint32_t kIatuLowerBase = 0x08;
inline constexpr uint32_t kIatuUpperBase = 0x0C;
inline constexpr uint32_t kIatuLowerLimit = 0x10;  // inclusive
inline constexpr uint32_t kIatuLowerTarget = 0x14;
inline constexpr uint32_t kIatuUpperTarget = 0x18;
inline constexpr uint32_t kIatuCtrl3 = 0x1C;
inline constexpr uint32_t kIatuUpperLimit = 0x20;
inline constexpr uint32_t kIatuCtrl1IncreaseRegionSize = 1u << 13;
inline constexpr uint32_t kIatuCtrl2Enable = 1u << 31;

// The PCIe tile as a NoC target: 64 windows of 2^58 bytes. host-pcie.md 1.11, noc.md 7.4
inline constexpr int kNocWindowShift = 58;
inline constexpr int kNocWindowIatuFirst = 4;  // 0..3 go straight to the host, 4..7 through the iATU
inline constexpr int kNocWindowIatuLast = 7;
inline constexpr int kNocWindowDbi = 62;
inline constexpr uint64_t kNocHostBase = 1ull << 60;  // host memory, by convention of all software
inline constexpr uint32_t kNocHostMid = 0x10000000;   // the same in *_ADDR_MID
inline constexpr uint64_t kNocDbiBase = 0xF800'0000'0000'0000;
inline constexpr uint64_t kNocNiuBase = 0xFFFF'FFFF'FF00'0000;  // also on the ARC tile
inline constexpr uint32_t kHostAccessSplitBytes = 4096;

}  // namespace kerr::arch::pcie
