#include "jobs/device.hpp"

#include <algorithm>
#include <thread>

#include "arch/arc.hpp"
#include "arch/harvesting.hpp"
#include "emu/machine/machine.hpp"
#include "host/device/card/pci.hpp"
#include "host/device/library_device.hpp"
#include "host/driver/noc_io.hpp"

namespace kerr::jobs {

namespace {

// The chip's reference clock, in the cycles of its nominal clock.
uint64_t reference_cycles(host::PcieDevice& device) {
  host::NocIo io(device);
  const uint64_t high = io.read32(arch::kArcTile, arch::arc::kRefclkCounterHigh);
  const uint64_t low = io.read32(arch::kArcTile, arch::arc::kRefclkCounterLow);
  return (high << 32 | low) * (arch::kAiclkBusyMhz / arch::kRefclkMhz);
}

OpenDevice open_card(const std::string& name) {
  host::System& system = host::linux_system();
  OpenDevice out;
  out.device = host::open_card(system, host::card_named(system, name));
  out.cycles = [card = out.device.get()] { return reference_cycles(*card); };
  return out;
}

OpenDevice open_library(const std::string& path) {
  // The loader looks for a name without a folder elsewhere.
  const bool bare = path.find('/') == std::string::npos;
  auto library = host::LibraryDevice::open(bare ? "./" + path : path);
  OpenDevice out;
  out.cycles = [device = library.get()] { return device->cycles(); };
  // Other implementations of the ABI may publish no telemetry; they model a chip on which all is well.
  out.chip_options.missing_harvesting = host::MissingHarvesting::NothingHarvested;
  out.device = std::move(library);
  return out;
}

OpenDevice open_emulator(const DeviceSpec& spec, Watch watch, const check::Watching& check, bool hang_history) {
  OpenDevice out;
  emu::Options options = spec.emulator;
  std::vector<emu::Observer*> all;
  if (options.observer != nullptr) all.push_back(options.observer);
  if (watch == Watch::Events) all.push_back((out.events = std::make_shared<report::EventCounts>()).get());
  if (watch == Watch::Timeline || watch == Watch::Run)
    all.push_back((out.timeline = std::make_shared<report::Timeline>()).get());
  if (watch == Watch::Run) all.push_back((out.profile = std::make_shared<report::Profile>(options.boards)).get());
  if (all.size() > 1) out.observers = std::make_shared<report::Observers>(all);
  if (!all.empty()) options.observer = all.size() == 1 ? all.front() : out.observers.get();
  auto device = std::make_unique<host::EmulatedDevice>(
      host::EmulatedOptions{.chip = options, .check = check, .hang_history = hang_history});
  out.emulated = device.get();
  out.cycles = [emulated = out.emulated] { return emulated->cycles(); };
  out.device = std::move(device);
  return out;
}

}  // namespace

int cpus() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

BoardCores::BoardCores(const arch::Board& board) : tiles(arch::worker_tiles(board.harvesting)), layout(arch::kFwB) {
  layout.dram_banks = static_cast<uint32_t>(arch::good_dram_banks(board.harvesting));
}

Remarks remarks_of(const emu::Machine& machine) {
  const emu::Machine::Remarks all = machine.remarks();
  Remarks out{{}, all.further};
  for (const emu::Remark& remark : all.remarks) out.kinds.push_back(remark.text());
  return out;
}

Executed OpenDevice::executed() const {
  if (!emulated) return {};
  const emu::TileCounters counters = emulated->machine().counters(0);
  Executed executed{.mvmuls = counters.mvmuls};
  for (const uint64_t count : counters.hart_instructions) executed.hart_instructions += count;
  for (const uint64_t count : counters.thread_instructions) executed.tensix_instructions += count;
  return executed;
}

Remarks OpenDevice::remarks() const { return emulated ? remarks_of(emulated->machine()) : Remarks{}; }

OpenDevice open(const DeviceSpec& spec, Watch watch, const check::Watching& check, bool hang_history) {
  OpenDevice out = !spec.card.empty()      ? open_card(spec.card)
                   : !spec.library.empty() ? open_library(spec.library)
                                           : open_emulator(spec, watch, check, hang_history);
  out.kind = out.device->name();
  return out;
}

}  // namespace kerr::jobs
