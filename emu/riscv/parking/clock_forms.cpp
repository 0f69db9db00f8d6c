#include "emu/riscv/parking/clock_forms.hpp"

#include <bit>

namespace kerr::emu {

using isa::riscv::Op;

namespace {

// How long a value stays between 0 and 2^32 - 1.
Cycle stays_in_range(uint32_t value, int64_t slope) {
  if (slope > 0) return static_cast<Cycle>((0xFFFFFFFFll - value) / slope);
  return slope < 0 ? static_cast<Cycle>(value / -slope) : kNever;
}

int64_t number(ClockForms::Slope slope) { return static_cast<int32_t>(slope); }

}  // namespace

ClockForms::Slope ClockForms::result_of(const isa::riscv::Instruction& i, uint32_t a, uint32_t b) {
  const Slope loaded = std::exchange(loaded_, 0);
  const Slope sa = slopes_[i.rs1];
  const Slope sb = slopes_[i.rs2];
  if ((sa | sb) == 0) return loaded;
  const auto imm = static_cast<uint32_t>(i.imm);
  switch (i.op) {
    case Op::Addi: return sa;
    case Op::Add: return sa + sb;
    case Op::Sub: return sa - sb;
    case Op::Slli: return sa << (imm & 31);
    case Op::Sh1add: return (sa << 1) + sb;
    case Op::Sh2add: return (sa << 2) + sb;
    case Op::Sh3add: return (sa << 3) + sb;
    case Op::Or:
    case Op::Xor:
      if (sb == 0 && b == 0) return sa;
      if (sa == 0 && a == 0) return sb;
      break;
    case Op::Xori:
      if (i.imm == -1) return 0 - sa;
      break;

    case Op::Srli:
    case Op::Srai: return keep_above(imm & 31, a, sa);
    case Op::Srl:
    case Op::Sra:
      if (sb == 0) return keep_above(b & 31, a, sa);
      break;
    case Op::Andi: return mask(a, sa, imm);
    case Op::And:
      if (sb == 0) return mask(a, sa, b);
      if (sa == 0) return mask(b, sb, a);
      break;

    case Op::Slti: return keep_less_signed(a, sa, imm, 0);
    case Op::Sltiu: return keep_less(a, sa, imm, 0);
    case Op::Slt:
    case Op::Blt:
    case Op::Bge: return keep_less_signed(a, sa, b, sb);
    case Op::Sltu:
    case Op::Bltu:
    case Op::Bgeu: return keep_less(a, sa, b, sb);
    case Op::Beq:
    case Op::Bne: return keep_equal(a, sa, b, sb);
    case Op::Maxu: return keep_less(b, sb, a, sa), a > b ? sa : sb;
    case Op::Minu: return keep_less(a, sa, b, sb), a < b ? sa : sb;
    default: break;
  }
  lose();
  return 0;
}

// The bits of `value` from `bits` upwards.
ClockForms::Slope ClockForms::keep_above(unsigned bits, uint32_t value, Slope slope) {
  const int64_t most = (int64_t{1} << bits) - 1;
  const int64_t low = value & most;
  const int64_t s = number(slope);
  if (s != 0) limit(static_cast<Cycle>(s > 0 ? (most - low) / s : low / -s));
  return 0;
}

ClockForms::Slope ClockForms::mask(uint32_t value, Slope slope, uint32_t mask) {
  return mask == 0 ? 0 : keep_above(static_cast<unsigned>(std::countr_zero(mask)), value, slope);
}

// Whether a < b.
ClockForms::Slope ClockForms::keep_less(uint32_t a, Slope sa, uint32_t b, Slope sb) {
  limit(stays_in_range(a, number(sa)));
  limit(stays_in_range(b, number(sb)));
  const int64_t apart = int64_t{b} - int64_t{a};
  const int64_t closing = number(sa) - number(sb);
  if (apart > 0 && closing > 0) limit(static_cast<Cycle>((apart - 1) / closing));
  if (apart <= 0 && closing < 0) limit(static_cast<Cycle>(-apart / -closing));
  return 0;
}

ClockForms::Slope ClockForms::keep_less_signed(uint32_t a, Slope sa, uint32_t b, Slope sb) {
  return keep_less(a ^ 0x80000000u, sa, b ^ 0x80000000u, sb);
}

// Whether a == b.
ClockForms::Slope ClockForms::keep_equal(uint32_t a, Slope sa, uint32_t b, Slope sb) {
  if (sa == sb) return 0;
  const uint32_t apart = a - b;
  if (apart == 0) {
    limit(0);
  } else {
    const int64_t s = number(sa - sb);
    limit(s > 0 ? stays_in_range(apart, s) : static_cast<Cycle>((apart - 1) / -s));
  }
  return 0;
}

}  // namespace kerr::emu
