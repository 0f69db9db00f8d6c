// The libttsim C ABI.   docs/hardware/host-pcie.md 6
//
// Environment, read by libttsim_init: what emu::Options takes from it, KERR_CYCLES_PER_CLOCK (what one clock of
// libttsim_clock is worth, for embedders that drive a long kernel by single clocks), KERR_HANG (after how many cycles
// of nothing but polling to say why nothing moves) and KERR_HANG_HISTORY (and what came before), KERR_RECORD (a file
// that will hold all input, for `kerr replay`; it is complete once the simulator has left or the device has stopped),
// KERR_CHECK with its kind (a report of accesses that nothing orders, written at the same time), and KERR_PRINTS (what
// kernels print).
// docs/reference/c-abi.md tells users.
//
// A fault of the device prints its report and ends the process, as this ABI has it. What the host asks for in error
// is printed and refused: reads yield all-ones, writes do nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "arch/boards.hpp"
#include "arch/pcie.hpp"
#include "check/report/environment.hpp"
#include "check/report/watch.hpp"
#include "debug/gdb_server.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/machine.hpp"
#include "emu/options.hpp"
#include "hang/livelock.hpp"
#include "hang/report.hpp"
#include "image/error.hpp"
#include "prints/elf_file.hpp"
#include "prints/environment.hpp"
#include "report/observers.hpp"

namespace {

using kerr::emu::Bar;
using kerr::emu::Fault;
using kerr::emu::HostMemory;
using kerr::emu::Machine;
using kerr::emu::Options;

using ReadCallback = void (*)(uint64_t, void*, uint32_t);
using WriteCallback = void (*)(uint64_t, const void*, uint32_t);

// Trivially destructible, as is what stands alone below: the last calls can come after this library's destructors have
// run (host-pcie.md 6.2).
ReadCallback read_callback = nullptr;
WriteCallback write_callback = nullptr;

/// The embedder's memory. The ABI has no way to say that an address is not offered; callbacks may throw.
class CallbackMemory final : public HostMemory {
 public:
  bool read(uint64_t bus, std::span<uint8_t> out) override {
    if (!read_callback) return false;
    read_callback(bus, out.data(), static_cast<uint32_t>(out.size()));
    return true;
  }
  bool write(uint64_t bus, std::span<const uint8_t> bytes) override {
    if (!write_callback) return false;
    write_callback(bus, bytes.data(), static_cast<uint32_t>(bytes.size()));
    return true;
  }
};

/// What of the remarks standard error has: each kind once.
class RemarksTold {
 public:
  void tell(Machine& machine) {
    if (!machine.take_remark_news()) return;
    for (const kerr::emu::Remark& remark : machine.remarks().remarks) {
      if (told_.size() == kMost || !told_.emplace(remark.instruction >> 24, remark.oddity, remark.bits).second)
        continue;
      std::fprintf(stderr, "libttsim_bh (kerr): remark: %s\n",
                   told_.size() == kMost ? "more remarks are not shown." : remark.text().c_str());
    }
  }

 private:
  static constexpr size_t kMost = 100;
  std::set<std::tuple<uint32_t, kerr::emu::Oddity, uint32_t>> told_;
};

/// KERR_HANG: says why nothing moves, once nothing but polling has happened for so many cycles.
class Standstill {
 public:
  /// `history` and `watch` may be null.
  Standstill(uint64_t cycles, const kerr::hang::History* history, const kerr::check::Watch* watch)
      : cycles_(cycles), history_(history), watch_(watch) {}
  bool asked() const { return cycles_ != 0; }
  /// Behind a clock call. `was_still`: nothing could happen when it began, after what the host had done.
  void clocked(Machine& machine, bool was_still) {
    if (!was_still || !machine.quiescent()) {
      since_ = machine.now();
      told_ = false;
      look_for_livelock(machine);
    } else if (!told_ && machine.now() - since_ >= cycles_) {
      told_ = true;
      say_why("nothing but polling has happened for " + std::to_string(cycles_) + " cycles.",
              kerr::hang::report(machine, {}, history_));
    }
  }

 private:
  // Harts that run may go round for ever. Looking costs time: the longer they run, the rarer it is done.
  void look_for_livelock(Machine& machine) {
    if (machine.quiescent()) {
      livelock_told_ = false;
      pause_ = std::max(cycles_, kFirstLook);
      next_look_ = machine.now() + pause_;
    }
    if (livelock_told_ || machine.now() < next_look_) return;
    pause_ *= 2;
    next_look_ = machine.now() + pause_;
    const kerr::hang::Livelock livelock(machine);
    if (!livelock.proved()) return;
    livelock_told_ =
        say_why("the harts that run go round for ever.", kerr::hang::report(machine, {}, livelock, history_));
  }
  // False: nobody waits, as where nothing runs but firmware that has no work.
  bool say_why(const std::string& what, const std::string& why) {
    if (why.empty() || why == last_) return !why.empty();
    last_ = why;
    const std::string before = watch_ == nullptr ? "" : kerr::hang::earlier_errors(watch_->findings());
    std::fprintf(stderr, "libttsim_bh (kerr): %s\n%s%s", what.c_str(), before.c_str(), why.c_str());
    return true;
  }

  const uint64_t cycles_;
  const kerr::hang::History* const history_;
  const kerr::check::Watch* const watch_;
  uint64_t since_ = 0;
  static constexpr uint64_t kFirstLook = 1 << 20;  // for a livelock
  uint64_t pause_ = std::max(cycles_, kFirstLook), next_look_ = pause_;
  bool livelock_told_ = false;
  bool told_ = false;
  std::string last_;
};

/// KERR_CHECK.
struct Check {
  kerr::check::EnvironmentCheck asked;
  kerr::check::Watch watch;
};

struct Simulator {
  CallbackMemory memory;
  std::unique_ptr<Check> check;                    // outlives the machine, whose observer it is
  std::optional<kerr::hang::History> history;      // likewise
  std::optional<kerr::report::Observers> both;     // likewise
  std::unique_ptr<kerr::prints::Printer> printer;  // likewise
  Machine machine;

  Simulator(Options options, uint64_t hang_cycles)
      : machine(watched(std::move(options), hang_cycles != 0 || std::getenv("KERR_GDB") != nullptr)),
        standstill(hang_cycles, history ? &*history : nullptr, check ? &check->watch : nullptr) {
    const char* file = std::getenv("KERR_RECORD");
    if (file && *file) recorder.emplace(machine, file);
    listen();
  }
  ~Simulator() { finish(); }

  Options watched(Options options, bool shows_history);
  /// KERR_GDB: for a debugger, which may come at any time.
  void listen();
  /// Completes the recording, and writes what the checker has found.
  void finish();
  void finish_recording();

  std::optional<kerr::emu::InputRecorder> recorder;
  RemarksTold remarks;
  std::optional<kerr::debug::GdbServer> debugger;
  Standstill standstill;
};

Simulator* simulator = nullptr;
uint32_t cycles_per_clock = 1;
int complaints = 0;

// An embedder that polls what is not there must not fill a disk.
constexpr int kMostComplaints = 100;

void complain(const std::string& text) {
  if (complaints > kMostComplaints) return;
  const bool last = complaints++ == kMostComplaints;
  std::fprintf(stderr, "libttsim_bh (kerr): %s\n", last ? "more messages of this kind are not shown." : text.c_str());
}

// Says on standard error which variable makes no sense.
void complain_of_variable(const std::string& what) { complain(what + ": its default is taken."); }

void Simulator::finish_recording() {
  try {
    if (recorder) recorder->finish();
  } catch (const std::exception& error) {
    complain(std::string("the recording is lost: ") + error.what());
  }
  recorder.reset();
}

Options Simulator::watched(Options options, bool shows_history) {
  options.host_memory = &memory;
  printer = kerr::prints::printer_of_environment(options.boards, complain_of_variable);
  options.prints = printer.get();
  if (auto asked = kerr::check::EnvironmentCheck::read(complain_of_variable)) {
    check.reset(new Check{*asked, kerr::check::Watch(asked->watching, options.boards)});
    options.observer = &check->watch.observer();
  }
  // The history costs time, and only a report of a standstill or a debugger shows it.
  if (!shows_history ||
      !(check || kerr::emu::number_in_environment("KERR_HANG_HISTORY", 0, 1, complain_of_variable).value_or(0) == 1))
    return options;
  history.emplace(options.boards);
  if (options.observer != nullptr)
    options.observer = &both.emplace(std::vector{options.observer}, &*history);
  else
    options.observer = &*history;
  return options;
}

// KERR_GDB_ELF: a file with symbols of a kernel, or a folder of them.
std::vector<kerr::debug::LooseCode> loose_code() {
  std::vector<kerr::debug::LooseCode> out;
  const char* const path = std::getenv("KERR_GDB_ELF");
  if (path == nullptr || *path == 0) return out;
  const auto leave_out = [](const std::string& why) { complain("KERR_GDB_ELF: " + why + ": it is left out."); };
  try {
    for (const kerr::prints::ElfFile& file : kerr::prints::elf_files_at(path, leave_out)) {
      std::error_code error;
      const std::string whole = std::filesystem::absolute(file.path, error).lexically_normal().string();
      out.push_back({file.image, error ? file.path : whole, file.contents, file.hart()});
    }
  } catch (const kerr::image::Error& error) {
    complain(std::string("KERR_GDB_ELF: ") + error.what());
  }
  return out;
}

void Simulator::listen() {
  const auto port = kerr::emu::number_in_environment("KERR_GDB", 1, 65535, complain_of_variable);
  if (!port) return;
  try {
    debugger.emplace(static_cast<uint16_t>(*port));
    debugger->look_for(loose_code());
    debugger->set_history(history ? &*history : nullptr);
    debugger->begin(machine, {}, false);
  } catch (const std::exception& error) {
    complain(std::string("there is no debugger: ") + error.what());
  }
}

void Simulator::finish() {
  if (debugger) debugger->end();
  finish_recording();
  if (printer) printer->finish();
  if (check) check->asked.write(check->watch.findings(), machine.options().boards);
}

// Nothing may be taken for granted before init and after exit.
bool running(const char* function) {
  if (simulator) return true;
  complain(std::string(function) + " was called while the simulator is not running: ignored.");
  return false;
}

// The embedder's callbacks may throw, and its unwinder then calls into the one that is linked into this library,
// which sets itself up only when something is thrown here.
void prepare_unwinder() {
  try {
    throw 0;
  } catch (int) {
  }
}

Options options_from_environment() {
  Options options = Options{.boards = {}}.with_environment(complain_of_variable);
  if (options.boards.empty()) options.boards = {kerr::arch::kP150};
  return options;
}

struct BarAddress {
  int chip;
  Bar bar;
  uint64_t offset;
};

// The address space of the embedder: each chip's BARs at fixed places, chip d's 2^36 * d higher.
bool find_bar(uint64_t paddr, uint64_t bytes, BarAddress& found) {
  namespace pcie = kerr::arch::pcie;
  const uint64_t chip = paddr >> pcie::kChipAddressShift;
  const uint64_t local = paddr & ((uint64_t{1} << pcie::kChipAddressShift) - 1);
  if (chip >= static_cast<uint64_t>(simulator->machine.chips())) return false;
  const struct {
    Bar bar;
    uint64_t base;
  } bars[] = {{Bar::k0, pcie::kBar0Base}, {Bar::k2, pcie::kBar2Base}, {Bar::k4, pcie::kBar4Base}};
  for (const auto& [bar, base] : bars) {
    const uint64_t size = kerr::arch::pcie::bar_bytes(bar);
    if (local < base || local - base >= size || bytes > size - (local - base)) continue;
    found = {static_cast<int>(chip), bar, local - base};
    return true;
  }
  return false;
}

// The chip that a configuration access is for, or -1.
int chip_of(uint32_t bdf) {
  const uint32_t function = bdf & 7;
  const uint32_t device = (bdf >> 3) & 31;
  const uint32_t bus = bdf >> 8;
  const bool exists = function == 0 && bus == 0 && static_cast<int>(device) < simulator->machine.chips();
  return exists ? static_cast<int>(device) : -1;
}

void fill_with_ones(void* memory, uint32_t bytes) {
  if (memory) std::memset(memory, 0xFF, bytes);
}

void check_access(const std::optional<Fault>& fault) {
  if (fault) complain("the host's access was refused.\n" + fault->text());
}

bool usable(const char* function, const void* memory, uint32_t bytes) {
  if (!running(function)) return false;
  if (memory && bytes != 0) return true;
  complain(std::string(function) + " was called with no memory or no bytes: ignored.");
  return false;
}

}  // namespace

#define KERR_ABI extern "C" __attribute__((visibility("default")))

KERR_ABI void libttsim_init() {
  if (simulator) return complain("libttsim_init was called while the simulator is running: ignored.");
  complaints = 0;
  prepare_unwinder();
  cycles_per_clock = static_cast<uint32_t>(
      kerr::emu::number_in_environment("KERR_CYCLES_PER_CLOCK", 1, 1'000'000, complain_of_variable).value_or(1));
  try {
    const auto hang_cycles =
        kerr::emu::number_in_environment("KERR_HANG", 0, ~uint64_t{0}, complain_of_variable).value_or(0);
    simulator = new Simulator(options_from_environment(), hang_cycles);
  } catch (const kerr::emu::SnapshotError& error) {
    std::fprintf(stderr, "libttsim_bh (kerr): KERR_RECORD: %s. A run that was to be recorded does not start without.\n",
                 error.what());
    std::_Exit(1);
  } catch (const std::bad_alloc&) {
    std::fputs(
        "libttsim_bh (kerr): no memory: a limit of address space ('ulimit -v') is too low; 2 GiB are enough to "
        "start.\n",
        stderr);
    std::_Exit(1);
  }
}

KERR_ABI void libttsim_exit() {
  if (!running("libttsim_exit")) return;
  delete simulator;
  simulator = nullptr;
}

KERR_ABI void libttsim_set_pci_dma_mem_callbacks(ReadCallback read, WriteCallback write) {
  read_callback = read;
  write_callback = write;
}

KERR_ABI uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset) {
  if (!running("libttsim_pci_config_rd32")) return ~0u;
  const int chip = chip_of(bdf);
  if (chip < 0 || offset % 4 != 0) return ~0u;
  return simulator->machine.config_read(chip, offset);
}

KERR_ABI void libttsim_pci_config_wr32(uint32_t bdf, uint32_t offset, uint32_t data) {
  if (!running("libttsim_pci_config_wr32")) return;
  const int chip = chip_of(bdf);
  if (chip < 0 || offset % 4 != 0) return;
  simulator->machine.config_write(chip, offset, data);
}

KERR_ABI void libttsim_pci_mem_rd_bytes(uint64_t paddr, void* memory, uint32_t bytes) {
  if (!usable("libttsim_pci_mem_rd_bytes", memory, bytes)) return fill_with_ones(memory, bytes);
  BarAddress at{};
  if (!find_bar(paddr, bytes, at)) {
    complain("a read of " + std::to_string(bytes) + " bytes is in no BAR: all-ones.");
    return fill_with_ones(memory, bytes);
  }
  check_access(simulator->machine.read(at.chip, at.bar, at.offset, {static_cast<uint8_t*>(memory), bytes}));
}

KERR_ABI void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void* memory, uint32_t bytes) {
  if (!usable("libttsim_pci_mem_wr_bytes", memory, bytes)) return;
  BarAddress at{};
  if (!find_bar(paddr, bytes, at))
    return complain("a write of " + std::to_string(bytes) + " bytes is in no BAR: ignored.");
  check_access(simulator->machine.write(at.chip, at.bar, at.offset, {static_cast<const uint8_t*>(memory), bytes}));
}

KERR_ABI void libttsim_clock(uint32_t cycles) {
  if (!running("libttsim_clock")) return;
  Machine& machine = simulator->machine;
  const bool was_still = simulator->standstill.asked() && machine.quiescent();
  machine.advance(kerr::emu::Cycle{cycles} * cycles_per_clock);
  simulator->remarks.tell(machine);
  if (!machine.faulted()) {
    if (simulator->standstill.asked()) simulator->standstill.clocked(machine, was_still);
    return;
  }
  std::fprintf(stderr, "libttsim_bh (kerr): the device has stopped.\n%s", machine.faults().front().text().c_str());
  simulator->finish();
  std::_Exit(1);
}

KERR_ABI void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void* memory, uint32_t bytes) {
  if (!usable("libttsim_tile_rd_bytes", memory, bytes)) return fill_with_ones(memory, bytes);
  fill_with_ones(memory, bytes);
  check_access(simulator->machine.read_coordinate(0, x, y, address, {static_cast<uint8_t*>(memory), bytes}));
}

KERR_ABI void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void* memory, uint32_t bytes) {
  if (!usable("libttsim_tile_wr_bytes", memory, bytes)) return;
  check_access(simulator->machine.write_coordinate(0, x, y, address, {static_cast<const uint8_t*>(memory), bytes}));
}
