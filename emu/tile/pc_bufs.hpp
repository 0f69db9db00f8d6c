// Three FIFOs from BRISC to the TRISCs, and BRISC's way to wait until a TRISC and its thread have nothing left to do.
// docs/hardware/tile.md 4.2
#pragma once

#include <array>
#include <cstdint>

#include "arch/sync.hpp"
#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/fifo.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

class PcBufs {
 public:
  PcBufs(Coprocessor& coprocessor, WaitBoard& board) : coprocessor_(coprocessor), board_(board) {}

  Access push(int thread, uint32_t value, BusReply& reply);  // BRISC's store
  Access pop(int thread, BusReply& reply);                   // TRISCi's load
  Access drained(int thread, BusReply& reply);               // BRISC's load: pops nothing, returns 0

  /// TRISC_PC_BUF_OVERRIDE (FFB12090).
  uint32_t overrides() const { return overrides_; }
  void set_overrides(uint32_t value);
  /// OverrideEn and OverrideBusy: loads of TTSync and of BRISC's side no longer wait.
  bool released(int thread) const { return (overrides_ >> (10 * thread) & 3) == 3; }

  /// TRISCi left soft reset: its FIFO is emptied. Entering: it is in no load any more.
  void trisc_left_reset(int thread);
  void trisc_entered_reset(int thread);
  void serialize(Archive& a) { a(channels_, overrides_); }

 private:
  struct Channel {
    Fifo<arch::kPcBufDepth> fifo;
    bool trisc_in_load = false;
    void serialize(Archive& a) { a(fifo, trisc_in_load); }
  };

  Coprocessor& coprocessor_;
  WaitBoard& board_;
  std::array<Channel, kThreads> channels_{};
  uint32_t overrides_ = 0;
};

}  // namespace kerr::emu
