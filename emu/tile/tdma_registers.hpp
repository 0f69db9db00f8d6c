// The TDMA-RISC registers: commands for the mover, clock gating. What the packer tells is not modelled.
// docs/hardware/tile.md 3.5
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct Coprocessor;

class TdmaRegisters {
 public:
  TdmaRegisters(Coprocessor& coprocessor, L1& l1, WaitBoard& board, Reporter& reporter)
      : coprocessor_(coprocessor), l1_(l1), board_(board), reporter_(reporter) {}

  /// `hart`: BRISC or a TRISC. The coprocessor counts as TRISC0.
  Access load(uint32_t address, uint32_t& value, arch::Hart hart = arch::Hart::Trisc0) const;
  Access store(uint32_t address, uint32_t value, arch::Hart hart = arch::Hart::Trisc0);
  WaitMask watch_of(uint32_t address) const;

  /// Soft-reset bit 8: parameters are cleared on entry, writes are dropped while it is held.
  void hold_reset(bool held);
  void serialize(Archive& a) { a(parameters_, compact_base_, clock_gate_enable_, clock_gate_hysteresis_, held_); }

 private:
  /// Commands take effect at once, so the queue is always empty.
  Access command(uint32_t value, uint32_t compact_base);
  Access write_l1(uint32_t command);
  Access unsupported(uint32_t address, const char* action) const;

  Coprocessor& coprocessor_;
  L1& l1_;
  WaitBoard& board_;
  Reporter& reporter_;
  std::array<uint32_t, 4> parameters_{};
  std::array<uint32_t, 4> compact_base_{};  // of BRISC and the TRISCs: what compact commands add to their source
  uint32_t clock_gate_enable_ = 0;
  uint32_t clock_gate_hysteresis_ = 0;
  bool held_ = false;
};

}  // namespace kerr::emu
