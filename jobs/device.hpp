// The device that a job works on: the emulator, a library that takes its place, or a card.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "check/report/watching.hpp"
#include "emu/options.hpp"
#include "host/device/emulated_device.hpp"
#include "host/device/pcie_device.hpp"
#include "host/runtime/chip.hpp"
#include "report/event_counts.hpp"
#include "report/observers.hpp"
#include "report/profile/profile.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::jobs {

/// How many CPUs there are, at least 1.
int cpus();

struct DeviceSpec {
  emu::Options emulator{.shards = cpus()};  // the device, unless one of the others is given
  std::string library;                      // a file with the libttsim C ABI
  std::string card;                         // its PCI address, or its number in 'kerr devices'

  bool is_emulated() const { return library.empty() && card.empty(); }
  /// For messages: "p100a", "card 0", or the library's path.
  std::string label() const {
    return !card.empty() ? "card " + card : !library.empty() ? library : emulator.boards.front().name;
  }
};

/// The workers of a board as its firmware leaves them, for what is planned before anything is booted.
struct BoardCores {
  explicit BoardCores(const arch::Board& board);
  std::span<const arch::NocCoord> workers() const { return {tiles.begin(), tiles.size()}; }

  arch::List<arch::NocCoord, arch::kTensixTiles> tiles;
  arch::FirmwareLayout layout;
};

/// What is written down of an emulated device's run. It becomes slower, and the same happens.
enum class Watch : uint8_t {
  Nothing,
  Events,    // counts of what happens
  Timeline,  // when what worked
  Run,       // a timeline, and what each kernel did: for a report
};

/// What the emulator has executed so far, all tiles together.
struct Executed {
  uint64_t hart_instructions = 0, tensix_instructions = 0, mvmuls = 0;
};

/// What the programs of a run hold that silicon takes no notice of.   docs/architecture.md "Remarks"
struct Remarks {
  std::vector<std::string> kinds;  // a line each, in the order in which they came first
  uint64_t further = 0;            // times of others, of which a tile had too many
};
Remarks remarks_of(const emu::Machine& machine);

struct OpenDevice {
  std::shared_ptr<report::EventCounts> events;   // if they are watched; outlives the device
  std::shared_ptr<report::Timeline> timeline;    // likewise
  std::shared_ptr<report::Profile> profile;      // likewise
  std::shared_ptr<report::Observers> observers;  // if there is another beside them
  std::unique_ptr<host::PcieDevice> device;
  std::function<uint64_t()> cycles;  // device time so far
  std::string kind;                  // "emulated p100a", "library ...", "vfio 0000:01:00.0"
  host::ChipOptions chip_options;
  host::EmulatedDevice* emulated = nullptr;  // the device, if it is our own

  /// Zeros and nothing where the device does not tell.
  Executed executed() const;
  Remarks remarks() const;
};

/// An observer in the emulator's options is told beside what watches. `check`, `hang_history`: of an emulated device.
/// Throws host::DeviceError with a sentence.
OpenDevice open(const DeviceSpec& spec, Watch watch = Watch::Nothing, const check::Watching& check = {},
                bool hang_history = false);

}  // namespace kerr::jobs
