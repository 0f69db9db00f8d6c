#include "host/device/emulated_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "arch/pcie.hpp"
#include "arch/tile_registers.hpp"
#include "check/host_stores.hpp"
#include "check/report/environment.hpp"
#include "check/report/places.hpp"
#include "check/report/watch.hpp"
#include "emu/machine/machine.hpp"
#include "emu/observe/agent_names.hpp"
#include "emu/observe/fault_text.hpp"
#include "hang/last_steps.hpp"
#include "hang/report.hpp"
#include "host/device/pin_table.hpp"
#include "host/device/reset_port.hpp"
#include "prints/environment.hpp"
#include "report/observers.hpp"

namespace kerr::host {

namespace {

// Faults behind the first one that are worth printing.
constexpr size_t kFaultsShown = 4;
constexpr size_t kRemarksShown = 8;
constexpr size_t kWaitLinesShown = 80;

// What each agent waits for, cut off.
std::string text_of_waits(const std::vector<emu::TileWaits>& waits) {
  std::string text = emu::text(waits);
  size_t end = 0;
  for (size_t line = 0; line < kWaitLinesShown; ++line) {
    end = text.find('\n', end);
    if (end == std::string::npos) return text;
    ++end;
  }
  if (end == text.size()) return text;
  const auto more = std::count(text.begin() + static_cast<ptrdiff_t>(end), text.end(), '\n');
  return text.substr(0, end) + fmt::format("  and {} more lines\n", more);
}

// -1: none.
int hart_of(emu::Agent agent) {
  const int hart = static_cast<int>(agent) - static_cast<int>(emu::Agent::Brisc);
  return hart >= 0 && hart < arch::kHarts ? hart : -1;
}

// Pinned memory as the device reaches it. Bus addresses are NoC offsets: no iATU region is programmed, and addresses
// outside all regions pass unchanged (docs/hardware/host-pcie.md 1.10).
class PinnedHostMemory final : public emu::HostMemory {
 public:
  PinTable pins;
  Injector injector;
  const emu::Machine* machine = nullptr;  // whose clock counts

  bool read(uint64_t bus_address, std::span<uint8_t> out) override {
    const std::byte* source = pins.find(bus_address, out.size());
    if (source == nullptr) return false;
    if (injector.idle()) {
      std::memcpy(out.data(), source, out.size());
    } else {
      injector.read(source, std::as_writable_bytes(out));
    }
    return true;
  }
  bool write(uint64_t bus_address, std::span<const uint8_t> bytes) override {
    std::byte* target = pins.find(bus_address, bytes.size());
    if (target == nullptr) return false;
    if (!injector.idle()) {
      injector.write(target, std::as_bytes(bytes), machine->now());
    } else if (bytes.size() == 4 && bus_address % 4 == 0) {  // a word that another thread may be polling
      uint32_t value;
      std::memcpy(&value, bytes.data(), 4);
      std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(target)).store(value, std::memory_order_release);
    } else {
      std::memcpy(target, bytes.data(), bytes.size());
    }
    return true;
  }
};

}  // namespace

struct EmulatedDevice::State {
  explicit State(const EmulatedOptions& options) : machine(chip_options(options)) {
    memory.machine = &machine;
    const auto seed = emu::number_in_environment("KERR_LATE_WRITES", 0, ~uint64_t{0}, host_error);
    if (const auto late_writes = options.late_writes ? options.late_writes : seed)
      late.assign(machine.options().boards.size(), LateWrites(*late_writes));
  }

  ~State() {
    if (printer) printer->finish();
    if (environment_check) environment_check->write(watch->findings(), machine.options().boards);
  }

  emu::Options chip_options(const EmulatedOptions& asked) {
    emu::Options options = asked.chip.with_environment(host_error);
    options.host_memory = &memory;
    if (options.prints == nullptr) {
      printer = prints::printer_of_environment(options.boards, host_error);
      options.prints = printer.get();
    }
    check::Watching watching = asked.check;
    if (!watching.on()) {
      environment_check = check::EnvironmentCheck::read(host_error);
      if (environment_check) watching = environment_check->watching;
    }
    stores = dynamic_cast<check::HostStores*>(options.observer);
    std::vector<emu::Observer*> all;
    if (options.observer != nullptr) all.push_back(options.observer);
    if (watching.on()) {
      watch.emplace(watching, options.boards);
      stores = &watch->host_stores();
      all.push_back(&watch->observer());
    }
    if (watching.on() || asked.hang_history ||
        emu::number_in_environment("KERR_HANG_HISTORY", 0, 1, host_error).value_or(0) == 1) {
      history.emplace(options.boards);
    }
    if (all.size() + (history ? 1 : 0) > 1)
      options.observer = &observers.emplace(std::move(all), history ? &*history : nullptr);
    else if (history)
      options.observer = &*history;
    else if (!all.empty())
      options.observer = all.front();
    return options;
  }
  void check(std::optional<emu::Fault> fault) {
    if (!fault) return;
    const std::string sentence = fault->advice.empty() ? fault->what : fault->what + " " + fault->advice;
    throw DeviceError(fault->category, sentence, fault->text());
  }

  void write_now(int chip, Bar bar, uint64_t offset, std::span<const std::byte> bytes) {
    check(machine.write(chip, bar, offset, arch::as_uint8(bytes)));
  }
  LateWrites::Emit emit(int chip) {
    return
        [=, this](Bar bar, uint64_t offset, std::span<const std::byte> bytes) { write_now(chip, bar, offset, bytes); };
  }
  // To all chips: the host's stores have one order.
  void drain() {
    if (late.empty()) return say_flushed();
    if (is_unflushed) say_combined(true);
    for (int chip = 0; chip < machine.chips(); ++chip) late[static_cast<size_t>(chip)].drain(emit(chip));
    say_flushed();
  }
  void say_combined(bool combined) {
    is_unflushed |= combined;
    if (std::exchange(is_combined, combined) != combined && stores != nullptr) stores->combined(combined);
  }
  void say_flushed() {
    if (std::exchange(is_unflushed, false) && stores != nullptr) stores->flushed();
  }
  // Runs a window. Nothing else can happen before a delayed write arrives if the device waits for it.
  void pass_time(uint64_t limit) {
    const std::optional<uint64_t> arrival = memory.injector.next_arrival();
    machine.step(arrival ? std::min(limit, std::max(*arrival, machine.now() + 1)) : limit);
    if (arrival) memory.injector.arrive(machine.now());
    if (watch && !has_stopped) stop();
  }
  // The first error of the checker, if that is to end the run. It does so once: after a reset of the chip it is old.
  void stop() {
    const std::string reason = watch->reason_to_stop();
    if (reason.empty()) return;
    has_stopped = true;
    stopped = emu::Fault{.category = emu::FaultCategory::UndefinedBehavior,
                         .cycle = machine.now(),
                         .what = "the checker has found an error, and the run is to end at the first one",
                         .advice = reason};
  }
  bool faulted() const { return stopped || machine.faulted(); }
  std::vector<emu::Fault> faults() const {
    return machine.faulted() ? machine.faults() : std::vector<emu::Fault>{*stopped};
  }
  // What is under way never arrives: the chip is reset.
  void forget(int chip) {
    stopped.reset();
    memory.injector.forget_delayed();
    if (!late.empty()) late[static_cast<size_t>(chip)].forget();
  }
  arch::NocCoord translated(emu::TileId tile) const {
    return arch::logical_id(board(tile.chip).harvesting,
                            {static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())});
  }
  DeviceStatus::Faulted faulted(const emu::Fault& fault) {
    DeviceStatus::Faulted out;
    out.tile = translated(fault.tile);
    out.agent = emu::name(fault.tile, fault.agent);
    out.hart = hart_of(fault.agent);
    out.pc = fault.pc;
    out.word = fault.instruction;
    out.instruction = emu::disassembly(fault);
    out.cause = fault.what.ends_with('.') ? fault.what.substr(0, fault.what.size() - 1) : fault.what;
    const int thread = static_cast<int>(fault.agent) - static_cast<int>(emu::Agent::Thread0);
    if (thread < 0 || thread >= emu::kThreads) return out;
    out.thread = thread;
    for (const emu::TileWaits& tile : machine.waits()) {
      if (tile.tile != fault.tile) continue;
      for (const emu::AgentWait& agent : tile.agents) {
        if (hart_of(agent.agent) == static_cast<int>(arch::Hart::Trisc0) + thread) out.pc = agent.pc;
      }
    }
    return out;
  }
  const arch::Board& board(int chip) const { return machine.options().boards[static_cast<size_t>(chip)]; }
  bool quiescent() { return !memory.injector.next_arrival() && machine.quiescent(); }

  mutable std::mutex mutex;
  std::vector<LateWrites> late;         // of each chip; empty: nothing is late
  check::HostStores* stores = nullptr;  // who wants to know how the host stores; or null
  bool is_combined = false;             // the host's last store was
  bool is_unflushed = false;            // one has been since the last flush or read
  PinnedHostMemory memory;
  std::unique_ptr<prints::Printer> printer;                  // of the environment, if the options have none
  std::optional<check::EnvironmentCheck> environment_check;  // who asked for the watch, if the options did not
  std::optional<check::Watch> watch;
  std::optional<hang::History> history;
  std::optional<report::Observers> observers;  // several of the watch, the history and another
  std::optional<emu::Fault> stopped;           // by the watch, until the chip is reset
  bool has_stopped = false;
  emu::Machine machine;
  hang::LastSteps last_steps;
  std::function<void(emu::Machine&)> after_window;
  std::function<void(const arch::note::Note&)> note_listener;
};

EmulatedDevice::EmulatedDevice(const EmulatedOptions& options) {
  try {
    state_ = std::make_shared<State>(options);
  } catch (const std::invalid_argument& error) {
    host_error(error.what());
  }
}

EmulatedDevice::EmulatedDevice(const EmulatedDevice& other, int chip) : state_(other.state_), chip_(chip) {
  const int chips = state_->machine.chips();
  if (chip < 0 || chip >= chips)
    host_error(fmt::format("there is no chip {}: the machine has {}", chip, check::counted(chips, "chip")));
}

EmulatedDevice::~EmulatedDevice() = default;

std::string EmulatedDevice::name() const { return std::string("emulated ") + state_->board(chip_).name; }

uint32_t EmulatedDevice::config_read(uint32_t offset) {
  if (offset % 4 != 0) host_error(fmt::format("configuration read at {:#x} is not aligned to 4 bytes", offset));
  std::lock_guard lock(state_->mutex);
  return state_->machine.config_read(chip_, offset);
}

void EmulatedDevice::config_write(uint32_t offset, uint32_t value) {
  if (offset % 4 != 0) host_error(fmt::format("configuration write at {:#x} is not aligned to 4 bytes", offset));
  std::lock_guard lock(state_->mutex);
  state_->machine.config_write(chip_, offset, value);
  if (offset == kInterfaceTimerControl) state_->forget(chip_);
}

uint64_t EmulatedDevice::bar_bytes(Bar bar) const { return arch::pcie::bar_bytes(bar); }

void EmulatedDevice::read(Bar bar, uint64_t offset, std::span<std::byte> out) {
  std::lock_guard lock(state_->mutex);
  state_->drain();
  state_->check(state_->machine.read(chip_, bar, offset, arch::as_uint8(out)));
}

void EmulatedDevice::write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) {
  std::lock_guard lock(state_->mutex);
  const bool late = !state_->late.empty() && caching == Caching::WriteCombined && offset <= bar_bytes(bar) &&
                    bytes.size() <= bar_bytes(bar) - offset;
  state_->say_combined(caching == Caching::WriteCombined);
  if (late) {
    state_->late[static_cast<size_t>(chip_)].add(bar, offset, bytes, state_->emit(chip_));
  } else {
    state_->write_now(chip_, bar, offset, bytes);
  }
}

void EmulatedDevice::flush() {
  std::lock_guard lock(state_->mutex);
  state_->drain();
}

uint64_t EmulatedDevice::pin(std::span<std::byte> memory) {
  std::lock_guard lock(state_->mutex);
  return arch::pcie::kNocHostBase | state_->memory.pins.add(memory);
}

void EmulatedDevice::unpin(uint64_t noc_address) {
  std::lock_guard lock(state_->mutex);
  const uint64_t address = noc_address & ~arch::pcie::kNocHostBase;
  state_->memory.injector.forget_delayed(state_->memory.pins.range_at(address));
  state_->memory.pins.remove(address);
}

WaitResult EmulatedDevice::wait(const std::function<bool()>& condition, Deadline deadline) {
  std::unique_lock lock(state_->mutex);
  emu::Machine& machine = state_->machine;
  const uint64_t start = machine.now();
  const uint64_t limit = deadline.cycles > emu::kNever - start ? emu::kNever : start + deadline.cycles;
  auto holds = [&] {  // the condition may call this device
    lock.unlock();
    const bool result = condition();
    lock.lock();
    return result;
  };
  while (true) {
    if (state_->stopped) return WaitResult::Faulted;  // also if the condition came true in the same window
    if (holds()) return WaitResult::Done;
    if (state_->faulted()) return WaitResult::Faulted;
    if (state_->quiescent()) {
      // Another thread may have let the last time pass since the test.
      return holds() ? WaitResult::Done : WaitResult::Quiescent;
    }
    if (machine.now() >= limit) return WaitResult::TimedOut;
    state_->pass_time(limit);
    state_->last_steps.window_passed(machine, limit);
    if (state_->after_window) state_->after_window(machine);
  }
}

DeviceStatus EmulatedDevice::status() {
  std::lock_guard lock(state_->mutex);
  emu::Machine& machine = state_->machine;
  DeviceStatus status;
  const emu::Machine::Remarks remarks = machine.remarks();
  for (const emu::Remark& remark : remarks.remarks) status.remarks.push_back(remark.text());
  status.further_remarks = remarks.further;
  if (state_->faulted()) {
    const std::vector<emu::Fault> faults = state_->faults();
    status.state = DeviceStatus::State::Faulted;
    status.category = faults[0].category;
    for (size_t i = 0; i < faults.size() && i < kFaultsShown; ++i) {
      status.report += faults[i].text();
      if (faults[i].tile.chip == chip_) status.faults.push_back(state_->faulted(faults[i]));
    }
    if (faults.size() > kFaultsShown) status.report += fmt::format("and {} more\n", faults.size() - kFaultsShown);
  } else {
    if (state_->quiescent()) status.state = DeviceStatus::State::Quiescent;
    const std::vector<emu::TileWaits> waits = machine.waits();
    status.report = text_of_waits(waits);
    for (const emu::TileWaits& tile : waits) {
      if (tile.tile.chip != chip_) continue;
      const arch::NocCoord translated = state_->translated(tile.tile);
      for (const emu::AgentWait& agent : tile.agents) {
        const int hart = hart_of(agent.agent);
        const uint8_t semaphores = hart < 0 ? emu::wait::semaphores(agent.waits_for) : uint8_t{0};
        status.waiting.push_back({translated, std::string(emu::name(tile.tile, agent.agent)), hart, agent.pc,
                                  agent.text, agent.words, semaphores});
      }
    }
  }
  if (!status.remarks.empty()) {
    status.report += "what the programs hold and silicon takes no notice of:\n";
    for (size_t i = 0; i < status.remarks.size() && i < kRemarksShown; ++i)
      status.report += fmt::format("  {}\n", status.remarks[i]);
    if (status.remarks.size() > kRemarksShown)
      status.report += fmt::format("  and {} more kinds\n", status.remarks.size() - kRemarksShown);
  }
  return status;
}

std::string EmulatedDevice::why_nothing_moves(const arch::HangQuestion& question) {
  std::lock_guard lock(state_->mutex);
  if (state_->faulted()) return {};
  arch::HangQuestion here = question;
  for (auto& program : here.programs) program.launch.chip = static_cast<uint8_t>(chip_);
  std::string text;
  if (state_->watch) text += hang::earlier_errors(state_->watch->findings());
  const bool host_acts =
      state_->memory.injector.next_arrival() || !std::ranges::all_of(state_->late, &LateWrites::empty);
  return text + hang::report(state_->machine, here, state_->history ? &*state_->history : nullptr, &state_->last_steps,
                             host_acts);
}

void EmulatedDevice::inject(const Injection& injection) {
  std::lock_guard lock(state_->mutex);
  state_->memory.injector.add(injection);
}

void EmulatedDevice::clear_injections() {
  std::lock_guard lock(state_->mutex);
  state_->memory.injector.clear();
}

void EmulatedDevice::stall(arch::NocCoord tile, arch::Hart hart) {
  std::lock_guard lock(state_->mutex);
  emu::Machine& machine = state_->machine;
  uint8_t bytes[4];
  state_->check(machine.read_coordinate(chip_, tile.x, tile.y, arch::kSoftReset0, bytes));
  uint32_t held;
  std::memcpy(&held, bytes, sizeof held);
  held |= 1u << arch::kSoftResetBit[static_cast<size_t>(hart)];
  std::memcpy(bytes, &held, sizeof held);
  state_->check(machine.write_coordinate(chip_, tile.x, tile.y, arch::kSoftReset0, bytes));
}

// Configuration space word by word; the bridge above the function only knows its reset line.
class EmulatedDevice::Port final : public ResetPort {
 public:
  Port(State& state, int chip) : state_(state), chip_(chip) {}

  uint32_t config_bytes() override { return kConfigBytes; }

  void config_read(uint32_t offset, std::span<std::byte> out) override {
    std::lock_guard lock(state_.mutex);
    for (size_t i = 0; i < out.size(); ++i) {
      const auto at = static_cast<uint32_t>(offset + i);
      const uint32_t word = held_ ? ~0u : state_.machine.config_read(chip_, at & ~3u);
      out[i] = static_cast<std::byte>(word >> 8 * (at % 4));
    }
  }

  void config_write(uint32_t offset, std::span<const std::byte> bytes) override {
    std::lock_guard lock(state_.mutex);
    for (size_t i = 0; i < bytes.size() && !held_;) {
      const uint32_t at = static_cast<uint32_t>(offset + i) & ~3u, in = static_cast<uint32_t>(offset + i) % 4;
      const size_t n = std::min<size_t>(4 - in, bytes.size() - i);
      uint32_t word = n == 4 ? 0 : state_.machine.config_read(chip_, at);
      std::memcpy(reinterpret_cast<std::byte*>(&word) + in, bytes.data() + i, n);
      state_.machine.config_write(chip_, at, word);
      if (at == kInterfaceTimerControl) state_.forget(chip_);
      i += n;
    }
  }

  bool hold_bus_reset(bool asserted) override {
    if (asserted && !held_) function_reset();
    held_ = asserted;
    return true;
  }

  void function_reset() override {
    std::lock_guard lock(state_.mutex);
    for (uint32_t offset : {0x04u, 0x0Cu, 0x10u, 0x14u, 0x18u, 0x1Cu, 0x20u, 0x24u, 0x3Cu}) {
      state_.machine.config_write(chip_, offset, 0);
    }
    clear(Bar::k0, arch::pcie::kTlbConfigBase,
          arch::pcie::kStridedConfigBase + 4 * arch::pcie::kStridedWindows - arch::pcie::kTlbConfigBase);
    clear(Bar::k2, arch::pcie::kIatuBase, arch::pcie::kIatuRegions * arch::pcie::kIatuRegionStride);
    state_.forget(chip_);
  }

 private:
  static constexpr uint32_t kConfigBytes = 4096;

  void clear(Bar bar, uint64_t offset, uint64_t bytes) {
    const std::vector<std::byte> zeros(bytes);
    state_.write_now(chip_, bar, offset, zeros);
  }
  State& state_;
  const int chip_;
  bool held_ = false;
};

bool EmulatedDevice::wants_notes() const {
  const emu::Options& options = state_->machine.options();
  return options.observer != nullptr || options.prints != nullptr || state_->note_listener != nullptr ||
         state_->machine.debugger() != nullptr;
}

void EmulatedDevice::hear_notes(std::function<void(const arch::note::Note&)> listener) {
  std::lock_guard lock(state_->mutex);
  state_->note_listener = std::move(listener);
}

void EmulatedDevice::note(const arch::note::Note& told) {
  std::lock_guard lock(state_->mutex);
  arch::note::Note note = told;
  std::visit([&](auto& n) { n.chip = static_cast<uint8_t>(chip_); }, note);
  const emu::Cycle now = state_->machine.now();
  const emu::Options& options = state_->machine.options();
  if (options.observer) options.observer->noted(note, now);
  if (options.prints) options.prints->noted(note, now);
  if (emu::Debugger* const debugger = state_->machine.debugger()) debugger->noted(note, now);
  if (state_->note_listener) state_->note_listener(note);
}

std::unique_ptr<ResetPort> EmulatedDevice::reset_port() { return std::make_unique<Port>(*state_, chip_); }

uint64_t EmulatedDevice::cycles() const {
  std::lock_guard lock(state_->mutex);
  return state_->machine.now();
}

check::Findings EmulatedDevice::findings() const {
  std::lock_guard lock(state_->mutex);
  return state_->watch ? state_->watch->findings() : check::Findings{};
}

uint64_t EmulatedDevice::state_hash() const {
  std::lock_guard lock(state_->mutex);
  return state_->machine.state_hash();
}

void EmulatedDevice::after_window(std::function<void(emu::Machine&)> look) {
  std::lock_guard lock(state_->mutex);
  state_->after_window = std::move(look);
}

emu::Machine& EmulatedDevice::machine() { return state_->machine; }

const hang::History* EmulatedDevice::history() const { return state_->history ? &*state_->history : nullptr; }

}  // namespace kerr::host
