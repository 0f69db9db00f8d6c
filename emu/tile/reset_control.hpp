// SOFT_RESET_0 and the registers that say where a hart starts.   docs/hardware/tile.md 3.1, 3.2
#pragma once

#include <array>
#include <cstdint>

#include "arch/tile_registers.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tile/mailboxes.hpp"
#include "emu/tile/sync_window.hpp"
#include "emu/tile/tdma_registers.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

class ResetControl {
 public:
  ResetControl(std::array<Hart, kHarts>& harts, Coprocessor& coprocessor, Mailboxes& mailboxes, SyncWindow& sync,
               TdmaRegisters& tdma, WaitBoard& board)
      : harts_(harts), coprocessor_(coprocessor), mailboxes_(mailboxes), sync_(sync), tdma_(tdma), board_(board) {}

  uint32_t soft_reset() const { return soft_reset_; }
  /// Acts on the edges of the bits; both the host and harts write here.
  void write_soft_reset(uint32_t value, Cycle now);

  /// DISABLE_RESET .. NCRISC_RESET_PC_OVERRIDE (FFB12224 .. FFB1223C), by address.
  static constexpr bool holds(uint32_t address) {
    return address >= arch::kDisableReset && address <= arch::kNcriscResetPcOverride;
  }
  uint32_t load(uint32_t address) const { return words_[(address - arch::kDisableReset) / 4]; }
  void store(uint32_t address, uint32_t value) { words_[(address - arch::kDisableReset) / 4] = value; }

  /// Where the hart starts when it leaves reset now.
  uint32_t reset_pc(arch::Hart hart) const;
  void serialize(Archive& a) { a(soft_reset_, words_); }

 private:
  void enter(arch::Hart hart);
  void leave(arch::Hart hart, Cycle now);

  std::array<Hart, kHarts>& harts_;
  Coprocessor& coprocessor_;
  Mailboxes& mailboxes_;
  SyncWindow& sync_;
  TdmaRegisters& tdma_;
  WaitBoard& board_;
  uint32_t soft_reset_ = arch::kSoftResetAllHarts;
  std::array<uint32_t, 7> words_{};
};

}  // namespace kerr::emu
