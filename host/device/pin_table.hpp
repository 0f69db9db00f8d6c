// Which host memory a simulated device may reach, and under which address. The check that keeps a kernel's DMA inside
// the buffers that were offered to it (docs/hardware/host-pcie.md 6.5 and 8.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace kerr::host {

/// Not thread-safe: its device's lock guards it.
class PinTable {
 public:
  /// Bus addresses are given out from here up, first fit. Below stays free, so that a null or small address faults.
  static constexpr uint64_t kFirstAddress = 0x4000'0000;
  static constexpr uint64_t kEndAddress = 1ull << 32;

  /// Returns the bus address. Throws DeviceError (HostError): not page-aligned, empty, or no room below 4 GiB.
  uint64_t add(std::span<std::byte> memory);
  /// Throws DeviceError (HostError) if nothing is pinned at exactly this address.
  void remove(uint64_t address);
  /// The memory that is pinned at exactly this address, or nothing.
  std::span<std::byte> range_at(uint64_t address) const;
  /// The host bytes of [address, address + bytes), or nullptr if any of them is not pinned.
  std::byte* find(uint64_t address, uint64_t bytes) const;

 private:
  std::map<uint64_t, std::span<std::byte>> ranges_;
};

}  // namespace kerr::host
