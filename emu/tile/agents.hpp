// The agents of a tile and the order in which they run.   docs/architecture.md "Inside a tile"
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/noc/inbox.hpp"
#include "emu/observe/wait.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/l1.hpp"

namespace kerr::emu {

/// Applies one received message to the tile (its NIU does it). `now` is the message's arrival.
class MessageSink {
 public:
  virtual void apply(const Message& message, Cycle now) = 0;

 protected:
  ~MessageSink() = default;
};

/// Runs the inbox, the coprocessor threads and the harts of one tile, quantum by quantum (relaxed timing), and puts to sleep and
/// wakes those that wait. It is the tile's WaitBoard and the listener of its L1.
class Agents final : public WaitBoard, public L1::Listener {
 public:
  Agents(L1& l1, CodeCache& code, Inbox& inbox, MessageSink& sink);
  /// Two-step construction, because harts and coprocessor need the WaitBoard.
  void attach(std::array<Hart*, kHarts> harts, Coprocessor* coprocessor);

  /// Runs from the tile's time to `end`, a multiple of kQuantumCycles.
  void run(Cycle end);
  Cycle time() const { return time_; }
  /// The cycle of the agent that acts right now (of the quantum, between agents); between windows the tile's time.
  Cycle now() const;
  Agent current() const { return current_; }
  /// Brings parked harts to where spinning would have left them, for somebody who looks at them.
  void catch_up();

  /// The earliest cycle at which the tile has something to do, kNever if it sleeps until something reaches it.
  Cycle next_event() const;

  /// No parking and no sleeping: every agent is tried in every quantum (the reference scheduler).
  void set_reference(bool reference);

 private:
  void wake(WaitMask what) override;
  void wake_line(std::uint32_t line) override;
  void before_write(std::uint32_t line, std::uint8_t attributes) override;
  void run_quantum(Cycle start, Cycle end);
  void wake_hart(Hart& hart);
  Cycle standing_of(const Hart& hart) const;
  void rearm();
  bool any_runnable() const;

  L1& l1_;
  CodeCache& code_;
  Inbox& inbox_;
  MessageSink& sink_;
  std::array<Hart*, kHarts> harts_{};
  Coprocessor* coprocessor_ = nullptr;
  Cycle time_ = 0;
  Cycle quantum_start_ = 0;
  Cycle message_cycle_ = 0;
  Agent current_ = Agent::Host;
  bool reference_ = false;
};

}  // namespace kerr::emu
