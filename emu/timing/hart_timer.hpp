// When a hart's instructions start.   docs/hardware/timing.md 2, 13.2
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/parameters.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu::timing {

/// What a load or store reaches; decides what a load costs.
enum class Region : uint8_t { None, Local, L1, Register, Coprocessor, Sync, Window };

/// A single-issue, in-order pipeline: an instruction starts when its operands are there, one of the eight entries of
/// the retire queue is free and nothing in front of it serialises. Private state of one hart, beside its architectural
/// state.
///
///   const Cycle start = timer.start_of(instruction);   // as often as wanted: changes nothing
///   ... it happens at `start` ...
///   timer.started(instruction, start, {region, address, taken});
class HartTimer {
 public:
  explicit HartTimer(const Parameters& parameters) : p_(&parameters) {}

  struct Effect {
    Region region = Region::None;  // of a load, store or atomic
    uint32_t address = 0;
    uint32_t dividend = 0, divisor = 0;  // of a division
    bool taken = false;                  // of a branch
    bool fused = false;                  // of a push: with the one behind it, in the same cycle
    Cycle late = 0;                      // of a load: when the value is there, if that is later than usual
    uint32_t pc = 0;
  };

  /// The earliest cycle at which `instruction` can start, given all that have started before.
  Cycle start_of(const isa::riscv::Instruction& instruction) const;
  void started(const isa::riscv::Instruction& instruction, Cycle start, const Effect& effect);

  /// The earliest start of the instruction that follows, whatever it is.
  Cycle next() const { return next_; }

  /// Out of reset, or waited for something until `now`: nothing is in flight any more.
  void restart(Cycle now) { next_ = std::max(next_, now); }

  void serialize(Archive& a);

  /// As if everything had happened `cycles` later.
  void shift(Cycle cycles);
  /// The same instructions will take the same times from `now` on as they did from `then`, when this timer was
  /// `earlier`.
  bool repeats(Cycle now, const HartTimer& earlier, Cycle then) const;

 private:
  static constexpr unsigned kRegisters = 64, kEntries = 8, kLoads = 4, kStores = 4, kBranches = 64;

  Cycle load_latency(Region region) const;
  Cycle division(uint32_t dividend, uint32_t divisor) const;
  Cycle behind_stores(Cycle start, const Effect& effect) const;
  Cycle queue_store(Cycle start, const Effect& effect);
  Cycle settled(Cycle start) const;
  bool mispredicted(const Effect& effect, int32_t offset);

  struct QueuedStore {
    uint32_t granule = ~0u;  // address / 16
    Cycle drained = 0;
    void serialize(Archive& a) { a(granule, drained); }
  };

  const Parameters* p_;
  Cycle next_ = 0;                         // after the one before, and what it blocks
  std::array<Cycle, kRegisters> ready_{};  // of x0..x31, f0..f31
  std::array<Cycle, kEntries> retired_{};  // of the last eight, round robin
  std::array<Cycle, kLoads> loads_{};      // when each of the last four is done
  std::array<QueuedStore, kStores> stores_{};
  uint8_t entry_ = 0, load_ = 0, store_ = 0;
  Cycle last_retired_ = 0;
  std::array<uint32_t, kBranches> branches_{};  // pc | 1 if it was taken last time; 0: never seen
};

}  // namespace kerr::emu::timing
