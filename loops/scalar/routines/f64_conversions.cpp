// Conversions from float64 and to it.
#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;

namespace {

constexpr Pair kA{a0, a1};

// The highest 32 bits of a significand, of which the first is set.
void upper_significand(Assembler& a, isa::Reg result, isa::Reg scratch) {
  a.slli(result, a1, 11);
  a.srli(scratch, a0, 21);
  a.or_(result, result, scratch);
  a.lui(scratch, 0x80000);
  a.or_(result, result, scratch);
}

// t0 = the exponent without bias, t1 = FFE00000, t2 = twice the magnitude, and one for all in the low word: above t1,
// NaN.
void unpack(Assembler& a) {
  a.slli(t2, a1, 1);
  a.srli(t0, t2, 21);
  a.addi(t0, t0, -1023);
  a.snez(t1, a0);
  a.or_(t2, t2, t1);
  a.lui(t1, 0xFFE00);
}

// Towards zero, clamped, NaN as the largest.
void to_integer(Assembler& a, bool is_signed, bool is_wide) {
  const Label zero = a.label(), beyond = a.label(), number = a.label(), far = a.label(), shifted = a.label();
  unpack(a);
  a.srai(t3, a1, 31);
  a.bltz(t0, zero);
  a.li(t4, (is_wide ? 64 : 32) - (is_signed ? 1 : 0));
  a.bge(t0, t4, beyond);
  if (!is_signed) a.bnez(t3, zero);
  upper_significand(a, a1, t4);
  a.not_(t0, t0);  // the shift, modulo 32
  if (is_wide) {
    a.slli(a0, a0, 11);
    a.li(t4, -32);
    a.bge(t0, t4, far);
    a.slli(t5, a1, 1);
    a.not_(t4, t0);
    a.sll(t5, t5, t4);
    a.srl(a0, a0, t0);
    a.or_(a0, a0, t5);
    a.srl(a1, a1, t0);
    a.j(shifted);
    a.bind(far);
    a.srl(a0, a1, t0);
    a.li(a1, 0);
    a.bind(shifted);
    if (is_signed) negate_if(a, kA, t3, t4);
  } else {
    a.srl(a0, a1, t0);
    if (is_signed) {
      a.xor_(a0, a0, t3);
      a.sub(a0, a0, t3);
    }
  }
  a.ret();
  a.bind(zero);
  a.li(a0, 0);
  if (is_wide) a.li(a1, 0);
  a.ret();
  a.bind(beyond);
  a.bgeu(t1, t2, number);
  a.li(t3, 0);
  a.bind(number);
  a.not_(a0, t3);
  if (is_wide && is_signed) {
    a.lui(a1, 0x80000);
    a.add(a1, a1, a0);
  } else if (is_wide) {
    a.mv(a1, a0);
  } else if (is_signed) {
    a.lui(t0, 0x80000);
    a.add(a0, a0, t0);
  }
  a.ret();
}

// a0, not negative, with t6 as sign bit: exact. Returns.
void from_32_bits(Assembler& a) {
  const Label zero = a.label();
  a.beqz(a0, zero);
  a.clz(t0, a0);
  a.sll(t1, a0, t0);
  a.li(t2, 1053);  // 1022 + 31
  a.sub(t2, t2, t0);
  a.slli(t2, t2, 20);
  a.slli(a0, t1, 21);
  a.srli(t1, t1, 11);
  a.add(a1, t1, t2);
  a.or_(a1, a1, t6);
  a.ret();
  a.bind(zero);
  a.li(a1, 0);
  a.ret();
}

// a1:a0 without sign, with t6 as sign bit. Returns.
void from_64_bits(Assembler& a, Routines& routines) {
  const Label zero = a.label();
  a.or_(t0, a0, a1);
  a.beqz(t0, zero);
  normalize(a, kA, t1, t2, t3);
  a.li(t0, 1086);  // 1023 + 63
  a.sub(t0, t0, t1);
  a.j(routines.of(Routine::RoundF64));
  a.bind(zero);
  a.ret();
}

}  // namespace

template <>
void body<Routine::F64ToI32>(Assembler& a, Routines&) {
  to_integer(a, true, false);
}
template <>
void body<Routine::F64ToU32>(Assembler& a, Routines&) {
  to_integer(a, false, false);
}
template <>
void body<Routine::F64ToI64>(Assembler& a, Routines&) {
  to_integer(a, true, true);
}
template <>
void body<Routine::F64ToU64>(Assembler& a, Routines&) {
  to_integer(a, false, true);
}

template <>
void body<Routine::I32ToF64>(Assembler& a, Routines&) {
  a.srai(t6, a0, 31);
  a.xor_(a0, a0, t6);
  a.sub(a0, a0, t6);
  a.slli(t6, t6, 31);
  from_32_bits(a);
}
template <>
void body<Routine::U32ToF64>(Assembler& a, Routines&) {
  a.li(t6, 0);
  from_32_bits(a);
}
template <>
void body<Routine::I64ToF64>(Assembler& a, Routines& routines) {
  a.srai(t6, a1, 31);
  negate_if(a, kA, t6, t0);
  a.slli(t6, t6, 31);
  from_64_bits(a, routines);
}
template <>
void body<Routine::U64ToF64>(Assembler& a, Routines& routines) {
  a.li(t6, 0);
  from_64_bits(a, routines);
}

template <>
void body<Routine::F32ToF64>(Assembler& a, Routines&) {
  const Label small = a.label(), special = a.label(), nan = a.label(), zero = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);
  a.addi(t2, t1, -1);
  a.li(t3, 254);
  a.srli(t6, a0, 31);
  a.slli(t6, t6, 31);
  a.bgeu(t2, t3, small);
  a.slli(a0, a0, 29);
  a.srli(t0, t0, 4);
  a.lui(t1, 0x38000);  // 896 in the exponent
  a.add(t0, t0, t1);
  a.or_(a1, t0, t6);
  a.ret();
  a.bind(small);
  a.bnez(t1, special);
  a.beqz(t0, zero);
  a.clz(t1, t0);  // a denormal: t0 * 2^-150
  a.sll(t0, t0, t1);
  a.li(t2, 903);  // 1022 - 150 + 31
  a.sub(t2, t2, t1);
  a.slli(t2, t2, 20);
  a.slli(a0, t0, 21);
  a.srli(t0, t0, 11);
  a.add(t0, t0, t2);
  a.or_(a1, t0, t6);
  a.ret();
  a.bind(zero);
  a.li(a0, 0);
  a.mv(a1, t6);
  a.ret();
  a.bind(special);
  a.slli(t0, t0, 8);
  a.li(a0, 0);
  a.bnez(t0, nan);
  a.lui(a1, 0x7FF00);
  a.or_(a1, a1, t6);
  a.ret();
  a.bind(nan);
  a.lui(a1, 0x7FF80);
  a.ret();
}

template <>
void body<Routine::F64ToF32>(Assembler& a, Routines&) {
  const Label out_of_range = a.label(), large = a.label(), zero = a.label(), nan = a.label();
  a.slli(t2, a1, 1);
  a.srli(t0, t2, 21);
  a.addi(t0, t0, -897);  // exponent of the float32, less one
  a.srli(t6, a1, 31);
  a.slli(t6, t6, 31);
  upper_significand(a, t1, t3);
  a.li(t3, 254);
  a.bgeu(t0, t3, out_of_range);
  a.slli(t3, a0, 11);
  a.snez(t3, t3);
  a.or_(t1, t1, t3);
  round_f32(a, a0, t1, t0, t3);
  a.or_(a0, a0, t6);
  a.ret();
  a.bind(out_of_range);
  a.bgez(t0, large);
  a.addi(t0, t0, 1);
  a.bnez(t0, zero);
  a.srli(t1, t1, 8);  // 24 ones are what rounds up to the smallest normal number as a denormal
  a.addi(t1, t1, 1);
  a.srli(t1, t1, 24);
  a.slli(t1, t1, 23);
  a.or_(a0, t1, t6);
  a.ret();
  a.bind(zero);
  a.mv(a0, t6);
  a.ret();
  a.bind(large);
  a.snez(t1, a0);
  a.or_(t2, t2, t1);
  a.lui(t1, 0xFFE00);
  a.bltu(t1, t2, nan);
  a.lui(a0, 0x7F800);
  a.or_(a0, a0, t6);
  a.ret();
  answer(a, nan, 0x7FC00000);
}

}  // namespace kerr::loops::scalar
