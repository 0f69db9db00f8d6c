// Conversions from float32 and to it. fcvt.w.s is of no use: it rounds to the nearest.
#include <cstdint>

#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;

namespace {

// Towards zero, clamped, NaN as the largest.
void to_32_bits(Assembler& a, bool is_signed) {
  const Label fraction = a.label(), beyond = a.label(), least = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);
  a.addi(t1, t1, -127);
  a.bltz(t1, fraction);
  a.li(t2, is_signed ? 31 : 32);
  a.bge(t1, t2, beyond);
  a.slli(t2, a0, 8);
  a.lui(t3, 0x80000);
  a.or_(t2, t2, t3);  // significand * 2^(exponent - 31)
  a.not_(t1, t1);
  a.srl(t2, t2, t1);
  if (is_signed) {
    a.srai(t3, a0, 31);
    a.xor_(t2, t2, t3);
    a.sub(a0, t2, t3);
  } else {
    a.bltz(a0, least);
    a.mv(a0, t2);
  }
  a.ret();
  answer(a, fraction, 0);
  a.bind(beyond);
  a.srai(t3, a0, 31);  // all ones: negative
  a.lui(t1, 0xFF000);
  const Label number = a.label();
  a.bgeu(t1, t0, number);
  a.li(t3, 0);
  a.bind(number);
  a.lui(a0, 0x80000);
  if (is_signed) {
    a.not_(t3, t3);
    a.add(a0, a0, t3);
  } else {
    a.not_(a0, t3);
  }
  a.ret();
  answer(a, least, 0);
}

void to_64_bits(Assembler& a, bool is_signed) {
  const Label fraction = a.label(), beyond = a.label(), least = a.label(), wide = a.label(), number = a.label(),
              with_sign = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);
  a.addi(t1, t1, -127);
  a.bltz(t1, fraction);
  a.li(t2, is_signed ? 63 : 64);
  a.bge(t1, t2, beyond);
  a.srai(t3, a0, 31);
  if (!is_signed) a.bnez(t3, least);
  a.slli(t2, a0, 8);
  a.lui(t4, 0x80000);
  a.or_(t2, t2, t4);  // significand * 2^(exponent - 31)
  a.not_(t4, t1);     // 31 - exponent
  a.li(t5, 32);
  a.bge(t1, t5, wide);
  a.srl(a0, t2, t4);
  a.li(a1, 0);
  a.j(with_sign);
  a.bind(wide);  // significand * 2^32 >> (63 - exponent)
  a.srl(a1, t2, t4);
  a.slli(t2, t2, 1);
  a.sll(a0, t2, t1);  // by exponent - 31 in all
  a.bind(with_sign);
  if (is_signed) negate_if(a, {a0, a1}, t3, t4);
  a.ret();
  a.bind(fraction);
  a.bind(least);
  a.li(a0, 0);
  a.li(a1, 0);
  a.ret();
  a.bind(beyond);
  a.srai(t3, a0, 31);
  a.lui(t1, 0xFF000);
  a.bgeu(t1, t0, number);
  a.li(t3, 0);
  a.bind(number);
  a.not_(a0, t3);
  if (is_signed) {
    a.lui(a1, 0x80000);
    a.add(a1, a1, a0);
  } else {
    a.mv(a1, a0);
  }
  a.ret();
}

// a1:a0 without sign, with t6 as sign bit. Returns.
void from_64_bits(Assembler& a) {
  const Label wide = a.label();
  a.bnez(a1, wide);
  a.fcvt_s_wu(ft0, a0);
  a.fmv_x_w(a0, ft0);
  a.or_(a0, a0, t6);
  a.ret();
  a.bind(wide);
  a.clz(t0, a1);
  shift_left(a, {a0, a1}, t0, t1, t2);
  a.snez(a0, a0);
  a.or_(a1, a1, a0);
  a.li(t1, 189);  // 63 + 126
  a.sub(t1, t1, t0);
  round_f32(a, a0, a1, t1, t2);
  a.or_(a0, a0, t6);
  a.ret();
}

}  // namespace

template <>
void body<Routine::F32ToI32>(Assembler& a, Routines&) {
  to_32_bits(a, true);
}
template <>
void body<Routine::F32ToU32>(Assembler& a, Routines&) {
  to_32_bits(a, false);
}
template <>
void body<Routine::F32ToI64>(Assembler& a, Routines&) {
  to_64_bits(a, true);
}
template <>
void body<Routine::F32ToU64>(Assembler& a, Routines&) {
  to_64_bits(a, false);
}

template <>
void body<Routine::I64ToF32>(Assembler& a, Routines&) {
  a.srai(t6, a1, 31);
  negate_if(a, {a0, a1}, t6, t0);
  a.slli(t6, t6, 31);
  from_64_bits(a);
}
template <>
void body<Routine::U64ToF32>(Assembler& a, Routines&) {
  a.li(t6, 0);
  from_64_bits(a);
}

template <>
void body<Routine::F16ToF32>(Assembler& a, Routines&) {
  const Label denormal = a.label(), special = a.label(), infinity = a.label();
  a.srli(t1, a0, 15);
  a.slli(t1, t1, 31);  // sign
  a.slli(t0, a0, 17);
  a.srli(t2, t0, 27);  // exponent
  a.beqz(t2, denormal);
  a.li(t3, 31);
  a.beq(t2, t3, special);
  a.srli(t0, t0, 4);
  a.lui(t3, 0x38000);
  a.add(t0, t0, t3);
  a.or_(a0, t0, t1);
  a.ret();
  a.bind(denormal);
  a.srli(t0, t0, 17);
  a.fcvt_s_wu(ft0, t0);
  a.lui(t2, 0x33800);  // 2^-24
  a.fmv_w_x(ft1, t2);
  a.fmul_s(ft0, ft0, ft1);
  a.fmv_x_w(t0, ft0);
  a.or_(a0, t0, t1);
  a.ret();
  a.bind(special);
  a.lui(a0, 0x7F800);
  a.or_(a0, a0, t1);
  a.slli(t0, t0, 5);
  a.beqz(t0, infinity);
  a.lui(a0, 0x7FC00);
  a.bind(infinity);
  a.ret();
}

template <>
void body<Routine::F32ToF16>(Assembler& a, Routines&) {
  const Label nan = a.label(), infinity = a.label(), small = a.label();
  a.srli(t6, a0, 31);
  a.slli(t6, t6, 15);
  a.slli(t0, a0, 1);
  a.srli(t0, t0, 1);
  a.lui(t1, 0x47800);  // 2^16
  a.bgeu(t0, t1, infinity);
  a.lui(t1, 0x38800);  // 2^-14
  a.bltu(t0, t1, small);
  a.lui(t1, 0x38000);
  a.sub(t0, t0, t1);
  a.srli(t1, t0, 13);
  a.andi(t1, t1, 1);
  a.add(t0, t0, t1);
  a.li(t1, 0xFFF);
  a.add(t0, t0, t1);
  a.srli(t0, t0, 13);
  a.or_(a0, t0, t6);
  a.ret();
  a.bind(small);  // the last bit of a denormal is worth 2^-24, as that of numbers from 0.5 to 1 is
  a.fmv_w_x(ft0, t0);
  a.lui(t1, 0x3F000);
  a.fmv_w_x(ft1, t1);
  a.fadd_s(ft0, ft0, ft1);
  a.fmv_x_w(t0, ft0);
  a.sub(t0, t0, t1);
  a.or_(a0, t0, t6);
  a.ret();
  a.bind(infinity);
  a.lui(t1, 0x7F800);
  a.bltu(t1, t0, nan);
  a.li(a0, 0x7C00);
  a.or_(a0, a0, t6);
  a.ret();
  answer(a, nan, 0x7E00);
}

template <>
void body<Routine::Bf16ToF32>(Assembler& a, Routines&) {
  a.slli(a0, a0, 16);
  a.ret();
}

template <>
void body<Routine::F32ToBf16>(Assembler& a, Routines&) {
  const Label nan = a.label(), zero = a.label();
  a.slli(t0, a0, 1);
  a.lui(t1, 0xFF000);
  a.bltu(t1, t0, nan);
  a.srli(t0, t0, 24);
  a.beqz(t0, zero);
  a.srli(t0, a0, 16);
  a.andi(t0, t0, 1);
  a.add(a0, a0, t0);
  a.li(t0, 0x7FFF);
  a.add(a0, a0, t0);
  a.srli(a0, a0, 16);
  a.ret();
  a.bind(zero);
  a.srli(a0, a0, 31);
  a.slli(a0, a0, 15);
  a.ret();
  answer(a, nan, 0x7FC0);
}

}  // namespace kerr::loops::scalar
