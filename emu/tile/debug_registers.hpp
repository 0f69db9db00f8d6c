// The control / debug / status page: soft reset, wall clock, storage.   docs/hardware/tile.md 3.3, 3.4
#pragma once

#include <array>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/pc_bufs.hpp"
#include "emu/tile/reset_control.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// The tile's time as 64 bits in two loads. One latch for the tile, so two harts that interleave can tear.
class WallClock {
 public:
  uint32_t load_low(Cycle now) {
    latch(now);
    return static_cast<uint32_t>(now);
  }
  void latch(Cycle now) { high_at_ = static_cast<uint32_t>(now >> 32); }
  uint32_t high_at() const { return high_at_; }
  /// A load of one of its three words; false if `address` is none of them.
  bool load(uint32_t address, uint32_t& value, Cycle now, WaitBoard& board);
  void serialize(Archive& a) { a(high_at_); }

 private:
  uint32_t high_at_ = 0;
};

class DebugRegisters {
 public:
  DebugRegisters(ResetControl& reset, PcBufs& pc_bufs, Coprocessor& coprocessor, WaitBoard& board, Reporter& reporter);

  /// Addresses of the page FFB12000. `who` and `now`: the agent that acts, and its cycle.
  Access load(uint32_t address, uint32_t& value, Cycle now);
  Access store(uint32_t address, uint32_t value, Agent who, Cycle now);
  WaitMask watch_of(uint32_t address) const;
  ClockPart clock_of(uint32_t address, Cycle now) const;
  void serialize(Archive& a) { a(clock_, config_word_, storage_); }

 private:
  static constexpr uint32_t kWords = 0x250 / 4;

  uint32_t& word(uint32_t address);
  Access push_instructions(uint32_t value, Cycle now);
  Access unsupported(uint32_t address, const char* action, const char* why) const;

  ResetControl& reset_;
  PcBufs& pc_bufs_;
  Coprocessor& coprocessor_;
  WaitBoard& board_;
  Reporter& reporter_;
  WallClock clock_;
  uint32_t config_word_ = 0;  // CFGREG_RDDATA
  std::array<uint32_t, kWords> storage_{};
};

}  // namespace kerr::emu
