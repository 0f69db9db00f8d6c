// Which registers follow the clock through a turn of a loop.   docs/architecture.md "Nothing spins"
#pragma once

#include <algorithm>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// A register follows the clock if it would be greater by d (modulo 2^32) had the turn begun d cycles later: it holds
/// the clock's low word, plus or minus what does not change. holds() is the greatest d up to which all else would have
/// been the same: every branch, every address, every other value. A smaller holds() costs time, never truth.
class ClockFollowers {
 public:
  /// No register follows it.
  void clear() {
    followers_ = 0;
    begin_turn();
  }
  void begin_turn() {
    holds_ = kNever;
    loads_ = false;
  }
  /// One bit each.
  uint32_t all() const { return followers_; }
  bool follows(unsigned reg) const { return followers_ >> reg & 1; }
  Cycle holds() const { return holds_; }
  bool tells_time() const { return holds_ != kNever; }

  /// The next load or CSR read gives the clock's low word, or a word that follows it.
  void load() {
    loads_ = true;
    limit(kNever - 1);
  }
  /// It gives the high word.
  void load_high(Cycle now) { limit(0xFFFFFFFFu - (now & 0xFFFFFFFFu)); }
  /// Something depends on the time in a way that is not followed.
  void lose() { holds_ = 0; }

  /// An instruction whose effect is on registers only, or a load that was announced. a = x[rs1], b = x[rs2], before it.
  void follow(const isa::riscv::Instruction& i, uint32_t a, uint32_t b) {
    if (followers_ == 0 && !loads_) return;
    const bool result = result_follows(i, a, b);
    if (i.rd != 0) followers_ = (followers_ & ~(1u << i.rd)) | uint32_t{result} << i.rd;
  }

  void serialize(Archive& a) { a(followers_, holds_, loads_); }

 private:
  bool result_follows(const isa::riscv::Instruction& i, uint32_t a, uint32_t b);
  void keep_less(uint32_t a, bool a_follows, uint32_t b, bool b_follows);
  void limit(Cycle most) { holds_ = std::min(holds_, most); }

  Cycle holds_ = kNever;
  uint32_t followers_ = 0;
  bool loads_ = false;
};

}  // namespace kerr::emu
