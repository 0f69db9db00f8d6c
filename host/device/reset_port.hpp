// What a reset of the whole chip needs beside PcieDevice. docs/hardware/host-pcie.md 4
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace kerr::host {

/// In extended configuration space: the timer whose interrupt makes ARC's firmware reset the chip (4.1).
inline constexpr uint32_t kInterfaceTimerControl = 0x930;
inline constexpr uint32_t kInterfaceTimerTarget = 0x934;

/// Raw access to configuration space, past whatever the backend makes of it, and the ways to reset that lie outside the
/// function. Calls may throw DeviceError.
class ResetPort {
 public:
  virtual ~ResetPort() = default;

  /// How many bytes of configuration space can be reached: 4096, or 256 and less without the extended part.
  virtual uint32_t config_bytes() = 0;
  /// Bytes from `offset` on, which must lie below config_bytes(). A read of a function that does not answer yields all
  /// ones.
  virtual void config_read(uint32_t offset, std::span<std::byte> out) = 0;
  virtual void config_write(uint32_t offset, std::span<const std::byte> bytes) = 0;

  /// Asserts or releases the secondary bus reset of the bridge above the card. False: there is no bridge to be reached.
  virtual bool hold_bus_reset(bool asserted) = 0;
  /// Whatever reset of the function the platform has. It may not reach the chip behind the function.
  virtual void function_reset() = 0;

  /// Where a kernel driver does the whole reset itself: does it, waits, and says what was done. Nothing: it is on us.
  virtual std::optional<std::string> reset_by_driver() { return std::nullopt; }
  /// The function answers again and the controller's registers are cleared: brings back what pinned memory needs.
  virtual void restored() {}
};

}  // namespace kerr::host
