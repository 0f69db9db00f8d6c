// A baby RISC-V: decode, execute, park.   docs/hardware/tile.md 1
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/memory/l1_size.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/riscv/bus.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/instruction_cache.hpp"
#include "emu/riscv/interrupts.hpp"
#include "emu/riscv/parking/poll_watch.hpp"
#include "emu/timing/hart_timer.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// One hart of a Tensix or Ethernet tile. Private state only (registers, local memory, CSRs); everything else through L1 and HartBus.
///
/// Parking: a hart that polls (poll_watch.hpp) stops executing. catch_up() brings it to where spinning would have left it, so
/// parking changes no state and no cycle; wake() also sets it free.
class Hart {
 public:
  enum class State : uint8_t {
    InReset,
    Running,
    Blocked,  // on a load, store or push that has to wait: waits_for()
    Parked,   // in a polling loop that nothing has changed yet: waits_for(), watches(), alarm()
    Halted,   // by a fault
    Paused,   // at an ecall or ebreak, until a reset: nobody else stands still
  };

  Hart(TileId tile, arch::Hart index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults);

  void allow_parking(bool allow) { parking_ = allow; }
  /// Runs the plain loop only, without parking, and decodes every word anew: the reference scheduler.
  void set_reference(bool reference) { reference_ = reference; }
  /// Exact timing: run_exact() instead of run().
  void set_exact(bool exact) { exact_ = exact; }
  /// What its instructions cost then. Before the first run; must outlive the hart.
  void set_costs(const timing::Parameters& costs) { timer_.set_costs(costs); }
  /// Before the first run.
  void set_caching(InstructionCaching caching) { caching_ = caching; }
  /// Before the first run. May be null.
  void set_observer(Observer* observer) { observer_ = observer; }

  // --- reset (tile.md 3.1, 3.2) ---
  void hold_reset();
  void release_reset(uint32_t pc, Cycle now, bool keep_local_memory);

  /// What this hart has fetched is forgotten; of interest unless caching is Coherent. Must not be parked.
  void invalidate_code() { icache_.clear(); }

  // --- interrupts (tile.md 1.10) ---
  /// Out of reset, not waiting for a load or store, and in no handler.
  bool interruptible() const { return (state_ == State::Running || state_ == State::Parked) && !in_handler_; }
  /// A Running hart continues at `handler` until it executes mret.
  void interrupt(uint32_t handler);
  /// Exact timing, which asks it between instructions. Before the first run.
  void set_interrupts(Interrupts* interrupts) { interrupts_ = interrupts; }

  // --- the agent loop ---
  State state() const { return state_; }
  bool runnable() const { return state_ == State::Running; }
  Cycle cycle() const { return cycle_; }
  /// Executes until cycle() == end or the hart is no longer Running. Starts at max(cycle(), start); a Parked hart whose alarm()
  /// comes before `end` starts there.
  void run(Cycle start, Cycle end);
  /// Exact timing: as run(), but returns before an interaction at a cycle that is not below `limit`, which an interaction
  /// may lower.
  void run_exact(Cycle start, Cycle end, const Cycle& limit);
  /// A Blocked or Parked hart becomes Running at `resume`, where it is what retrying or spinning would have made it. Not later than
  /// at alarm().
  void wake(Cycle resume);
  /// A Parked hart stays so, but is what spinning until `now` would have made it: before anybody looks. Nothing for others.
  void catch_up(Cycle now);
  /// When a Parked hart has to run again, because its clock may let it out of its loop; kNever for all others.
  Cycle alarm() const { return state_ == State::Parked ? watch_.alarm() : kNever; }
  WaitMask waits_for() const { return waits_for_; }
  /// A Running hart that may be polling: what it has read in this turn of its loop. Whoever is about to change such a
  /// thing calls disturb(), or the hart would park on a value that is no longer there.
  WaitMask polls() const { return watch_.noting() ? watch_.waits_for() : 0; }
  void disturb() { watch_.disturb(); }
  /// The bytes of a line of L1 that a Parked hart, or one that may be polling, depends on.
  L1::LineBytes reads(uint32_t line) const {
    return state_ == State::Parked || watch_.noting() ? watch_.reads(line) : 0;
  }

  // --- inspection ---
  arch::Hart index() const { return index_; }
  uint32_t pc() const { return pc_; }
  uint32_t x(unsigned i) const { return x_[i]; }
  /// A float register, as its FP32 pattern.
  uint32_t f(unsigned i) const { return f_[i]; }
  /// Retired instructions, those skipped while parked included (up to wake() or catch_up()).
  uint64_t instructions() const { return instructions_; }
  uint32_t local_bytes() const { return local_bytes_; }
  uint8_t* local_memory();
  std::string describe() const;
  /// The words of L1 that a Parked hart depends on.
  std::vector<uint32_t> polled_words() const;
  uint64_t state_hash() const;
  void serialize(Archive& archive);  // serialize.cpp

 private:
  /// The plain loop, execute.cpp, is the definition; it also runs what the fast loop leaves to it, instruction by instruction.
  enum class Loop { Plain, Watching, Reference };
  template <Loop kLoop, bool kObserved>
  void execute(Cycle end);
  /// Relaxed timing: which of the loops, observed or not.
  template <bool kObserved>
  void run_relaxed(Cycle end);
  template <bool kObserved>
  void run_freely(Cycle end);
  /// The fast loop, fast_loop.cpp. Does what the plain loop does, in a Tensix tile.
  void execute_fast(Cycle end);
  bool access(const MicroOp& m);
  static const FastHandlers* fast_loop(Hart* hart, Cycle end);
  friend const FastHandlers& fast_handlers();

  /// The loop of exact timing, exact_loop.cpp.
  enum class Exact { Running, Watching, Reference };
  template <Exact kMode, bool kObserved>
  bool exact_loop(Cycle end);
  template <bool kObserved>
  void run_ahead(Cycle end);
  void catch_up_exact(Cycle now);
  void listen();
  bool interacts(const isa::riscv::Instruction& i, uint32_t a) const;

  void park();
  void note(const isa::riscv::Instruction& i, uint32_t a, uint32_t b);
  void note_load(uint32_t address, unsigned bytes);
  void note_csr(const isa::riscv::Instruction& i);
  void note_code_line(uint32_t line);
  void stop_watching() { watch_.give_up(cycle_); }

  // What the observed loops tell, at cycle_.
  Actor actor() const { return {tile_, agent_of(index_), cycle_}; }
  bool is_private(uint32_t address) const { return address - arch::kLdmBase < local_bytes_; }
  void tell_load(uint32_t address, uint32_t bytes) {
    if (!is_private(address)) observer_->accessed(actor(), AccessKind::Load, address, bytes);
  }
  /// Tells the observer of a store to a register. For stores to L1 the line's attribute byte does so.
  void tell_store(uint32_t address, uint32_t bytes) {
    if (address >= l1_bytes_ && !is_private(address)) observer_->accessed(actor(), AccessKind::Store, address, bytes);
  }

  // The access of one instruction. False: it is not done, and the hart leaves its loop.
  bool load(uint32_t address, unsigned bytes, uint32_t& value);
  bool store(uint32_t address, unsigned bytes, uint32_t value);
  bool push(uint32_t tensix_word);
  // TRISCs execute neighbouring pushes of one fetch in one cycle.   docs/hardware/tile.md 1.3
  static constexpr uint32_t kFetchBytes = 16;
  static constexpr uint32_t kDisableFusion = 1u << 18;  // cfg0.DisTriscCache
  bool fuses_pushes() const { return thread_of(index_) >= 0 && (csrs_[0] & kDisableFusion) == 0; }
  bool settle(Access access, const BusReply& reply);
  bool atomic_word(uint32_t address) const { return address % 4 == 0 && in_l1(tile_, address, 4); }
  bool amo(const isa::riscv::Instruction& i, uint32_t& value);
  bool floating(const isa::riscv::Instruction& i);
  bool csr(const isa::riscv::Instruction& i, uint32_t& value);
  bool csr_read(unsigned number, uint32_t& value);
  int csr_storage(unsigned number) const;
  bool leave_handler(uint32_t& next);
  bool csr_write(unsigned number, uint32_t value);
  bool can_fetch(uint32_t pc);
  bool caches() const { return caching_ != InstructionCaching::Coherent; }
  bool fetch_cached(uint32_t pc, isa::riscv::Instruction& instruction);
  void stop(FaultCategory category, uint64_t address, std::string what, std::string advice);
  void refuse(const isa::riscv::Instruction& i);
  uint32_t word_at_pc() const;

  const TileId tile_;
  const arch::Hart index_;
  const uint32_t local_bytes_;
  const uint32_t l1_bytes_;
  L1& l1_;
  CodeCache& code_;
  HartBus& bus_;
  FaultLog& faults_;

  State state_ = State::InReset;
  bool parking_ = true;
  bool reference_ = false;
  bool exact_ = false;
  InstructionCaching caching_ = InstructionCaching::Coherent;
  Observer* observer_ = nullptr;
  Interrupts* interrupts_ = nullptr;
  bool listens_ = false;          // exact timing: it may be interrupted, so nothing is executed before it is due
  const Cycle* limit_ = nullptr;  // of run_exact()
  timing::HartTimer timer_{timing::kBlackhole};
  Cycle late_ = 0;  // BusReply::late of the last load
  uint32_t pc_ = 0;
  std::array<uint32_t, 32> x_{};
  std::array<uint32_t, 32> f_{};
  Cycle cycle_ = 0;
  uint64_t instructions_ = 0;
  std::array<uint32_t, 24> csrs_{};  // those that are storage: csr.cpp
  bool floats_done_ = false;  // since fcsr was written
  bool in_handler_ = false;   // of an interrupt
  bool retries_ = false;      // woken from Blocked: what it waited for comes before any interrupt
  uint32_t return_pc_ = 0;  // where mret goes
  WaitMask waits_for_ = 0;
  PollWatch watch_;
  std::span<uint8_t> local_;  // of L1::local_memory(); empty until somebody uses it
  InstructionCache icache_;  // of caching_
};

}  // namespace kerr::emu
