// Reset through sysfs: raw configuration space of the card and of the bridge above it. docs/hardware/host-pcie.md 4.1
#pragma once

#include <optional>
#include <string>

#include "host/device/card/system.hpp"
#include "host/device/reset_port.hpp"

namespace kerr::host {

class SysfsResetPort : public ResetPort {
 public:
  /// Throws DeviceError (HostError) if the card's configuration space cannot be opened for writing.
  SysfsResetPort(System& system, const std::string& bdf);

  uint32_t config_bytes() override;
  void config_read(uint32_t offset, std::span<std::byte> out) override;
  void config_write(uint32_t offset, std::span<const std::byte> bytes) override;
  bool hold_bus_reset(bool asserted) override;
  void function_reset() override;

 private:
  File& config();

  System& system_;
  std::string bdf_;
  File config_;
  std::optional<uint32_t> bytes_;
  File bridge_;
};

}  // namespace kerr::host
