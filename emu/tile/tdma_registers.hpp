// The TDMA-RISC registers as far as shipped software touches them: storage, no mover commands.
// docs/hardware/tile.md 3.5
#pragma once

#include <array>
#include <cstdint>

#include "emu/observe/reporter.hpp"
#include "emu/observe/wait.hpp"

namespace kerr::emu {

class TdmaRegisters {
 public:
  TdmaRegisters(WaitBoard& board, Reporter& reporter) : board_(board), reporter_(reporter) {}

  Access load(std::uint32_t address, std::uint32_t& value) const;
  Access store(std::uint32_t address, std::uint32_t value);
  WaitMask watch_of(std::uint32_t address) const;

  /// Soft-reset bit 8: parameters are cleared on entry, writes are dropped while it is held.
  void hold_reset(bool held);
  std::uint64_t state_hash() const;

 private:
  Access unsupported(std::uint32_t address, const char* action) const;

  WaitBoard& board_;
  Reporter& reporter_;
  std::array<std::uint32_t, 4> parameters_{};
  std::uint32_t clock_gate_enable_ = 0;
  std::uint32_t clock_gate_hysteresis_ = 0;
  bool held_ = false;
};

}  // namespace kerr::emu
