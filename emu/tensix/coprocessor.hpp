// The Tensix coprocessor of one tile: its parts, in the order in which a word goes through them, and where each is.
// docs/hardware/tensix-datapath.md 2-5, tile.md 4
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/in_large_pages.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/remark.hpp"
#include "emu/options.hpp"
#include "emu/tensix/bus.hpp"
#include "emu/tensix/config/config_unit.hpp"
#include "emu/tensix/counters/row_counter_unit.hpp"
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/frontend/pushers.hpp"
#include "emu/tensix/frontend/strays.hpp"
#include "emu/tensix/frontend/wait_gate.hpp"
#include "emu/tensix/misc/misc_unit.hpp"
#include "emu/tensix/mover/mover.hpp"
#include "emu/tensix/pack/packer.hpp"
#include "emu/tensix/scalar/scalar_unit.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tensix/state/unit_holds.hpp"
#include "emu/tensix/sync/sync_unit.hpp"
#include "emu/tensix/thread.hpp"
#include "emu/tensix/unpack/unpackers.hpp"
#include "emu/timing/coprocessor_timer.hpp"
#include "emu/wait.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu {

/// Harts and the NoC reach its state through the windows of windows.hpp; harts push into threads[n].front.
struct Coprocessor : InLargePages {
  /// The options must outlive it.
  Coprocessor(TileId tile_, L1& l1_, CoprocessorBus& bus_, WaitBoard& board_, FaultLog& faults_,
              const Options& options_ = kUsualOptions)
      : options(options_), tile(tile_), board(board_), faults(faults_), l1(l1_), bus(bus_), state(board_) {}
  Coprocessor(const Coprocessor&) = delete;
  Coprocessor& operator=(const Coprocessor&) = delete;

  const Options& options;
  const TileId tile;
  WaitBoard& board;
  FaultLog& faults;
  L1& l1;
  CoprocessorBus& bus;
  RemarkLog remarks;
  tensix::Tolerance tolerance{options.strict};  // of the instruction that a thread issues

  std::array<CoprocessorThread, kThreads> threads{CoprocessorThread{0, board}, CoprocessorThread{1, board},
                                                  CoprocessorThread{2, board}};  // thread.hpp, frontend/
  tensix::State state;                                                           // state/: what units share
  tensix::UnitHolds holds{board};
  tensix::WaitGates gates{make_gate(0), make_gate(1), make_gate(2)};  // frontend/wait_gate.hpp

  std::array<tensix::TtSync, kThreads> tt_sync;  // frontend/tt_sync.hpp
  tensix::Strays strays{tt_sync};
  tensix::SyncUnit sync{state.semaphores, state.mutexes, gates};
  tensix::ConfigUnit config{state.config, state.gpr, state.context_counters, bus};
  tensix::ScalarUnit scalar{state, holds, l1, bus, tolerance};
  tensix::MiscUnit misc{state.adcs};
  tensix::Unpackers unpackers{state.config, state.adcs, state.context_counters, state.src_a, state.src_b, state.dst,
                              l1,           tolerance};
  const tensix::DueHandOvers due{threads, gates, holds, timed};
  tensix::RowCounterUnit row_counters{state.config, state.rwcs, state.src_a, state.src_b, state.packer_signals, &due};
  tensix::Sfpu sfpu{state.config, state.rwcs, state.dst, tolerance};
  tensix::Fpu fpu{state.config, state.rwcs, state.src_a, state.src_b, state.dst, sfpu.lane_config(), tolerance, &due};
  tensix::Packer packer{state.config, state.adcs, state.dst, state.packer_signals, l1, options.fp16_accumulation_fault};
  tensix::Mover mover{state.config, l1};
  /// Among these an instruction finds the unit that executes it.
  auto units() {
    return std::tie(strays, sync, config, scalar, misc, unpackers, row_counters, fpu, sfpu, packer, mover);
  }

  // The debug bus owns these threads' FIFOs behind the MOP expander, one bit each (INSTRN_BUF_CTRL0 bits 2:0, tile.md
  // 4.8): what harts push then is lost on silicon.
  uint32_t debug_owned = 0;

  // Relaxed timing: when the turn of the thread that runs has begun, in the harts' cycles.
  Cycle turn_start = 0;

  // Exact timing.
  bool timed = false;
  timing::CoprocessorTimer timer{options.parameters};
  const isa::tensix::Row* executed = nullptr;  // what the last step executed, if it was an instruction
  timing::Touched touched;
  Observer* const observer = options.observer;
  Footprint footprint;       // of the instruction that a thread executes
  Cycle observed_cycle = 0;  // of the thread that runs
  const std::unique_ptr<tensix::Pushers> pushers{observer ? std::make_unique<tensix::Pushers>() : nullptr};

  /// SOFT_RESET_0 was written (tile.md 3.1): reset.cpp.
  void reset(uint32_t before, uint32_t after);

  /// Lets `thread` issue from `cycle` on, one instruction a cycle, until `end`, until it has nothing to do, or until it
  /// cannot issue. Returns with waits_for set in the latter two cases (an empty thread waits for wait::fifo(thread)).
  void run(int thread, Cycle cycle, Cycle end);
  /// Exact timing: the same from `cycle` to `limit`, which what the thread does may lower; `cycle` is moved on before
  /// each instruction.
  void run_exact(int thread, Cycle& cycle, const Cycle& limit);
  /// For an observer: the thread with the instruction that it issues, and who pushed that.
  Actor actor(int thread) const;
  /// A copy or zero fill for TDMA-RISC: done at once, or the fault that it is.
  tensix::Issue move(const tensix::MoverJob& job);

  /// TTSync FFE80004: nothing of this thread in flight anywhere.
  bool idle(int thread) const {
    const CoprocessorThread& t = threads[thread];
    return !t.has_current && t.front.empty() && !gates[thread].latched() && !sfpu.moves(thread);
  }
  /// Exact timing: when all that the thread has issued is done; else 0.
  Cycle finished(int thread) const { return timed ? timer.finished(thread) : 0; }
  /// Does the thread wait for this line of L1 (wait::kL1)?
  bool waits_for_line(int thread, uint32_t line) const {
    return (threads[thread].waits_for & wait::kL1) && holds.retried_line() == line;
  }
  /// Holds the thread an instruction that it cannot issue, or a latched wait (as opposed to having nothing)?
  bool stuck(int thread) const {
    return (threads[thread].has_current || gates[thread].latched()) && threads[thread].waits_for != 0;
  }
  /// Automatic TTSync: `thread`'s TRISC must wait with this access, for wait::in_flight(thread), until instructions
  /// that it pushed before have executed. False while its configuration does not switch tracking on.
  bool must_wait(int thread, const tensix::TrackedAccess& access) const;
  /// What `thread` has pushed and not executed, by class: tt_cfg_qstatus [10:0] (tile.md 1.4).
  uint32_t queued_classes(int thread) const;
  /// INSTRN_BUF_STATUS: bit i, thread i's FIFO behind the MOP expander has room; bit 4 + i, nothing is in it.
  uint32_t fifo_status() const;
  /// DBG_RD_DATA for the signal that DBG_BUS_CTRL = `control` selects (tile.md 3.4); false if nothing is known of it.
  bool debug_bus_read(uint32_t control, uint32_t& value) const;

  /// "STALLWAIT 0x... on SrcA valid" or "empty": for the deadlock report. Says which unit or condition blocks it.
  std::string describe(int thread) const;
  void serialize(Archive& archive);

 private:
  tensix::WaitGate make_gate(int thread) {
    return {thread, state.config, state.semaphores, state.src_a, state.src_b, sfpu, bus};
  }
  [[gnu::always_inline]] void tell_of_progress(int thread) {
    board.about_to_change(wait::in_flight(thread) | (idle(thread) ? wait::thread_idle(thread) : 0));
  }

  // issue_loop.cpp
  template <bool kExact, bool kObserved>
  void issue_loop(int thread, Cycle& cycle, const Cycle& limit);
  void issue_quickly(int thread, Cycle cycle, Cycle end);
  bool step(int thread, Cycle cycle);
  bool fetch(int thread, Cycle cycle);
  bool took_in(int thread, Cycle cycle, uint32_t word);
  bool issue(int thread, Cycle cycle);
  bool refused(int thread, Cycle cycle, const tensix::Issue& answer);
  tensix::Issue tolerated(int thread, Cycle cycle, tensix::Issue answer);
  tensix::Issue odd(int thread, Cycle cycle, Oddity oddity, uint32_t bits);
  bool block(int thread, WaitMask what, const char* why);
  bool halt(int thread, Cycle cycle, FaultCategory category, uint64_t address, std::string what, std::string advice);
  // issue_timing.cpp
  Cycle next_cycle(int thread, Cycle cycle);
  timing::BankPointers bank_pointers() const;
  bool notes() const { return timed || observer != nullptr; }
  void note_before(int thread, const isa::tensix::Row& row);
  void note_executed(const isa::tensix::Row& row, const tensix::Issue& answer);
  // footprints.cpp
  uint8_t valid_banks() const;
  void foresee(int thread, const isa::tensix::Row& row);
  void tell_footprint(int thread);
  // macro_time.cpp
  Cycle own_time(int thread) const;
  Cycle start_beside_macros(int thread, const isa::tensix::Row& row, Cycle now) const;
  void started(int thread, const isa::tensix::Row& row, Cycle start);
  bool let_macros_act(int thread, Cycle now);
  bool stand(int thread, Cycle cycle, WaitMask what, const char* why);
};

}  // namespace kerr::emu
