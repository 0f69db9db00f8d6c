// 64-bit integers, and threefry.
#include <array>

#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;
using isa::Reg;

template <>
void body<Routine::MulI64>(Assembler& a, Routines&) {
  a.mul(t0, a0, a3);
  a.mul(t1, a1, a2);
  a.mulhu(a1, a0, a2);
  a.mul(a0, a0, a2);
  a.add(a1, a1, t0);
  a.add(a1, a1, t1);
  a.ret();
}

template <>
void body<Routine::ShlI64>(Assembler& a, Routines&) {
  const Label zero = a.label(), far = a.label();
  a.bnez(a3, zero);
  a.li(t0, 32);
  a.bgeu(a2, t0, far);
  shift_left(a, {a0, a1}, a2, t0, t1);
  a.ret();
  a.bind(far);
  a.li(t0, 64);
  a.bgeu(a2, t0, zero);
  a.sll(a1, a0, a2);
  a.li(a0, 0);
  a.ret();
  a.bind(zero);
  a.li(a0, 0);
  a.li(a1, 0);
  a.ret();
}

namespace {

void shift_right(Assembler& a, bool is_signed) {
  const auto shift = [&](Reg rd, Reg rs, Reg count) { is_signed ? a.sra(rd, rs, count) : a.srl(rd, rs, count); };
  const Label gone = a.label(), far = a.label();
  a.bnez(a3, gone);
  a.li(t0, 32);
  a.bgeu(a2, t0, far);
  a.not_(t0, a2);
  a.slli(t1, a1, 1);
  a.sll(t1, t1, t0);
  a.srl(a0, a0, a2);
  a.or_(a0, a0, t1);
  shift(a1, a1, a2);
  a.ret();
  a.bind(far);
  a.li(t0, 64);
  a.bgeu(a2, t0, gone);
  shift(a0, a1, a2);
  is_signed ? a.srai(a1, a1, 31) : a.li(a1, 0);
  a.ret();
  a.bind(gone);
  is_signed ? a.srai(a1, a1, 31) : a.li(a1, 0);
  a.mv(a0, a1);
  a.ret();
}

}  // namespace

template <>
void body<Routine::ShrI64>(Assembler& a, Routines&) {
  shift_right(a, true);
}
template <>
void body<Routine::ShrU64>(Assembler& a, Routines&) {
  shift_right(a, false);
}

// Two digits of 16 bits, each from the upper half of the divisor and then corrected (Knuth, The Art of Computer
// Programming, 4.3.1, algorithm D).
template <>
void body<Routine::DivideWide>(Assembler& a, Routines&) {
  a.srli(t3, t2, 16);
  a.zext_h(t4, t2);
  for (int digit = 0; digit < 2; ++digit) {
    const Reg quotient = digit == 0 ? a5 : t3;
    const Label fits = a.label();
    a.divu(t5, t0, t3);
    a.remu(t0, t0, t3);
    a.slli(t0, t0, 16);
    if (digit == 0) {
      a.srli(a5, t1, 16);
      a.or_(t0, t0, a5);
    } else {
      a.zext_h(t1, t1);
      a.or_(t0, t0, t1);
    }
    a.mv(quotient, t5);
    a.mul(t5, t5, t4);
    a.bgeu(t0, t5, fits);
    a.addi(quotient, quotient, -1);
    a.add(t0, t0, t2);
    a.bltu(t0, t2, fits);
    a.bgeu(t0, t5, fits);
    a.addi(quotient, quotient, -1);
    a.add(t0, t0, t2);
    a.bind(fits);
    a.sub(t0, t0, t5);
  }
  a.mv(t1, t0);
  a.slli(a5, a5, 16);
  a.add(t0, a5, t3);
  a.jr(t6);
}

// Leaves the remainder in a2:a3, and a6 and a7 as they are.
template <>
void body<Routine::DivU64>(Assembler& a, Routines& routines) {
  const Label zero = a.label(), wide = a.label(), large = a.label(), fits = a.label(), too_small = a.label();
  const Label divide = routines.of(Routine::DivideWide);
  a.or_(t0, a1, a3);
  a.bnez(t0, wide);
  a.beqz(a2, zero);
  a.divu(t0, a0, a2);
  a.remu(a2, a0, a2);
  a.mv(a0, t0);
  a.ret();

  a.bind(wide);
  a.bnez(a3, large);
  a.beqz(a2, zero);
  a.divu(a3, a1, a2);  // high word of the quotient
  a.remu(t0, a1, a2);
  a.clz(a1, a2);
  a.mv(t1, a0);
  shift_left(a, {t1, t0}, a1, t2, t3);
  a.sll(t2, a2, a1);
  a.jal(t6, divide);
  a.srl(a2, t1, a1);
  a.mv(a0, t0);
  a.mv(a1, a3);
  a.li(a3, 0);
  a.ret();

  // The quotient is less than 2^32: half of the dividend by the 32 highest bits of the divisor is at most one too
  // much, after the last bits are gone.
  a.bind(large);
  a.clz(t5, a3);
  a.not_(t3, t5);
  a.srli(t2, a2, 1);
  a.srl(t2, t2, t3);
  a.sll(t0, a3, t5);
  a.or_(t2, t2, t0);
  a.srli(t0, a1, 1);
  a.srli(t1, a0, 1);
  a.slli(t3, a1, 31);
  a.or_(t1, t1, t3);
  a.jal(t6, divide);
  a.clz(t5, a3);
  a.not_(t5, t5);
  a.srl(t0, t0, t5);  // quotient of it
  a.snez(t1, t0);
  a.sub(t0, t0, t1);
  a.mul(t1, t0, a2);
  a.mulhu(t2, t0, a2);
  a.mul(t3, t0, a3);
  a.add(t2, t2, t3);
  a.sltu(t3, a0, t1);
  a.sub(a0, a0, t1);  // remainder
  a.sub(a1, a1, t2);
  a.sub(a1, a1, t3);
  a.bltu(a1, a3, fits);
  a.bne(a1, a3, too_small);
  a.bltu(a0, a2, fits);
  a.bind(too_small);
  a.addi(t0, t0, 1);
  a.sltu(t1, a0, a2);
  a.sub(a0, a0, a2);
  a.sub(a1, a1, a3);
  a.sub(a1, a1, t1);
  a.bind(fits);
  a.mv(a2, a0);
  a.mv(a3, a1);
  a.mv(a0, t0);
  a.li(a1, 0);
  a.ret();

  a.bind(zero);
  a.mv(a2, a0);
  a.mv(a3, a1);
  a.li(a0, -1);
  a.li(a1, -1);
  a.ret();
}

template <>
void body<Routine::ModU64>(Assembler& a, Routines& routines) {
  a.mv(a7, ra);
  a.call(routines.of(Routine::DivU64));
  a.mv(a0, a2);
  a.mv(a1, a3);
  a.jr(a7);
}

// Signs off, divide, signs on. A division by zero leaves the quotient, all ones, alone.
template <>
void body<Routine::DivI64>(Assembler& a, Routines& routines) {
  const Label zero = a.label();
  a.mv(a7, ra);
  a.or_(t0, a2, a3);
  a.beqz(t0, zero);
  a.xor_(a6, a1, a3);
  a.srai(a6, a6, 31);
  a.srai(t0, a1, 31);
  negate_if(a, {a0, a1}, t0, t1);
  a.srai(t0, a3, 31);
  negate_if(a, {a2, a3}, t0, t1);
  a.call(routines.of(Routine::DivU64));
  negate_if(a, {a0, a1}, a6, t1);
  a.jr(a7);
  a.bind(zero);
  a.li(a0, -1);
  a.li(a1, -1);
  a.ret();
}

template <>
void body<Routine::ModI64>(Assembler& a, Routines& routines) {
  a.mv(a7, ra);
  a.srai(a6, a1, 31);
  negate_if(a, {a0, a1}, a6, t1);
  a.srai(t0, a3, 31);
  negate_if(a, {a2, a3}, t0, t1);
  a.call(routines.of(Routine::DivU64));
  negate_if(a, {a2, a3}, a6, t1);
  a.mv(a0, a2);
  a.mv(a1, a3);
  a.jr(a7);
}

template <>
void body<Routine::Threefry>(Assembler& a, Routines&) {
  constexpr unsigned kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<Reg, 3> keys = {a2, a3, t0};
  a.li(t0, 0x1BD11BDA);
  a.xor_(t0, t0, a2);
  a.xor_(t0, t0, a3);
  a.add(a0, a0, a2);
  a.add(a1, a1, a3);
  for (unsigned group = 1; group <= 5; ++group) {
    for (const unsigned left : kRotations[(group - 1) % 2]) {
      a.add(a0, a0, a1);
      a.rori(a1, a1, static_cast<int32_t>(32 - left));
      a.xor_(a1, a1, a0);
    }
    a.add(a0, a0, keys[group % 3]);
    a.add(a1, a1, keys[(group + 1) % 3]);
    a.addi(a1, a1, static_cast<int32_t>(group));
  }
  a.ret();
}

}  // namespace kerr::loops::scalar
