// The windows through which harts reach their coprocessor thread: pushes, TTSync, semaphores, GPRs, MOP configuration.
// docs/hardware/tile.md 4.3 to 4.9
#pragma once

#include <cstdint>

#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/pc_bufs.hpp"

namespace kerr::emu {

/// Stateless: what is behind the windows belongs to the coprocessor. Offsets are multiples of 4 from a window's start.
class CoprocessorWindows {
 public:
  CoprocessorWindows(Coprocessor& coprocessor, PcBufs& pc_bufs, Reporter& reporter)
      : coprocessor_(coprocessor), pc_bufs_(pc_bufs), reporter_(reporter) {}

  /// BRISC pushes to any thread behind the MOP expander, a TRISC to its own thread before it. Waits while the FIFO is
  /// full.
  Access push(arch::Hart hart, int thread, uint32_t word, Cycle now, bool fused, BusReply& reply);

  /// FFE80000 .. FFE8FFFF of a TRISC: PCBuf, TTSync, semaphores.
  Access load_sync(int thread, uint32_t offset, BusReply& reply);
  Access store_sync(int thread, uint32_t offset, uint32_t value);

  Access load_gpr(arch::Hart hart, uint32_t offset, uint32_t& value);
  Access store_gpr(arch::Hart hart, uint32_t offset, uint32_t value);

  Access store_mop_config(int thread, uint32_t offset, uint32_t value);

 private:
  struct GprPlace {
    int thread;
    unsigned index;
  };
  static GprPlace gpr_at(arch::Hart hart, uint32_t offset);
  Access no_such_gpr(uint32_t offset);
  Access no_such_semaphore(uint32_t offset);

  Coprocessor& coprocessor_;
  PcBufs& pc_bufs_;
  Reporter& reporter_;
};

}  // namespace kerr::emu
