// The wait gate: the one latched wait of a thread and what it holds back.   docs/hardware/tensix-datapath.md 5
#pragma once

#include <cstdint>
#include <string>

#include "emu/tensix/bus.hpp"
#include "emu/tensix/state/config.hpp"
#include "emu/tensix/state/src_register.hpp"
#include "emu/tensix/state/sync.hpp"
#include "emu/wait.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Sfpu;

/// A wait instruction executes by being latched. While latched it holds back instructions of the classes in its block
/// mask, and every further wait instruction. It is forgotten at the moment at which all its conditions hold together;
/// one whose conditions hold when it executes is never latched.
class WaitGate {
 public:
  /// `bus`: how STREAMWAIT reads the registers of overlay streams.
  WaitGate(int thread, const Config& config, const Semaphores& semaphores, const SrcRegister& src_a,
           const SrcRegister& src_b, const Sfpu& sfpu, CoprocessorBus& bus)
      : thread_(thread),
        config_(config),
        semaphores_(semaphores),
        src_a_(src_a),
        src_b_(src_b),
        sfpu_(sfpu),
        bus_(bus) {}

  bool latched() const { return kind_ != Kind::None; }
  /// Precondition: not latched().
  void latch(const isa::tensix::STALLWAIT& i);
  void latch(const isa::tensix::SEMWAIT& i);
  void latch(const isa::tensix::STREAMWAIT& i);

  /// Looks at the conditions: true, and forgets the wait, if they all hold. True if none is latched.
  bool released() {
    if (latched() && satisfied()) kind_ = Kind::None;
    return !latched();
  }
  bool satisfied() const;

  /// Bits B0..B8 of the latched wait.
  unsigned block_mask() const { return block_mask_; }
  /// What has to change before the latched wait can end: that of its conditions which hold it now. Precondition:
  /// !satisfied().
  WaitMask waits_for() const;
  /// "STALLWAIT on SrcA valid": the conditions that do not hold.
  std::string describe() const;
  void serialize(Archive& a) {
    a.below(4, kind_);
    a(block_mask_, conditions_, selected_, target_);
  }

 private:
  enum class Kind : uint8_t { None, Stall, Semaphores, Stream };

  static unsigned block_mask_or_default(unsigned operand) { return operand != 0 ? operand : kDefaultBlockMask; }
  static constexpr unsigned kDefaultBlockMask = isa::tensix::gate::B6;

  // Which conditions hold the thread back.
  bool source_a_holds() const;
  bool source_b_holds() const;
  bool semaphore_holds(unsigned index) const;
  unsigned stream() const;
  uint32_t stream_value() const;

  int thread_;
  const Config& config_;
  const Semaphores& semaphores_;
  const SrcRegister& src_a_;
  const SrcRegister& src_b_;
  const Sfpu& sfpu_;
  CoprocessorBus& bus_;
  Kind kind_ = Kind::None;
  uint16_t block_mask_ = 0;
  uint16_t conditions_ = 0;  // STALLWAIT C0..C12, or the two condition bits of SEMWAIT
  uint8_t selected_ = 0;     // semaphores, or the STREAM_ID_SYNC section that names the stream
  uint32_t target_ = 0;      // STREAMWAIT: waits while the register is smaller
};

}  // namespace kerr::emu::tensix
