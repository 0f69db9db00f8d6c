// The agents of a tile and the order in which they run.   docs/architecture.md "Inside a tile"
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/noc/inbox.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/print_listener.hpp"
#include "emu/options.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tile/pic.hpp"
#include "emu/timing/timing.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct Coprocessor;
class TileStops;

/// Applies one received message to the tile (its NIU does it). `now` is the message's arrival.
class MessageSink {
 public:
  virtual void apply(const Message& message, Cycle now) = 0;

 protected:
  ~MessageSink() = default;
};

/// Runs the inbox, the coprocessor threads and the harts of one tile, and puts to sleep and wakes those that wait:
/// quantum by quantum (relaxed timing, agents.cpp) or interaction by interaction (exact timing, exact_agents.cpp). It
/// is the tile's WaitBoard and the listener of its L1.
class Agents final : public WaitBoard, public L1::Listener, public InterruptHost {
 public:
  Agents(TileId tile, L1& l1, CodeCache& code, Inbox& inbox, MessageSink& sink, const Options& options);
  /// Two-step construction, because harts and coprocessor need the WaitBoard.
  void attach(std::array<Hart*, kHarts> harts, Coprocessor* coprocessor, Pic* pic);

  /// Runs from the tile's time to `end`; relaxed: a multiple of kQuantumCycles.
  void run(Cycle end);
  Cycle time() const { return time_; }
  /// The cycle of the agent that acts right now (of the quantum, between agents); between windows the tile's time.
  Cycle now() const;
  Agent current() const { return current_; }
  /// Brings parked harts to where spinning would have left them, before their state is read.
  void catch_up();

  /// The earliest cycle at which the tile has something to do, kNever if it sleeps until something reaches it.
  Cycle next_event() const;
  /// The same, if harts that run did not: kNever if nothing can happen but what such harts bring about.
  Cycle next_event_beside_running() const;

  // --- a debugger (tile_stops.hpp) ---
  void stop_at(TileStops& stops) { stops_ = &stops; }
  /// Whether it is told of accesses, as an observer is.
  void tell_stops(bool of_accesses) { tells_ = observer_ != nullptr || of_accesses; }
  /// Parked harts spin for real from now on, until they are found to poll again.
  void set_free(Hart& hart) {
    if (hart.state().parked()) wake_hart(hart);
  }

  /// The agent that acts right now, for an observer.
  Actor actor() const;
  /// That agent accesses L1, or has accessed a register.
  void accessed(AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override {
    if (!tells_) return;
    if (observer_) observer_->accessed(actor(), kind, address, bytes, value);
    if (stops_) [[unlikely]]
      tell_stops(kind, address, bytes);
  }
  /// A packet to the own tile was put into the inbox.
  void sent_to_self(Cycle arrival) { lower_limit(arrival, Agent::Inbox); }
  void serialize(Archive& archive);

 private:
  void wake(WaitMask what) override;
  void wake_line(uint32_t line) override { wake_readers(line, L1::kAllBytes); }
  Cycle start_of(Agent agent, Cycle now) override;
  void invalidate_code(uint32_t harts) override;
  void before_write(uint32_t line, uint8_t attributes, L1::LineBytes written) override;
  void wake_readers(uint32_t line, L1::LineBytes written);
  void tell_stops(AccessKind kind, uint32_t address, uint32_t bytes);
  void run_quantum(Cycle start, Cycle end);
  void wake_hart(Hart& hart);
  Cycle caught_up_to(const Hart& hart) const;
  void wake_thread(int thread);
  void rearm();
  bool any_runnable() const;
  void interrupts_changed() override;
  bool may_be_ahead(arch::Hart hart) const override;
  bool interrupt_due(const Hart& hart) const { return pic_->pending(hart.index()) && hart.interruptible(); }
  void interrupt(Hart& hart);

  // Exact timing.
  /// When an agent takes its next step: cycle * 16 + agent, so that the smaller one comes first.
  using Key = uint64_t;
  void run_exact(Cycle end);
  void run_exact_reference(Cycle end);
  void run_agent(Agent agent, Cycle cycle, Cycle end);
  Key next_key(Agent agent) const;
  Cycle next_step() const;
  void lower_limit(Cycle cycle, Agent agent);
  /// The first step of `agent` that comes after what happens right now.
  Cycle next_turn(Agent agent) const;

  const TileId tile_;
  const bool reference_;  // no parking and no sleeping: every agent is tried in every quantum
  const bool exact_;
  Observer* const observer_;
  bool tells_;  // the observer or stops_ of accesses
  PrintListener* const prints_;
  L1& l1_;
  CodeCache& code_;
  Inbox& inbox_;
  MessageSink& sink_;
  std::array<Hart*, kHarts> harts_{};
  Coprocessor* coprocessor_ = nullptr;
  Pic* pic_ = nullptr;
  TileStops* stops_ = nullptr;
  Cycle time_ = 0;
  Cycle quantum_start_ = 0;
  Cycle message_cycle_ = 0;
  Agent current_ = Agent::Host;

  // Exact timing.
  std::array<Cycle, kThreads> thread_cycle_{};  // of each thread's next step
  Cycle limit_ = 0;                             // of the agent that runs: it may interact at cycles below
};

}  // namespace kerr::emu
