#include "emu/riscv/parking/clock_followers.hpp"

#include <utility>

namespace kerr::emu {

bool ClockFollowers::result_follows(const isa::riscv::Instruction& i, uint32_t a, uint32_t b) {
  using isa::riscv::Op;
  constexpr uint32_t kSign = 0x80000000;
  const bool loaded = std::exchange(loads_, false);
  const bool fa = follows(i.rs1), fb = follows(i.rs2);
  if (!fa && !fb) return loaded;
  const auto imm = static_cast<uint32_t>(i.imm);
  switch (i.op) {
    case Op::Addi: return true;
    case Op::Add:
      if (fa != fb) return true;
      break;
    case Op::Sub:
      if (fa) return !fb;
      break;
    case Op::Or:  // with 0: half of a word of 64 bits, in code that is compiled without optimisation
      if (fa ? !fb && b == 0 : a == 0) return true;
      break;
    case Op::Slti: return keep_less(a ^ kSign, fa, imm ^ kSign, false), false;
    case Op::Sltiu: return keep_less(a, fa, imm, false), false;
    case Op::Slt:
    case Op::Blt:
    case Op::Bge: return keep_less(a ^ kSign, fa, b ^ kSign, fb), false;
    case Op::Sltu:
    case Op::Bltu:
    case Op::Bgeu: return keep_less(a, fa, b, fb), false;
    default: break;
  }
  lose();
  return false;
}

// Whether a < b, without sign. A follower that becomes 0 again is no longer greater.
void ClockFollowers::keep_less(uint32_t a, bool a_follows, uint32_t b, bool b_follows) {
  if (a_follows) limit(0xFFFFFFFF - a);
  if (b_follows) limit(0xFFFFFFFF - b);
  if (a_follows && !b_follows && a < b) limit(b - a - 1);
  if (b_follows && !a_follows && a >= b) limit(a - b);
}

}  // namespace kerr::emu
