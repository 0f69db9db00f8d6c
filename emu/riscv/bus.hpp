// What a hart can reach beyond L1 and its own local memory: the tile's registers and windows.
#pragma once

#include <cstdint>

#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// What a load of a clock gives.
enum class ClockPart : uint8_t {
  None,  // it is no clock
  Low,   // the low word of the hart's cycle
  High,  // the high word, as long as it does not change
};

/// Implemented by the tile's address map (emu/tile). Addresses in L1 and in the hart's fast local memory never come
/// here. `bytes` is 1, 2 or 4 and `address` is aligned to it. `now` of an access is the hart's own cycle.
class HartBus {
 public:
  virtual Access load(arch::Hart hart, uint32_t address, unsigned bytes, BusReply& reply) = 0;
  virtual Access store(arch::Hart hart, uint32_t address, unsigned bytes, uint32_t value, BusReply& reply) = 0;

  /// A store to `address` in a window for pushes; `.ttinsn` goes to arch::kInstructionPushBase. `word` is the Tensix
  /// instruction, already rotated back. Waits for wait::fifo(thread) when the FIFO is full. `fused`: silicon executes
  /// it in one cycle with the .ttinsn in front of it, if that was executed just before.
  virtual Access push(arch::Hart hart, uint32_t address, uint32_t word, bool fused, BusReply& reply) = 0;

  /// The push that a hart has just done, to `address`: its thread, and its number there (Observer::pushed()). Remembers
  /// that it came from `pc`. Called only if there is an observer.
  struct Push {
    int thread = -1;  // nobody knows
    uint32_t number = 0;
  };
  static constexpr uint32_t kPushBytes = 0x3'0000;  // of the windows for pushes
  virtual Push last_push(arch::Hart, [[maybe_unused]] uint32_t address, [[maybe_unused]] uint32_t pc) { return {}; }

  /// What must change before a load of `address` by `hart` can return something else, or 0 if the load is not pure (it
  /// pops, latches, clears, or reads a clock or anything else that changes without WaitBoard::about_to_change): the
  /// column of the register table that decides which polling loops may park.
  virtual WaitMask watch_of(arch::Hart hart, uint32_t address) const = 0;

  /// tt_cfg_qstatus or, `busy`, tt_cfg_bstatus (tile.md 1.4). Not pure.
  virtual uint32_t coprocessor_status(arch::Hart hart, bool busy) = 0;

  /// Loads of clocks depend on nothing but time, and leave no trace but that of the last one.
  virtual ClockPart clock_of(uint32_t address) const = 0;

 protected:
  ~HartBus() = default;
};

}  // namespace kerr::emu
