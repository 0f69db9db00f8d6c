// What a Coprocessor is made of, in the order in which a word goes through it. Private to emu/tensix/*.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "emu/memory/in_large_pages.hpp"
#include "emu/tensix/config/config_unit.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/counters/row_counter_unit.hpp"
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/frontend/front_end.hpp"
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
#include "emu/tensix/unpack/unpackers.hpp"
#include "emu/timing/coprocessor_timer.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu {

/// One of the three threads: its front end, and the instruction at its wait gate.
struct CoprocessorThread {
  CoprocessorThread(int number, WaitBoard& board) : front(number, board) {}

  tensix::FrontEnd front;
  bool has_current = false;
  bool halted = false;        // by a fault
  uint32_t current = 0;  // the word at the wait gate
  WaitMask waits_for = 0;
  const char* why = "";  // a literal: why `current` cannot issue; "" while a latched wait holds it
  uint64_t instructions = 0;
  // Relaxed timing, for the vector unit (macro_time.cpp): cycles in which the thread issued nothing because nothing had
  // been pushed.
  Cycle idle = 0;
  bool waited = false;  // `current` could not issue before
  uint32_t last_vector = 0;  // the last instruction that it issued beside macros, and when it began
  Cycle last_vector_at = 0;
  uint64_t fruitless_looks = 0;  // times at which it could not go on

  void serialize(Archive& archive);
};

struct Coprocessor::Parts : InLargePages {
  Parts(TileId tile_, L1& l1_, CoprocessorBus& bus_, WaitBoard& board_, FaultLog& faults_, const Options& options_)
      : options(options_), tile(tile_), board(board_), faults(faults_), l1(l1_), bus(bus_), state(board_) {}

  const Options& options;

  TileId tile;
  WaitBoard& board;
  FaultLog& faults;
  RemarkLog remarks;
  tensix::Tolerance tolerance{options.strict};  // of the instruction that a thread issues
  L1& l1;
  CoprocessorBus& bus;

  std::array<CoprocessorThread, kThreads> threads{CoprocessorThread{0, board}, CoprocessorThread{1, board},
                                                  CoprocessorThread{2, board}};
  tensix::State state;
  tensix::UnitHolds holds{board};
  tensix::WaitGates gates{make_gate(0), make_gate(1), make_gate(2)};

  std::array<tensix::TtSync, kThreads> tt_sync;
  tensix::Strays strays{tt_sync};
  tensix::SyncUnit sync{state.semaphores, state.mutexes, gates};
  tensix::ConfigUnit config{state.config, state.gpr, state.context_counters, bus};
  tensix::ScalarUnit scalar{state, holds, l1, bus, tolerance};
  tensix::MiscUnit misc{state.adcs};
  tensix::Unpackers unpackers{state.config, state.adcs, state.context_counters, state.src_a, state.src_b,
                              state.dst,    l1,         tolerance};
  tensix::RowCounterUnit row_counters{state.config, state.rwcs, state.src_a, state.src_b, state.packer_signals};
  tensix::Sfpu sfpu{state.config, state.rwcs, state.dst, tolerance};
  tensix::Fpu fpu{state.config, state.rwcs, state.src_a, state.src_b, state.dst, sfpu.lane_config(), tolerance};
  tensix::Packer packer{state.config, state.adcs, state.dst, state.packer_signals, l1, options.fp16_accumulation_fault};
  tensix::Mover mover{state.config, l1};

  uint32_t debug_owned = 0;  // one bit a thread: its FIFO belongs to the debug bus

  /// Among these the instruction finds the unit that executes it.
  auto units() {
    return std::tie(strays, sync, config, scalar, misc, unpackers, row_counters, fpu, sfpu, packer, mover);
  }

  tensix::WaitGate make_gate(int thread) {
    return {thread, state.config, state.semaphores, state.src_a, state.src_b, sfpu, bus};
  }

  bool idle(int thread) const {
    const CoprocessorThread& t = threads[static_cast<size_t>(thread)];
    return !t.has_current && t.front.empty() && !gates[static_cast<size_t>(thread)].latched() &&
           !sfpu.moves(thread);
  }

  [[gnu::always_inline]] void tell_of_progress(int thread) {
    board.about_to_change(wait::in_flight(thread) | (idle(thread) ? wait::thread_idle(thread) : 0));
  }

  // Exact timing.
  bool timed = false;
  timing::CoprocessorTimer timer{options.parameters};
  const isa::tensix::Row* executed = nullptr;  // what the last step executed, if it was an instruction
  timing::Touched touched;
  Cycle next_cycle(int thread, Cycle cycle);
  timing::BankPointers bank_pointers() const;
  void note_executed(const isa::tensix::Row& row, const tensix::Issue& answer);

  Observer* const observer = options.observer;

  // coprocessor.cpp
  template <bool kExact, bool kObserved>
  void issue_loop(int thread, Cycle& cycle, const Cycle& limit);
  // Relaxed timing: when the turn of the thread that runs has begun, in the harts' cycles.
  Cycle turn_start = 0;
  // macro_time.cpp
  Cycle own_time(int thread) const;
  Cycle start_beside_macros(int thread, const isa::tensix::Row& row, Cycle now) const;
  void started(int thread, const isa::tensix::Row& row, Cycle start);
  bool let_macros_act(int thread, Cycle now);
  bool stand(int thread, Cycle cycle, WaitMask what, const char* why);

  // issue_loop.cpp
  void issue_quickly(int thread, Cycle cycle, Cycle end);
  bool step(int thread, Cycle cycle);
  bool fetch(int thread, Cycle cycle);
  bool took_in(int thread, Cycle cycle, uint32_t word);
  bool issue(int thread, Cycle cycle);
  bool refused(int thread, Cycle cycle, const tensix::Issue& answer);
  tensix::Issue tolerated(int thread, Cycle cycle, tensix::Issue answer);
  tensix::Issue odd(int thread, Cycle cycle, Oddity oddity, uint32_t bits);
  bool block(int thread, WaitMask what, const char* why);
  bool halt(int thread, Cycle cycle, FaultCategory category, uint64_t address, std::string what,
            std::string advice);
  std::string describe(int thread) const;

  // reset.cpp
  void soft_reset(uint32_t before, uint32_t after);

  void serialize(Archive& archive);
};

}  // namespace kerr::emu
