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
  struct Range {
    uint32_t address = 0, bytes = 0;
  };

  TileStops(TileId tile, Agents& agents, std::span<Hart, kHarts> harts, CodeCache& code, L1& l1, HartBus& bus,
            Debugger& debugger);

  /// The hart stops before it executes an instruction at these addresses, of which it is told by no other means.
  void set_breakpoints(arch::Hart hart, std::vector<uint32_t> addresses);
  /// Whoever changes a byte of these ranges of L1, the debugger is told behind it: of a hart's store before its next
  /// instruction; of a packet when it has arrived; of a coprocessor thread when its turn is over.
  void set_watches(std::vector<Range> ranges);
  /// The hart stops when it has changed a byte of these ranges of its local memory. It runs slowly meanwhile.
  void set_local_watches(arch::Hart hart, const std::vector<Range>& ranges);
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
  /// Tells the debugger of a watched byte that another than a hart has written.
  void tell();

 private:
  void set_free();

  const TileId tile_;
  Agents& agents_;
  const std::span<Hart, kHarts> harts_;
  CodeCache& code_;
  L1& l1_;
  HartBus& bus_;
  Debugger& debugger_;
  std::array<HartStops, kHarts> stops_;
  std::vector<Range> watches_;
  std::optional<Stop> written_;
  bool writes_ = false;  // the debugger itself
};

}  // namespace kerr::emu
