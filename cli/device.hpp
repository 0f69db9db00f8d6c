// Which device a command works on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "arch/boards.hpp"
#include "emu/timing/parameters.hpp"
#include "host/device/emulated_device.hpp"
#include "host/device/pcie_device.hpp"
#include "host/runtime/chip.hpp"
#include "report/event_counts.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::cli {

struct DeviceChoice {
  std::string board = "p100a";  // of the emulated chip
  unsigned threads = 0;         // of the emulator; 0: as many as CPUs
  bool parking = true;
  bool fp16_accumulation_fault = true;
  bool strict = false;          // remarks are faults
  std::optional<uint64_t> noc_reorder;  // a seed
  host::InstructionCache icache = host::InstructionCache::Coherent;
  bool exact_timing = false;  // of the emulator
  std::optional<emu::timing::Parameters> timing_parameters;  // of exact timing
  std::string timing_parameters_file;
  bool observe = false;       // count what happens on it
  bool timeline = false;      // write down when what worked on it; not with `observe`
  std::string library;        // a libttsim-ABI library instead of the emulator
  std::string card;           // a card instead of the emulator, by PCI address or number in 'kerr devices'

  bool is_emulated() const { return library.empty() && card.empty(); }
  /// For messages: "p100a", "card 0", or the library's path.
  std::string label() const { return !card.empty() ? "card " + card : !library.empty() ? library : board; }
};

/// What the emulator has executed so far, all tiles together.
struct Executed {
  uint64_t hart_instructions = 0, tensix_instructions = 0, mvmuls = 0;
};

struct OpenDevice {
  std::shared_ptr<report::EventCounts> events;  // if the choice asked to observe; outlives the device
  std::shared_ptr<report::Timeline> timeline;   // if it asked for one; likewise
  std::unique_ptr<host::PcieDevice> device;
  std::function<uint64_t()> cycles;  // device time so far
  std::string kind;                       // "emulated p100a", "library ...", "vfio 0000:01:00.0"
  host::ChipOptions chip_options;
  std::function<Executed()> executed;        // empty where the device does not tell
  host::EmulatedDevice* emulated = nullptr;  // the device, if it is our own
};

/// Throws std::invalid_argument naming the boards that there are.
const arch::Board& board_named(const std::string& name);

/// Throws host::DeviceError or std::invalid_argument with a sentence.
OpenDevice open_device(const DeviceChoice& choice);

}  // namespace kerr::cli
