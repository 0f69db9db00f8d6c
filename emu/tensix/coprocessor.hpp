// The Tensix coprocessor of one tile, as the tile sees it: three instruction FIFOs, the windows through which harts and
// the NoC touch its state, and three threads to run.   docs/hardware/tensix-datapath.md 2-5, tile.md 4
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/remark.hpp"
#include "emu/options.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/frontend/tracked_access.hpp"
#include "emu/timing/parameters.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

namespace tensix {
class Issue;
struct MoverJob;
}  // namespace tensix

/// What the coprocessor can reach of its tile besides L1: STOREREG, LOADREG and the indirect forms. Implemented by
/// emu/tile.
class CoprocessorBus {
 public:
  virtual Access load(uint32_t address, BusReply& reply) = 0;
  virtual Access store(uint32_t address, uint32_t value, BusReply& reply) = 0;

 protected:
  ~CoprocessorBus() = default;
};

class Coprocessor {
 public:
  /// Where a pushed word enters a thread's front end: TRISCs push before the MOP expander, BRISC behind it (tile.md
  /// 4.8).
  enum class Entry : uint8_t { BeforeMop, AfterMop };

  /// `options` must outlive it.
  Coprocessor(TileId tile, L1& l1, CoprocessorBus& bus, WaitBoard& board, FaultLog& faults,
              const Options& options = kUsualOptions);
  ~Coprocessor();
  Coprocessor(const Coprocessor&) = delete;
  Coprocessor& operator=(const Coprocessor&) = delete;

  // --- the threads, called by the tile's agent loop -------------------------------------------------------------------

  /// Lets `thread` issue from `cycle` on, one instruction a cycle, until `end`, until it has nothing to do, or until it
  /// cannot issue. Returns with thread_waits_for() set in the latter two cases (an empty thread waits for
  /// wait::fifo(thread)).
  void run(int thread, Cycle cycle, Cycle end);

  /// Exact timing: the same from `cycle` to `limit`, which what the thread does may lower; `cycle` is moved on before each
  /// instruction.
  void run_exact(int thread, Cycle& cycle, const Cycle& limit);

  /// Exact timing: when all that the thread has issued is done; else 0.
  Cycle finished(int thread) const;

  /// 0 while the thread can go on.
  WaitMask thread_waits_for(int thread) const;
  /// Does the thread wait for this line of L1 (wait::kL1)?
  bool waits_for_line(int thread, uint32_t line) const;
  /// Called when something the thread waits for is about to change: it will be run again.
  void wake(int thread);
  /// How often the thread was looked at and could not go on, since it was made: a thread that waits is looked at once,
  /// and again only when what it waits for has changed.
  uint64_t fruitless_looks(int thread) const;
  /// "STALLWAIT 0x... on SrcA valid" or "empty": for the deadlock report. Says which unit or condition blocks it.
  std::string describe(int thread) const;
  /// True if the thread holds an instruction that it cannot issue, or a latched wait (as opposed to having nothing).
  bool stuck(int thread) const;
  /// Instructions executed so far by the thread, and MVMULs by all: for reports.
  uint64_t instructions(int thread) const;
  uint64_t mvmuls() const;

  // --- the front door: harts ------------------------------------------------------------------------------------------

  /// False when the FIFO is full; the caller then waits for wait::fifo(thread). `now` is the pusher's cycle (0: right
  /// behind the word before), `fused` whether silicon pushes the word in one cycle with the word before.
  bool push(int thread, uint32_t word, Entry entry, Cycle now = 0, bool fused = false);
  /// The debug bus owns these threads' FIFOs behind the MOP expander (INSTRN_BUF_CTRL0 bits 2:0, tile.md 4.8): what harts
  /// push then is lost on silicon.
  void set_debug_owned(uint32_t threads);
  bool debug_owned(int thread) const;
  /// What `thread` has pushed and not executed, by class: tt_cfg_qstatus [10:0] (tile.md 1.4).
  uint32_t queued_classes(int thread) const;
  bool any_lane_enabled() const;
  /// INSTRN_BUF_STATUS: bit i, thread i's FIFO behind the MOP expander has room; bit 4 + i, nothing is in it.
  uint32_t fifo_status() const;

  bool idle(int thread) const;      // TTSync FFE80004: nothing of this thread in flight anywhere
  bool mop_idle(int thread) const;  // TTSync FFE80008

  void mop_config_write(int thread, unsigned word, uint32_t value);  // word 0..8, tile.md 4.9

  /// Automatic TTSync: `thread`'s TRISC must wait with this access, for wait::in_flight(thread), until instructions that
  /// it pushed before have executed. False while its configuration does not switch tracking on.
  bool must_wait(int thread, const tensix::TrackedAccess& access) const;

  uint32_t gpr_read(int thread, unsigned index) const;  // index 0..63
  void gpr_write(int thread, unsigned index, uint32_t value);

  /// Byte offset into the window at FFEF0000 (tile.md 4.6), a multiple of 4. Reports and returns Fault for what does
  /// not exist. `who` accesses it at its cycle `now`.
  Access config_read(uint32_t offset, uint32_t& value, Agent who, Cycle now);
  Access config_write(uint32_t offset, uint32_t value, Agent who, Cycle now);

  unsigned semaphore_read(unsigned index) const;         // 0..7
  void semaphore_write(unsigned index, uint32_t value);  // bit 0: 1 = get, 0 = post; saturates at 15 (tile.md 4.4)
  unsigned semaphore_max(unsigned index) const;

  /// Byte offset into the window at FFBD8000 (tile.md 4.7); `thread` is the one that the accessing TRISC drives.
  Access dst_window_read(int thread, uint32_t offset, unsigned bytes, uint32_t& value, Cycle now);
  Access dst_window_write(int thread, uint32_t offset, unsigned bytes, uint32_t value, Cycle now);

  /// A copy or zero fill by the mover, for TDMA-RISC: done at once, or the fault that it is.
  tensix::Issue move(const tensix::MoverJob& job);

  /// DBG_RD_DATA for the signal that DBG_BUS_CTRL = `control` selects (tile.md 3.4); false if nothing is known of it.
  bool debug_bus_read(uint32_t control, uint32_t& value) const;

  // --- reset (tile.md 3.1) --------------------------------------------------------------------------------------------

  void soft_reset_changed(uint32_t before, uint32_t after);
  /// DBG_FEATURE_DISABLE (FFB12068) was written: bit 11 lets 16-bit accesses of Dst use the high half of the 32-bit
  /// view.
  void debug_features_changed(uint32_t value);

  RemarkLog& remarks();

  /// Architectural state only, for tests and inspection.
  uint64_t state_hash() const;
  void serialize(Archive& archive);

  /// What it is made of (emu/tensix/parts.hpp): for tests that look inside.
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace kerr::emu
