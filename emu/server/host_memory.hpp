// The host's memory as the device sees it.
#pragma once

#include <cstdint>
#include <span>

namespace kerr::emu {

/// Called only on the thread that lets time pass or accesses a BAR, never across a 4 KiB boundary, with bus addresses
/// (behind the iATU). Must not call back into the machine. May throw: the machine stays usable.
class HostMemory {
 public:
  /// False if any of the bytes is not offered to the device.
  virtual bool read(uint64_t bus_address, std::span<uint8_t> out) = 0;
  virtual bool write(uint64_t bus_address, std::span<const uint8_t> bytes) = 0;

 protected:
  ~HostMemory() = default;
};

}  // namespace kerr::emu
