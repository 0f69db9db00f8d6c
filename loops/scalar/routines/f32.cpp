// Division, square root and trunc of float32.
#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;

// The significands are divided eight bits at a time, as a hart divides 32 bits by 32.
template <>
void body<Routine::DivF32>(Assembler& a, Routines&) {
  const Label special = a.label(), out_of_range = a.label(), infinity = a.label(), nan = a.label(),
              signed_zero = a.label(), with_sign = a.label(), infinite_a = a.label();
  a.xor_(t6, a0, a1);
  a.srli(t6, t6, 31);
  a.slli(t6, t6, 31);
  a.slli(t0, a0, 1);
  a.srli(t0, t0, 24);  // exponents
  a.slli(t1, a1, 1);
  a.srli(t1, t1, 24);
  a.addi(t2, t0, -1);
  a.addi(t3, t1, -1);
  a.maxu(t2, t2, t3);
  a.li(t4, 254);
  a.bgeu(t2, t4, special);
  a.lui(t5, 0x80000);
  a.slli(t2, a0, 8);
  a.or_(t2, t2, t5);
  a.srli(t2, t2, 8);  // significands
  a.slli(t3, a1, 8);
  a.or_(t3, t3, t5);
  a.srli(t3, t3, 8);
  a.sub(t0, t0, t1);
  a.addi(t0, t0, 126);  // of the quotient, less one
  a.sltu(t1, t2, t3);
  a.sub(t0, t0, t1);
  a.sll(t2, t2, t1);  // now 1 to 2 times the divisor
  a.slli(t2, t2, 7);
  a.divu(t4, t2, t3);
  a.mul(t1, t4, t3);
  a.sub(t2, t2, t1);  // sooner than a remainder
  for (int digit = 0; digit < 2; ++digit) {
    a.slli(t2, t2, 8);
    a.divu(t5, t2, t3);
    a.mul(t1, t5, t3);
    a.sub(t2, t2, t1);
    a.slli(t4, t4, 8);
    a.add(t4, t4, t5);
  }
  a.li(t5, 254);
  a.bgeu(t0, t5, out_of_range);
  a.slli(t2, t2, 1);
  a.sltu(t2, t3, t2);  // there are no ties
  a.add(t4, t4, t2);
  a.slli(t0, t0, 23);
  a.add(t4, t4, t0);
  a.or_(a0, t4, t6);
  a.ret();

  a.bind(out_of_range);
  a.bgez(t0, infinity);
  a.addi(t0, t0, 1);
  a.bnez(t0, signed_zero);
  a.addi(t4, t4, 1);  // all ones is what rounds up to the smallest normal number as a denormal
  a.srli(t4, t4, 24);
  a.slli(t4, t4, 23);
  a.or_(a0, t4, t6);
  a.ret();

  a.bind(special);
  a.lui(t4, 0xFF000);
  a.slli(t2, a0, 1);
  a.slli(t3, a1, 1);
  a.bltu(t4, t2, nan);
  a.bltu(t4, t3, nan);
  a.beq(t2, t4, infinite_a);
  a.beq(t3, t4, signed_zero);
  a.bnez(t1, signed_zero);  // so a is zero
  a.beqz(t0, nan);
  a.bind(infinity);
  a.lui(a0, 0x7F800);
  a.j(with_sign);
  a.bind(infinite_a);
  a.bne(t3, t4, infinity);
  answer(a, nan, 0x7FC00000);
  a.bind(signed_zero);
  a.li(a0, 0);
  a.bind(with_sign);
  a.or_(a0, a0, t6);
  a.ret();
}

// m * 1/sqrt(m) is next to the root of the significand; the remainder says on which side. There are no ties.
template <>
void body<Routine::SqrtF32>(Assembler& a, Routines&) {
  const Label special = a.label(), low_enough = a.label(), high_enough = a.label(), zero = a.label(), same = a.label();
  a.srli(t0, a0, 23);
  a.addi(t1, t0, -1);
  a.li(t2, 254);
  a.bgeu(t1, t2, special);  // negative, too
  a.slli(t1, a0, 8);
  a.lui(t2, 0x80000);
  a.or_(t1, t1, t2);
  a.andi(t2, t0, 1);
  a.srl(t1, t1, t2);  // m, 2^-32, from 1/4 to 1, where the power of two is even
  a.addi(t0, t0, 1);
  a.srli(t0, t0, 1);
  a.addi(t0, t0, 62);
  reciprocal_root(a, t2, t1, 2, t3, t4);
  a.mulhu(t2, t2, t1);
  a.addi(t2, t2, 32);
  a.srli(t2, t2, 6);  // the root in 24 bits
  a.mul(t3, t2, t2);
  a.slli(t1, t1, 16);
  a.sub(t1, t1, t3);  // the remainder of the root, from -root to root if it is the nearest
  a.add(t3, t1, t2);
  a.bgtz(t3, low_enough);
  a.addi(t2, t2, -1);
  a.bind(low_enough);
  a.ble(t1, t2, high_enough);
  a.addi(t2, t2, 1);
  a.bind(high_enough);
  a.slli(t0, t0, 23);
  a.add(a0, t0, t2);
  a.ret();

  a.bind(special);
  a.slli(t1, a0, 1);
  a.srli(t2, t1, 24);
  a.beqz(t2, zero);
  a.lui(t2, 0x7F800);
  a.beq(a0, t2, same);
  a.lui(a0, 0x7FC00);
  a.ret();
  a.bind(zero);
  a.srli(a0, a0, 31);
  a.slli(a0, a0, 31);
  a.bind(same);
  a.ret();
}

template <>
void body<Routine::TruncF32>(Assembler& a, Routines&) {
  const Label small = a.label(), whole = a.label(), nan = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);
  a.addi(t1, t1, -127);
  a.bltz(t1, small);
  a.li(t2, 23);
  a.sub(t2, t2, t1);
  a.blez(t2, whole);
  a.srl(a0, a0, t2);
  a.sll(a0, a0, t2);
  a.ret();
  a.bind(small);
  a.srli(a0, a0, 31);
  a.slli(a0, a0, 31);
  a.ret();
  a.bind(whole);
  a.lui(t1, 0xFF000);
  a.bltu(t1, t0, nan);
  a.ret();
  answer(a, nan, 0x7FC00000);
}

}  // namespace kerr::loops::scalar
