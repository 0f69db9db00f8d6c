// The control / debug / status page: soft reset, wall clock, storage.   docs/hardware/tile.md 3.3, 3.4
#pragma once

#include <array>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/windows.hpp"
#include "emu/tile/debug_interface.hpp"
#include "emu/tile/reset_control.hpp"
#include "emu/tile/sync_window.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// The tile's time as 64 bits in two loads. One latch for the tile, so two harts that interleave can tear.
class WallClock {
 public:
  /// An access to one of its three words; false if `address` is none of them.
  bool load(uint32_t address, uint32_t& value, Cycle now, WaitBoard& board);
  bool store(uint32_t address, Cycle now);
  ClockPart part_of(uint32_t address, Cycle now) const;
  void serialize(Archive& a) { a(high_at_); }

 private:
  void latch(Cycle now) { high_at_ = static_cast<uint32_t>(now >> 32); }

  uint32_t high_at_ = 0;
};

class DebugRegisters {
 public:
  DebugRegisters(ResetControl& reset, SyncWindow& sync, Coprocessor& coprocessor, tensix::Windows& windows,
                 DebugInterface& debug, WaitBoard& board, Reporter& reporter);

  /// Addresses of the page FFB12000. `now`: the cycle of the agent that acts.
  Access load(uint32_t address, uint32_t& value, Cycle now);
  Access store(uint32_t address, uint32_t value, Cycle now);
  WaitMask watch_of(uint32_t address) const;
  ClockPart clock_of(uint32_t address, Cycle now) const { return clock_.part_of(address, now); }
  void serialize(Archive& a) { a(clock_, config_word_, storage_); }

 private:
  static constexpr uint32_t kWords = 0x250 / 4;

  uint32_t& word(uint32_t address);
  void control_debug(uint32_t value, Cycle now);
  Access push_instructions(uint32_t value, Cycle now);
  Access unsupported(uint32_t address, const char* action, const char* why) const;

  ResetControl& reset_;
  SyncWindow& sync_;
  Coprocessor& coprocessor_;
  tensix::Windows& windows_;
  DebugInterface& debug_;
  WaitBoard& board_;
  Reporter& reporter_;
  WallClock clock_;
  uint32_t config_word_ = 0;  // CFGREG_RDDATA
  std::array<uint32_t, kWords> storage_{};
};

}  // namespace kerr::emu
