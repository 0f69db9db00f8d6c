// What the board's management controller (ARC) says about the chip. docs/hardware/host-pcie.md 5.1, 5.6
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "arch/boards.hpp"
#include "arch/harvesting.hpp"
#include "host/driver/noc_io.hpp"

namespace kerr::host {

/// All telemetry values at one moment.
class Telemetry {
 public:
  /// Waits until ARC has booted and published its table. Throws DeviceError: Timeout after `deadline`, Protocol when
  /// the table lies outside ARC's memory or is absurd, or when the chip reads as all ones (it has gone).
  static Telemetry read(NocIo& io, Deadline deadline = Deadline::milliseconds(2000));

  /// In the unit of docs/hardware/host-pcie.md 5.6; nothing if the table lacks the tag.
  std::optional<uint32_t> value(arch::Telemetry tag) const;
  /// "p100a", "p150a", ... by the card type of the board id, or "board type 0x..." for a type that is not known.
  std::string board_name() const;

 private:
  std::map<uint16_t, uint32_t> values_;
};

/// What to do when the device does not say what is harvested. Simulators may not; the convention for them is that
/// nothing is (docs/hardware/noc.md 1.4, 1.5).
enum class MissingHarvesting : uint8_t { Refuse, NothingHarvested };

/// Throws DeviceError (Protocol) when tags 34 or 36 are missing and `missing` is Refuse, or when the masks describe
/// no possible chip.
arch::Harvesting read_harvesting(const Telemetry& telemetry, MissingHarvesting missing);

}  // namespace kerr::host
