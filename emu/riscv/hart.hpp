// A baby RISC-V: decode, execute, park.   docs/hardware/tile.md 1
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
#include "emu/riscv/hart_debug.hpp"
#include "emu/riscv/hart_stops.hpp"
#include "emu/riscv/interrupts.hpp"
#include "emu/riscv/parking/poll_watch.hpp"
#include "emu/riscv/port.hpp"
#include "emu/riscv/state.hpp"
#include "emu/timing/hart_timer.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// One hart of a Tensix or Ethernet tile. Private state only (registers, local memory, CSRs); everything else through
/// L1 and HartBus.
///
/// Parking: a hart that polls (parking/poll_watch.hpp) stops executing. catch_up() brings it to where spinning would
/// have left it, so parking changes no state and no cycle; wake() also sets it free.
class Hart {
 public:
  /// `options` must outlive it. `interrupts`: exact timing asks between instructions; null if there are none.
  Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults,
       const Options& options = kUsualOptions, Interrupts* interrupts = nullptr);
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  // --- reset (tile.md 3.1, 3.2) ---
  void hold_reset();
  void release_reset(uint32_t pc, Cycle now, bool keep_local_memory);

  /// What this hart has fetched is forgotten; of interest unless caching is Coherent. Must not be parked.
  void invalidate_code() { code_.old.clear(); }

  // --- interrupts (tile.md 1.10) ---
  /// Out of reset, not waiting for a load or store, and in no handler.
  bool interruptible() const { return (state_.running() || state_.parked()) && !state_.in_handler; }
  /// A Running hart continues at `handler` until it executes mret.
  void interrupt(uint32_t handler);

  // --- the agent loop ---
  /// Executes until its cycle is `end` or the hart is no longer Running. Starts at its cycle or `start`, whichever is
  /// later; a Parked hart whose alarm() comes before `end` starts there.
  void run(Cycle start, Cycle end);
  /// Exact timing: as run(), but returns before an interaction at a cycle that is not below `limit`, which an
  /// interaction may lower.
  void run_exact(Cycle start, Cycle end, const Cycle& limit);
  /// A Blocked or Parked hart becomes Running at `resume`, where it is what retrying or spinning would have made it.
  /// Not later than at alarm().
  void wake(Cycle resume);
  /// A Parked hart stays so, but is what spinning until `now` would have made it: before anybody looks. Nothing for
  /// others.
  void catch_up(Cycle now);
  /// When a Parked hart has to run again, because its clock may let it out of its loop; kNever for all others.
  Cycle alarm() const { return state_.parked() ? watch_.alarm() : kNever; }
  /// What a Blocked or Parked hart waits for; of a Running one that may be polling, what it has read in this turn of
  /// its loop. Whoever is about to change such a thing calls wake() or, if the hart runs, disturb(): it would park on a
  /// value that is no longer there.
  WaitMask depends_on() const { return watch_.noting() ? watch_.waits_for() : state_.waits_for; }
  /// Likewise the bytes of a line of L1.
  L1::LineBytes reads(uint32_t line) const { return state_.parked() || watch_.noting() ? watch_.reads(line) : 0; }
  void disturb() { watch_.disturb(); }

  // --- a debugger ---
  /// From now on it stops where `stops` says. It must outlive the hart.
  void stop_at(HartStops& stops) {
    stops_ = &stops;
    debugged_ = true;
  }
  /// It executes and has written what is watched (HartStops::wrote): that is its last instruction for now.
  void leave_loop() { state_.status = HartStatus::Paused; }
  /// Its debug unit; null: nobody has used it. make_debug_unit() for one who does: the hart must not be parked.
  const HartDebug* debug_unit() const { return debug_.get(); }
  HartDebug& make_debug_unit() {
    if (!debug_) debug_ = std::make_unique<HartDebug>();
    debugged_ = true;
    return *debug_;
  }
  /// As a reset of the hart leaves it.
  void reset_debug_unit() {
    if (debug_) *debug_ = {};
  }
  /// For a change from outside. Must not be parked.
  HartState& change() {
    watch_.give_up();
    return state_;
  }

  // --- an observer ---
  /// As Observer::wants_all_retired says from now on.
  void tell_retired_if(const bool& wants_all) {
    port_.tells_all = &wants_all;
    port_.told_line = HartPort::kNoLine;
  }

  // --- inspection ---
  const HartState& state() const { return state_; }
  Actor actor() const { return port_.actor(); }
  arch::Hart index() const { return port_.index; }
  std::span<uint8_t> local_memory();
  std::string describe() const;
  /// The words of L1 that a Parked hart depends on.
  std::vector<uint32_t> polled_words() const;
  void serialize(Archive& archive);  // serialize.cpp

 private:
  enum class Loop { Running, Watching, Reference, Single };

  template <class Run>
  void in_tries(Cycle end, const Run& run);  // parking/tries.hpp

  // relaxed_loop.cpp
  template <bool kObserved>
  void run_relaxed(Cycle end);
  template <Loop kLoop, bool kObserved>
  void relaxed_loop(Cycle end);

  // debugged_loop.cpp
  void run_debugged(Cycle end);
  template <bool kObserved>
  void debugged_loop(Cycle end);
  template <bool kObserved>
  bool execute_one(Cycle end);
  bool runs_singly() const;
  HartDebug::Access next_access() const;
  bool has_come_to_stop(HartStatus before);
  void tell(Stop::Why why, uint32_t address);

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
  uint32_t local_bytes() const { return arch::kLdmBytes[static_cast<size_t>(port_.index)]; }

  const bool parks_;
  const bool reference_;  // runs the plain loop only, without parking, and decodes every word anew
  const bool exact_;
  HartState state_;
  HartPort port_;
  HartCode code_;
  timing::HartTimer timer_;
  PollWatch watch_;
  HartStops* stops_ = nullptr;
  std::unique_ptr<HartDebug> debug_;
  bool debugged_ = false;  // it has one of both

  Interrupts* const interrupts_;
  bool listens_ = false;          // exact timing: it may be interrupted, so nothing is executed before it is due
  bool retries_ = false;          // woken from Blocked: what it waited for comes before any interrupt
  const Cycle* limit_ = nullptr;  // of run_exact()
};

}  // namespace kerr::emu
