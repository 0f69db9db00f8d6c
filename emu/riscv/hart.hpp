// A baby RISC-V: decode, execute, park.   docs/hardware/tile.md 1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/options.hpp"
#include "emu/riscv/bus.hpp"
#include "emu/riscv/fetch.hpp"
#include "emu/riscv/interrupts.hpp"
#include "emu/riscv/parking/poll_watch.hpp"
#include "emu/riscv/port.hpp"
#include "emu/riscv/state.hpp"
#include "emu/timing/hart_timer.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// One hart of a Tensix or Ethernet tile. Private state only (registers, local memory, CSRs); everything else through L1 and HartBus.
///
/// Parking: a hart that polls (parking/poll_watch.hpp) stops executing. catch_up() brings it to where spinning would have left it, so
/// parking changes no state and no cycle; wake() also sets it free.
class Hart {
 public:
  using State = HartState::Status;

  Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults);

  void allow_parking(bool allow) { parking_ = allow; }
  /// Runs the plain loop only, without parking, and decodes every word anew: the reference scheduler.
  void set_reference(bool reference) { reference_ = reference; }
  /// Exact timing: run_exact() instead of run().
  void set_exact(bool exact) { exact_ = exact; }
  /// What its instructions cost then. Before the first run; must outlive the hart.
  void set_costs(const timing::Parameters& costs) { timer_.set_costs(costs); }
  /// Before the first run.
  void set_caching(InstructionCaching caching) { code_.caching = caching; }
  /// Before the first run. May be null.
  void set_observer(Observer* observer) { port_.observer = observer; }

  // --- reset (tile.md 3.1, 3.2) ---
  void hold_reset();
  void release_reset(uint32_t pc, Cycle now, bool keep_local_memory);

  /// What this hart has fetched is forgotten; of interest unless caching is Coherent. Must not be parked.
  void invalidate_code() { code_.old.clear(); }

  // --- interrupts (tile.md 1.10) ---
  /// Out of reset, not waiting for a load or store, and in no handler.
  bool interruptible() const { return (state_.running() || state_.status == State::Parked) && !state_.in_handler; }
  /// A Running hart continues at `handler` until it executes mret.
  void interrupt(uint32_t handler);
  /// Exact timing, which asks it between instructions. Before the first run.
  void set_interrupts(Interrupts* interrupts) { interrupts_ = interrupts; }

  // --- the agent loop ---
  State state() const { return state_.status; }
  bool runnable() const { return state_.running(); }
  Cycle cycle() const { return state_.cycle; }
  /// Executes until cycle() == end or the hart is no longer Running. Starts at max(cycle(), start); a Parked hart whose alarm()
  /// comes before `end` starts there.
  void run(Cycle start, Cycle end);
  /// Exact timing: as run(), but returns before an interaction at a cycle that is not below `limit`, which an interaction
  /// may lower.
  void run_exact(Cycle start, Cycle end, const Cycle& limit);
  /// A Blocked or Parked hart becomes Running at `resume`, where it is what retrying or spinning would have made it. Not later than
  /// at alarm().
  void wake(Cycle resume);
  /// A Parked hart stays so, but is what spinning until `now` would have made it: before anybody looks. Nothing for others.
  void catch_up(Cycle now);
  /// When a Parked hart has to run again, because its clock may let it out of its loop; kNever for all others.
  Cycle alarm() const { return state_.status == State::Parked ? watch_.alarm() : kNever; }
  WaitMask waits_for() const { return state_.waits_for; }
  /// A Running hart that may be polling: what it has read in this turn of its loop. Whoever is about to change such a
  /// thing calls disturb(), or the hart would park on a value that is no longer there.
  WaitMask polls() const { return watch_.noting() ? watch_.waits_for() : 0; }
  void disturb() { watch_.disturb(); }
  /// The bytes of a line of L1 that a Parked hart, or one that may be polling, depends on.
  L1::LineBytes reads(uint32_t line) const {
    return state_.status == State::Parked || watch_.noting() ? watch_.reads(line) : 0;
  }

  // --- inspection ---
  arch::Hart index() const { return port_.index; }
  uint32_t pc() const { return state_.pc; }
  uint32_t x(unsigned i) const { return state_.x[i]; }
  /// A float register, as its FP32 pattern.
  uint32_t f(unsigned i) const { return state_.f[i]; }
  /// Retired instructions, those skipped while parked included (up to wake() or catch_up()).
  uint64_t instructions() const { return state_.instructions; }
  uint32_t local_bytes() const { return arch::kLdmBytes[static_cast<size_t>(port_.index)]; }
  uint8_t* local_memory();
  std::string describe() const;
  /// The words of L1 that a Parked hart depends on.
  std::vector<uint32_t> polled_words() const;
  uint64_t state_hash() const;
  void serialize(Archive& archive);  // serialize.cpp

 private:
  enum class Loop { Running, Watching, Reference };

  template <class Run>
  void in_tries(Cycle end, const Run& run);  // parking/tries.hpp

  // relaxed_loop.cpp
  template <bool kObserved>
  void run_relaxed(Cycle end);
  template <Loop kLoop, bool kObserved>
  void relaxed_loop(Cycle end);

  // exact_loop.cpp
  template <bool kObserved>
  void run_ahead(Cycle end);
  template <Loop kLoop, bool kObserved>
  bool exact_loop(Cycle end);
  void listen();

  /// The rest of a parked hart's last turn. It reads what has been there all the time.
  void spin_relaxed(Cycle now);
  void spin_exact(Cycle now);
  bool turns(uint32_t from);
  void stop_watching() { watch_.give_up(state_.cycle); }

  HartState state_;
  HartPort port_;
  HartCode code_;
  timing::HartTimer timer_{timing::kBlackhole};
  PollWatch watch_;

  bool parking_ = true;
  bool reference_ = false;
  bool exact_ = false;
  Interrupts* interrupts_ = nullptr;
  bool listens_ = false;  // exact timing: it may be interrupted, so nothing is executed before it is due
  bool retries_ = false;  // woken from Blocked: what it waited for comes before any interrupt
  const Cycle* limit_ = nullptr;  // of run_exact()
};

}  // namespace kerr::emu
