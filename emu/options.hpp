// What a machine is asked to be. Every part takes these options when it is made, and is then complete.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "emu/cycle.hpp"
#include "emu/timing/parameters.hpp"
#include "emu/timing/timing.hpp"

namespace kerr::emu {

class HostMemory;
class Observer;
class PrintListener;

enum class Scheduler : uint8_t {
  Fast,  // whole windows, sleeping tiles skipped, shards in parallel
  // One thread runs every tile quantum by quantum (exact timing: cycle by cycle); nothing is parked, skipped or run
  // ahead. Slow. It is the definition that Fast must agree with.
  Reference,
};

/// How harts of Tensix tiles cache instructions: riscv/instruction_cache.hpp.
enum class InstructionCaching : uint8_t {
  Coherent,  // a hart executes what L1 holds
  Exact,     // ... what it once fetched, until its cache is invalidated: stale code runs
  Checked,   // the same, but a stale instruction is a fault
};

/// The longest window in relaxed timing. A machine stops only between windows: with a much longer one it seems to hang.
inline constexpr Cycle kMostWindowCycles = 1 << 20;

/// A new option is a member here, and a flag for it in the command.
struct Options {
  std::vector<arch::Board> boards{arch::kP100a};
  HostMemory* host_memory = nullptr;  // of all chips; must outlive the machine
  int shards = 1;                     // threads are the smaller of this and the number of CPUs
  Scheduler scheduler = Scheduler::Fast;
  Timing timing = Timing::Relaxed;
  timing::Parameters parameters{};  // of exact timing
  // Told of everything, by several threads if there are shards; must outlive the machine.
  Observer* observer = nullptr;
  PrintListener* prints = nullptr;  // likewise, of prints alone
  bool parking = true;              // false: polling harts spin for real
  bool always_in_parallel = false;  // also windows that one thread would finish sooner; for tests of what threads share
  // Packing FP16 with accumulation in L1: sums that are too small become the largest number, as on silicon; or zero.
  // docs/hardware/tensix-datapath.md 12.8
  bool fp16_accumulation_fault = true;
  bool strict = false;  // what silicon takes no notice of is a fault, not a remark (observe/remark.hpp)
  // Packets whose order hardware does not guarantee pass each other, by a seed: noc/reorder.hpp. None: an orderly NoC.
  std::optional<uint64_t> noc_reorder;
  InstructionCaching icache = InstructionCaching::Coherent;
  // 0: of the timing. Relaxed: a multiple of kQuantumCycles, at most kMostWindowCycles; exact: at most
  // timing::shortest_way().
  Cycle window_cycles = 0;

  bool exact() const { return timing == Timing::Exact; }
  bool reference() const { return scheduler == Scheduler::Reference; }
  bool parks() const { return parking && !reference(); }
  /// nullptr in relaxed timing.
  const timing::Parameters* costs() const { return exact() ? &parameters : nullptr; }
  Cycle window() const { return window_cycles != 0 ? window_cycles : longest_window(timing, parameters); }

  /// Throws std::invalid_argument: no board or too many, an impossible parameter, a window that the timing does not
  /// allow.
  void check() const;

  /// Is told of a variable that makes no sense: "KERR_STRICT is 'very', not 0 or 1". If it returns, it is as if the
  /// variable were not set.
  using Complain = std::function<void(const std::string&)>;
  /// Where these options say nothing (a default, or no board at all), what the environment says to every emulator of
  /// the process. KERR_BOARD, KERR_SHARDS, KERR_NOC_REORDER, KERR_ICACHE, KERR_STRICT: docs/reference/c-abi.md.
  Options with_environment(const Complain& complain) const;
};

/// The usual ones, for parts that are made by themselves.
inline const Options kUsualOptions;

/// A number from `least` to `most` in an environment variable, decimal or 0x...; nothing if it is not set, empty, or
/// anything else.
std::optional<uint64_t> number_in_environment(const char* name, uint64_t least, uint64_t most,
                                              const Options::Complain& complain);

}  // namespace kerr::emu
