// The window FFE80000: three FIFOs from BRISC to the TRISCs (PCBufs). A TRISC also finds TTSync and semaphores there.
// docs/hardware/tile.md 4.2 to 4.4
#pragma once

#include <array>
#include <cstdint>

#include "arch/sync.hpp"
#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/fifo.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct Coprocessor;

class SyncWindow {
 public:
  SyncWindow(Coprocessor& coprocessor, WaitBoard& board, Reporter& reporter)
      : coprocessor_(coprocessor), board_(board), reporter_(reporter) {}

  /// A TRISC's side. `offset`: a multiple of 4 from the window's start.
  Access load(int thread, uint32_t offset, BusReply& reply);
  Access store(uint32_t offset, uint32_t value);

  /// BRISC's side: a store pushes, a load waits until the TRISC and its thread have nothing left to do, and returns 0.
  Access push(int thread, uint32_t value, BusReply& reply);
  Access drained(int thread, BusReply& reply);

  /// TRISC_PC_BUF_OVERRIDE (FFB12090).
  uint32_t overrides() const { return overrides_; }
  void set_overrides(uint32_t value);

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

  Access pop(int thread, BusReply& reply);
  /// OverrideEn and OverrideBusy: loads of TTSync and of BRISC's side no longer wait.
  bool released(int thread) const { return (overrides_ >> (10 * thread) & 3) == 3; }
  Access nothing_at(uint32_t offset);

  Coprocessor& coprocessor_;
  WaitBoard& board_;
  Reporter& reporter_;
  std::array<Channel, kThreads> channels_{};
  uint32_t overrides_ = 0;
};

}  // namespace kerr::emu
