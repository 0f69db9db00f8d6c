// How the values in one turn of a loop depend on the cycle at which the turn starts.   docs/architecture.md "Nothing spins"
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// Follows what a hart derives from its clock. A value of slope s would be greater by s * d (modulo 2^32) had the turn
/// begun d cycles later. holds() is the greatest d up to which all else would have been the same: every branch, every
/// address, every value of slope 0. Computed downwards: a smaller holds() costs time, never truth.
class ClockForms {
 public:
  using Slope = uint32_t;  // modulo 2^32, so -1 is 0xFFFFFFFF
  using Slopes = std::array<Slope, 32>;

  /// All registers hold constants.
  void clear() {
    slopes_ = {};
    begin_turn();
  }
  void begin_turn() {
    holds_ = kNever;
    loaded_ = 0;
  }
  const Slopes& slopes() const { return slopes_; }
  Slope slope(unsigned reg) const { return slopes_[reg]; }
  Cycle holds() const { return holds_; }
  bool tells_time() const { return holds_ != kNever; }

  /// What the next load or CSR read gives: a word of this slope, the low or the high half of the clock.
  void load(Slope slope) { loaded_ = slope; }
  void load_clock_low() {
    loaded_ = 1;
    limit(kNever - 1);
  }
  void load_clock_high(Cycle now) { limit(0xFFFFFFFFu - (now & 0xFFFFFFFFu)); }
  /// Something depends on the time in a way that is not followed.
  void lose() { holds_ = 0; }

  /// An instruction whose effect is on registers only, or a load that was announced. a = x[rs1], b = x[rs2], before it.
  void follow(const isa::riscv::Instruction& i, uint32_t a, uint32_t b) {
    const Slope result = result_of(i, a, b);
    if (i.rd != 0) slopes_[i.rd] = result;
  }

  void serialize(Archive& a) { a(slopes_, holds_, loaded_); }

 private:
  Slope result_of(const isa::riscv::Instruction& i, uint32_t a, uint32_t b);
  void limit(Cycle most) { holds_ = std::min(holds_, most); }
  Slope keep_above(unsigned bits, uint32_t value, Slope slope);
  Slope mask(uint32_t value, Slope slope, uint32_t mask);
  Slope keep_less(uint32_t a, Slope sa, uint32_t b, Slope sb);
  Slope keep_less_signed(uint32_t a, Slope sa, uint32_t b, Slope sb);
  Slope keep_equal(uint32_t a, Slope sa, uint32_t b, Slope sb);

  Slopes slopes_{};
  Cycle holds_ = kNever;
  Slope loaded_ = 0;
};

}  // namespace kerr::emu
