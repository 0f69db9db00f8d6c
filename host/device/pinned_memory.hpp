// Host memory that the device can reach.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "host/device/pcie_device.hpp"

namespace kerr::host {

/// Zeroed, page-aligned, pinned for its lifetime. Words that both sides use are read with load() (acquire) and written
/// with store() (release): what was written before a store is visible to any reader that sees the stored word.
class PinnedMemory {
 public:
  /// `bytes` is rounded up to whole pages. Throws DeviceError (HostError) when memory or address space is short.
  PinnedMemory(PcieDevice& device, uint64_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// As the host sees it.
  std::span<std::byte> bytes() const { return memory_; }
  /// NoC address of byte 0 at the PCIe tile (bit 60 set), and its low 32 bits as firmware handles them.
  uint64_t noc_address() const { return noc_address_; }
  uint32_t noc_local() const { return static_cast<uint32_t>(noc_address_); }

  /// The word at a multiple of 4 bytes.
  uint32_t load(uint64_t offset) const;
  void store(uint64_t offset, uint32_t value);

 private:
  PcieDevice& device_;
  std::span<std::byte> memory_;
  uint64_t noc_address_ = 0;
};

}  // namespace kerr::host
