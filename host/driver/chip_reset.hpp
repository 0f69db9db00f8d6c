// Reset of the whole chip, from whatever state it is in. docs/hardware/host-pcie.md 4
#pragma once

#include <string>
#include <vector>

#include "host/device/pcie_device.hpp"

namespace kerr::host {

struct ChipResetOptions {
  /// Reset the bus first, which brings back a function that has stopped answering.
  bool bus_reset = true;
  Deadline answer = Deadline::milliseconds(10'000);  ///< until the function, or the marker of a reset, answers
  Deadline settle = Deadline::milliseconds(2000);    ///< nobody speaks to a chip for so long after its reset
  uint32_t watchdog_ms = 60'000;                     ///< of the management firmware, afterwards
};

struct ChipResetReport {
  /// True if all tiles are back in their power-on state; false if no more than the PCI function could be reset.
  bool chip = false;
  std::vector<std::string> steps;  ///< what was done, a sentence each
};

/// Resets the chip behind `device`, also after a fault or a hang. On success it answers, its memory is undefined, and
/// pinned memory is pinned as before; every Chip and CommandQueue on it must be made anew. Not while another thread
/// uses the device. Throws DeviceError: HostError if the device has no way to be reset or this process may not;
/// Timeout or Protocol, with the steps so far in the report, if it does not come back.
ChipResetReport reset_chip(PcieDevice& device, const ChipResetOptions& options = {});
/// The same by a port of the caller's.
ChipResetReport reset_chip(PcieDevice& device, ResetPort& port, const ChipResetOptions& options = {});

}  // namespace kerr::host
