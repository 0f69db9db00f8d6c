#include "cli/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "arch/arc.hpp"
#include "emu/machine/machine.hpp"
#include "host/device/card/pci.hpp"
#include "host/device/emulated_device.hpp"
#include "host/device/library_device.hpp"
#include "host/driver/noc_io.hpp"

namespace kerr::cli {

const arch::Board& board_named(const std::string& name) {
  std::string known;
  for (const arch::Board& board : arch::kBoards) {
    if (name == board.name) return board;
    known += known.empty() ? board.name : fmt::format(", {}", board.name);
  }
  throw std::invalid_argument(fmt::format("there is no board '{}'; there are {}", name, known));
}

namespace {

Executed executed_by(emu::Machine& machine) {
  const emu::TileCounters counters = machine.counters(0);
  Executed executed{.mvmuls = counters.mvmuls};
  for (const uint64_t count : counters.hart_instructions) executed.hart_instructions += count;
  for (const uint64_t count : counters.thread_instructions) executed.tensix_instructions += count;
  return executed;
}

// The chip's reference clock, in the cycles of its nominal clock.
uint64_t reference_cycles(host::PcieDevice& device) {
  host::NocIo io(device);
  const uint64_t high = io.read32(arch::kArcTile, arch::arc::kRefclkCounterHigh);
  const uint64_t low = io.read32(arch::kArcTile, arch::arc::kRefclkCounterLow);
  return (high << 32 | low) * (arch::kAiclkBusyMhz / arch::kRefclkMhz);
}

}  // namespace

OpenDevice open_device(const DeviceChoice& choice) {
  if (!choice.card.empty()) {
    host::System& system = host::linux_system();
    auto device = host::open_card(system, host::card_named(system, choice.card));
    host::PcieDevice* card = device.get();
    return {nullptr, nullptr, std::move(device), [card] { return reference_cycles(*card); }, card->name(), {}, {}, {}};
  }
  if (!choice.library.empty()) {
    // The loader looks for a name without a folder elsewhere.
    const bool bare = choice.library.find('/') == std::string::npos;
    auto device = host::LibraryDevice::open(bare ? "./" + choice.library : choice.library);
    host::LibraryDevice* library = device.get();
    // Other implementations of the ABI may publish no telemetry; they model a chip on which all is well.
    return {nullptr,
            nullptr,
            std::move(device),
            [library] { return library->cycles(); },
            library->name(),
            {.missing_harvesting = host::MissingHarvesting::NothingHarvested},
            {},
            {}};
  }
  const unsigned threads = choice.threads ? choice.threads : std::max(1u, std::thread::hardware_concurrency());
  const auto events = choice.observe ? std::make_shared<report::EventCounts>() : nullptr;
  const auto timeline = choice.timeline ? std::make_shared<report::Timeline>() : nullptr;
  emu::Observer* observer = events.get();
  if (timeline) observer = timeline.get();
  auto device = std::make_unique<host::EmulatedDevice>(host::EmulatedOptions{
      .board = board_named(choice.board),
      .shards = static_cast<int>(threads),
      .parking = choice.parking,
      .fp16_accumulation_fault = choice.fp16_accumulation_fault,
      .strict = choice.strict,
      .observer = observer,
      .noc_reorder = choice.noc_reorder,
      .icache = choice.icache,
      .exact_timing = choice.exact_timing,
      .timing_parameters = choice.timing_parameters ? &*choice.timing_parameters : nullptr,
  });
  host::EmulatedDevice* emulated = device.get();
  return {events,
          timeline,
          std::move(device),
          [emulated] { return emulated->cycles(); },
          emulated->name(),
          {},
          [emulated] { return executed_by(emulated->machine()); },
          emulated};
}

}  // namespace kerr::cli
