// Where a debugger wants the agents of a tile to stop, and what it changes there.   docs/architecture.md "Debugging"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emu/memory/l1.hpp"
#include "emu/observe/debugger.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/hart.hpp"

namespace kerr::emu {

class Agents;

/// Beside L1::Attribute: the debugger is told of changes of some bytes of the line.
inline constexpr uint8_t kStopping = 8;
/// Likewise the listener to prints.
inline constexpr uint8_t kPrinting = 16;

/// Made for a tile when a debugger first wants something of it. All calls are made between windows or from
/// Debugger::stopped(). Only those that change() or write() change the run.
class TileStops {
 public:
  struct Watch {
    uint32_t address = 0, bytes = 0;
    bool reads = false, writes = true;
    std::optional<arch::Hart> hart{};  // of registers that each hart has for itself: whose
  };

  TileStops(TileId tile, Agents& agents, std::span<Hart, kHarts> harts, CodeCache& code, L1& l1, HartBus& bus,
            Debugger& debugger);

  /// The hart stops before it executes an instruction at these addresses, of which it is told by no other means.
  void set_breakpoints(arch::Hart hart, std::vector<uint32_t> addresses);
  /// Whoever changes or reads a watched byte of L1, or loads or stores a watched register, the debugger is told behind
  /// it: of a hart's instruction before its next one; of a packet when it has arrived, of the host when it has written;
  /// of a coprocessor thread when its turn is over. Not of what a register does by itself, nor of what the host reads,
  /// nor of instruction fetches. While reads or registers are watched the harts that may do that run slowly.
  void set_watches(std::vector<Watch> watches);
  /// The hart stops when it has changed or read a byte of its local memory. It runs slowly meanwhile.
  void set_local_watches(arch::Hart hart, std::vector<Watch> watches);
  /// It stops behind its next instruction.
  void step(arch::Hart hart, bool steps);

  /// Brings parked harts to where spinning would have left them: before their state is looked at.
  void catch_up();
  /// What the hart would load there: nothing if that is no register, or one where a load pops, latches or waits.
  std::optional<uint32_t> look(arch::Hart hart, uint32_t address);
  /// Registers and local memory of a hart that does not poll any more, to be changed.
  HartState& change(arch::Hart hart);
  /// The hart goes on at `pc`: also one that waits for a load or store, which it gives up, or is paused at an ebreak.
  void jump(arch::Hart hart, uint32_t pc);
  /// Within L1. Nobody is told.
  void write(uint32_t address, std::span<const uint8_t> bytes);

  // --- the tile ---

  /// A line in which bytes are watched is about to change.
  void before_write(uint32_t line, L1::LineBytes written);
  /// The agent that acts reads L1 or accesses a register, and is no hart that does so by a load or store of its own.
  void accessed(AccessKind kind, uint32_t address, uint32_t bytes);
  /// Tells the debugger of a watched byte that another than a hart has touched: a packet of `sender`, if there is one.
  void tell(std::optional<TileId> sender = std::nullopt);

 private:
  void set_free();
  void note(Stop::Why why, uint32_t address);
  void look_at_accesses();

  const TileId tile_;
  Agents& agents_;
  const std::span<Hart, kHarts> harts_;
  CodeCache& code_;
  L1& l1_;
  HartBus& bus_;
  Debugger& debugger_;
  const bool is_observed_;  // L1 tells an observer of all accesses
  std::array<HartStops, kHarts> stops_;
  std::vector<Watch> watches_;                              // of L1 and registers
  std::array<std::vector<Watch>, kHarts> local_watches_{};  // of local memory
  std::optional<Stop> touched_;                             // by another than a hart
  bool writes_ = false;                                     // the debugger itself
};

}  // namespace kerr::emu
