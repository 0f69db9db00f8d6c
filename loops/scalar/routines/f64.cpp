// Arithmetic of float64, which a hart does in integers. Significands stand with their highest bit on top of a pair of
// registers; RoundF64 makes numbers of them.
#include <utility>

#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;
using isa::Reg;

namespace {

constexpr Pair kA{a0, a1}, kB{a2, a3};

void return_nan(Assembler& a) {
  a.lui(a1, 0x7FF80);
  a.li(a0, 0);
  a.ret();
}
// Zero of sign t6.
void return_zero(Assembler& a) {
  a.mv(a1, t6);
  a.li(a0, 0);
  a.ret();
}
void return_infinity(Assembler& a) {
  a.lui(a1, 0x7FF00);
  a.or_(a1, a1, t6);
  a.li(a0, 0);
  a.ret();
}

// The significand of a normal number.
void unpack(Assembler& a, Pair value, Reg scratch) {
  a.slli(value.high, value.high, 11);
  a.srli(scratch, value.low, 21);
  a.or_(value.high, value.high, scratch);
  a.lui(scratch, 0x80000);
  a.or_(value.high, value.high, scratch);
  a.slli(value.low, value.low, 11);
}
// The same of a denormal that is not zero, and its exponent as if it were normal.
void unpack_denormal(Assembler& a, Pair value, Reg exponent, Reg scratch, Reg scratch2) {
  a.slli(value.high, value.high, 11);
  a.srli(scratch, value.low, 21);
  a.or_(value.high, value.high, scratch);
  a.slli(value.low, value.low, 11);
  normalize(a, value, exponent, scratch, scratch2);
  a.neg(exponent, exponent);
  a.addi(exponent, exponent, 1);
}
// magnitude * 2, and one for all that is in the low word: greater than FFE00000 means NaN.
void magnitude(Assembler& a, Reg result, Pair value, Reg scratch) {
  a.slli(result, value.high, 1);
  a.snez(scratch, value.low);
  a.or_(result, result, scratch);
}

}  // namespace

template <>
void body<Routine::RoundF64>(Assembler& a, Routines&) {
  const Label round = a.label(), out_of_range = a.label(), infinity = a.label();
  a.addi(t1, t0, -1);
  a.li(t2, 0x7FE);
  a.bgeu(t1, t2, out_of_range);
  a.bind(round);
  a.andi(t2, a0, 0x7FF);
  a.srli(a0, a0, 11);
  a.slli(t3, a1, 21);
  a.or_(a0, a0, t3);
  a.srli(a1, a1, 11);
  a.andi(t3, a0, 1);  // a tie goes to the even number
  a.add(t2, t2, t3);
  a.addi(t2, t2, 0x3FF);
  a.srli(t2, t2, 11);
  a.add(a0, a0, t2);
  a.sltu(t2, a0, t2);
  a.add(a1, a1, t2);
  a.slli(t1, t1, 20);
  a.add(a1, a1, t1);
  a.or_(a1, a1, t6);
  a.ret();

  a.bind(out_of_range);
  a.bgtz(t0, infinity);
  a.neg(t1, t0);  // a denormal
  a.addi(t1, t1, 1);
  shift_right_sticky(a, kA, t1, t2, t3);
  a.li(t1, 0);
  a.j(round);
  a.bind(infinity);
  return_infinity(a);
}

template <>
void body<Routine::SubF64>(Assembler& a, Routines& routines) {
  a.lui(t0, 0x80000);
  a.xor_(a3, a3, t0);
  a.j(routines.of(Routine::AddF64));
}

template <>
void body<Routine::AddF64>(Assembler& a, Routines& routines) {
  const Label swap = a.label(), ordered = a.label(), special = a.label(), denormals = a.label(), b_normal = a.label(),
              subtract = a.label(), pack = a.label(), nan = a.label(), plus_zero = a.label(), done = a.label(),
              subtract_denormals = a.label();
  a.slli(t0, a1, 1);
  a.slli(t1, a3, 1);
  a.bltu(t1, t0, ordered);
  a.bne(t0, t1, swap);
  a.bgeu(a0, a2, ordered);
  a.bind(swap);
  for (const auto& [x, y] : {std::pair{a0, a2}, std::pair{a1, a3}, std::pair{t0, t1}}) {
    a.mv(t2, x);
    a.mv(x, y);
    a.mv(y, t2);
  }
  a.bind(ordered);  // |a| >= |b|
  a.xor_(t4, a1, a3);
  a.srli(t6, a1, 31);
  a.slli(t6, t6, 31);
  a.srli(t0, t0, 21);  // exponents
  a.srli(t1, t1, 21);
  a.beqz(t0, denormals);
  a.li(t2, 0x7FF);
  a.beq(t0, t2, special);
  // Significands below the highest bit, so that a sum has room.
  a.lui(t5, 0x40000);
  a.slli(a1, a1, 12);
  a.srli(a1, a1, 2);
  a.srli(t2, a0, 22);
  a.or_(a1, a1, t2);
  a.or_(a1, a1, t5);
  a.slli(a0, a0, 10);
  a.slli(a3, a3, 12);
  a.srli(a3, a3, 2);
  a.srli(t2, a2, 22);
  a.or_(a3, a3, t2);
  a.slli(a2, a2, 10);
  a.bnez(t1, b_normal);
  a.li(t1, 1);
  a.li(t5, 0);
  a.bind(b_normal);
  a.or_(a3, a3, t5);
  a.sub(t1, t0, t1);
  shift_right_sticky(a, kB, t1, t2, t3);
  a.bltz(t4, subtract);
  a.add(a0, a0, a2);
  a.sltu(t2, a0, a2);
  a.add(a1, a1, a3);
  a.add(a1, a1, t2);
  a.bind(pack);
  normalize(a, kA, t1, t2, t3);
  a.addi(t0, t0, 1);
  a.sub(t0, t0, t1);
  a.j(routines.of(Routine::RoundF64));
  a.bind(subtract);
  a.sltu(t2, a0, a2);
  a.sub(a0, a0, a2);
  a.sub(a1, a1, a3);
  a.sub(a1, a1, t2);
  a.or_(t2, a0, a1);
  a.bnez(t2, pack);
  a.bind(plus_zero);
  a.li(a0, 0);
  a.li(a1, 0);
  a.ret();

  a.bind(denormals);  // and zeros: exact
  a.slli(a1, a1, 1);
  a.srli(a1, a1, 1);
  a.slli(a3, a3, 1);
  a.srli(a3, a3, 1);
  a.bltz(t4, subtract_denormals);
  a.add(a0, a0, a2);
  a.sltu(t2, a0, a2);
  a.add(a1, a1, a3);
  a.add(a1, a1, t2);
  a.or_(a1, a1, t6);
  a.ret();
  a.bind(subtract_denormals);
  a.sltu(t2, a0, a2);
  a.sub(a0, a0, a2);
  a.sub(a1, a1, a3);
  a.sub(a1, a1, t2);
  a.or_(t2, a0, a1);
  a.beqz(t2, plus_zero);
  a.or_(a1, a1, t6);
  a.ret();

  a.bind(special);
  a.slli(t3, a1, 12);
  a.or_(t3, t3, a0);
  a.bnez(t3, nan);
  a.bne(t1, t2, done);
  a.bltz(t4, nan);
  a.bind(done);
  a.ret();
  a.bind(nan);
  return_nan(a);
}

namespace {

// What multiplication and division begin with: t6 the sign, t0 and t1 the exponents, kA and kB the significands. What
// is no number or zero goes to `special` with magnitudes, as magnitude() has them, in t2 and t3.
void unpack_two(Assembler& a, Label special) {
  const Label rare = a.label(), unpacked = a.label(), a_normal = a.label(), b_normal = a.label(), a_done = a.label();
  a.xor_(t6, a1, a3);
  a.srli(t6, t6, 31);
  a.slli(t6, t6, 31);
  a.slli(t0, a1, 1);
  a.srli(t0, t0, 21);
  a.slli(t1, a3, 1);
  a.srli(t1, t1, 21);
  a.addi(t2, t0, -1);
  a.addi(t3, t1, -1);
  a.maxu(t2, t2, t3);
  a.li(t4, 0x7FE);
  a.bgeu(t2, t4, rare);
  unpack(a, kA, t4);
  unpack(a, kB, t4);
  a.j(unpacked);
  a.bind(rare);
  magnitude(a, t2, kA, t4);
  magnitude(a, t3, kB, t4);
  a.lui(t4, 0xFFE00);
  a.bgeu(t2, t4, special);
  a.bgeu(t3, t4, special);
  a.beqz(t2, special);
  a.beqz(t3, special);
  a.bnez(t0, a_normal);
  unpack_denormal(a, kA, t0, t4, t5);
  a.j(a_done);
  a.bind(a_normal);
  unpack(a, kA, t4);
  a.bind(a_done);
  a.bnez(t1, b_normal);
  unpack_denormal(a, kB, t1, t4, t5);
  a.j(unpacked);
  a.bind(b_normal);
  unpack(a, kB, t4);
  a.bind(unpacked);
}

}  // namespace

template <>
void body<Routine::MulF64>(Assembler& a, Routines& routines) {
  const Label special = a.label(), nan = a.label(), infinity = a.label(), high = a.label();
  unpack_two(a, special);
  a.add(t0, t0, t1);
  a.addi(t0, t0, -1022);  // of the product, if it is 2 or more
  a.mulhu(t1, a0, a2);
  a.mul(t2, a0, a2);
  a.mul(t3, a0, a3);
  a.mulhu(t4, a0, a3);
  a.mul(t5, a1, a2);
  a.mulhu(a0, a1, a2);
  a.mul(a2, a1, a3);
  a.mulhu(a1, a1, a3);
  a.add(t1, t1, t3);
  a.sltu(t3, t1, t3);
  a.add(t1, t1, t5);
  a.sltu(t5, t1, t5);
  a.add(a0, a0, t4);
  a.sltu(t4, a0, t4);
  a.add(t3, t3, t5);  // carries, at most 2
  a.add(a0, a0, t3);
  a.sltu(t3, a0, t3);
  a.add(a1, a1, t4);
  a.add(a1, a1, t3);
  a.add(a0, a0, a2);
  a.sltu(a2, a0, a2);
  a.add(a1, a1, a2);
  a.or_(t1, t1, t2);
  a.snez(t1, t1);
  a.bltz(a1, high);
  a.slli(a1, a1, 1);
  a.srli(t2, a0, 31);
  a.or_(a1, a1, t2);
  a.slli(a0, a0, 1);
  a.addi(t0, t0, -1);
  a.bind(high);
  a.or_(a0, a0, t1);
  a.j(routines.of(Routine::RoundF64));

  a.bind(special);
  a.bltu(t4, t2, nan);
  a.bltu(t4, t3, nan);
  a.maxu(t5, t2, t3);
  a.minu(t2, t2, t3);
  a.beq(t5, t4, infinity);
  return_zero(a);
  a.bind(infinity);
  a.beqz(t2, nan);
  return_infinity(a);
  a.bind(nan);
  return_nan(a);
}

// Two digits of 32 bits, each from the upper half of the divisor and then corrected (Knuth, The Art of Computer
// Programming, 4.3.1, algorithm D).
template <>
void body<Routine::DivF64>(Assembler& a, Routines& routines) {
  const Label special = a.label(), nan = a.label(), infinity = a.label(), zero = a.label(), smaller = a.label(),
              halve = a.label(), infinite_a = a.label();
  const Label divide = routines.of(Routine::DivideWide);
  unpack_two(a, special);
  a.sub(t0, t0, t1);
  a.addi(a4, t0, 1022);  // of the quotient, if it is less than 1
  a.mv(a7, t6);
  a.bltu(a1, a3, smaller);
  a.bne(a1, a3, halve);
  a.bltu(a0, a2, smaller);
  a.bind(halve);
  a.srli(a0, a0, 1);  // the last bits are zeros
  a.slli(t2, a1, 31);
  a.or_(a0, a0, t2);
  a.srli(a1, a1, 1);
  a.addi(a4, a4, 1);
  a.bind(smaller);
  // a1:a0, less than a3:a2, is what is left of the dividend, and zeros follow.
  for (int digit = 0; digit < 2; ++digit) {
    const Label greatest = a.label(), estimated = a.label(), fits = a.label();
    const Reg quotient = digit == 0 ? a6 : t0;
    a.beq(a1, a3, greatest);
    a.mv(t0, a1);
    a.mv(t1, a0);
    a.mv(t2, a3);
    a.jal(t6, divide);
    a.li(t4, 0);
    a.j(estimated);
    a.bind(greatest);
    a.li(t0, -1);
    a.add(t1, a0, a3);
    a.sltu(t4, t1, a3);
    a.bind(estimated);  // t4:t1 is the remainder of the upper half
    if (quotient != t0) a.mv(quotient, t0);
    a.mul(t2, quotient, a2);
    a.mulhu(t3, quotient, a2);
    a.snez(t5, t2);
    a.add(t3, t3, t5);
    a.neg(a0, t2);
    a.sltu(t5, t1, t3);
    a.sub(a1, t1, t3);
    a.bnez(t4, fits);
    a.beqz(t5, fits);
    const Label correct = a.here();  // until the remainder is no longer negative: once or twice
    a.addi(quotient, quotient, -1);
    a.add(a0, a0, a2);
    a.sltu(t4, a0, a2);
    a.add(a1, a1, a3);
    a.sltu(t5, a1, a3);
    a.add(a1, a1, t4);
    a.sltu(t4, a1, t4);
    a.or_(t5, t5, t4);
    a.beqz(t5, correct);
    a.bind(fits);
  }
  a.or_(a0, a0, a1);
  a.snez(a0, a0);
  a.or_(a0, a0, t0);
  a.mv(a1, a6);
  a.mv(t0, a4);
  a.mv(t6, a7);
  a.j(routines.of(Routine::RoundF64));

  a.bind(special);
  a.bltu(t4, t2, nan);
  a.bltu(t4, t3, nan);
  a.beq(t2, t4, infinite_a);
  a.beq(t3, t4, zero);
  a.bnez(t3, zero);  // so a is zero
  a.beqz(t2, nan);
  a.bind(infinity);
  return_infinity(a);
  a.bind(infinite_a);
  a.bne(t3, t4, infinity);
  a.bind(nan);
  return_nan(a);
  a.bind(zero);
  return_zero(a);
}

// The root in 30 bits, once corrected by its remainder the root in 56, once corrected again the root rounded down.
template <>
void body<Routine::SqrtF64>(Assembler& a, Routines& routines) {
  const Label special = a.label(), unpacked = a.label(), even = a.label(), same = a.label(), nan = a.label(),
              not_negative = a.label(), root = a.label();
  a.srli(t0, a1, 20);
  a.addi(t1, t0, -1);
  a.li(t2, 0x7FE);
  a.bgeu(t1, t2, special);  // negative, too
  unpack(a, kA, t1);
  a.bind(unpacked);
  a.andi(t1, t0, 1);
  a.beqz(t1, even);
  a.srli(a0, a0, 1);
  a.slli(t1, a1, 31);
  a.or_(a0, a0, t1);
  a.srli(a1, a1, 1);
  a.bind(even);  // 2^-64, from 1/4 to 1, where the power of two is even
  a.addi(t0, t0, 1);
  a.srai(t0, t0, 1);
  a.addi(t0, t0, 511);
  reciprocal_root(a, a4, a1, 3, t1, t2);
  a.mulhu(a5, a4, a1);  // root, 2^-30
  a.mul(t1, a5, a5);
  a.mulhu(t2, a5, a5);
  a.slli(t2, t2, 4);
  a.srli(t3, t1, 28);
  a.or_(t2, t2, t3);
  a.slli(t1, t1, 4);
  a.sltu(t3, a0, t1);
  a.sub(t1, a0, t1);  // remainder, 2^-64, of at most 38 bits
  a.sub(t2, a1, t2);
  a.sub(t2, t2, t3);
  a.srli(t1, t1, 6);
  a.slli(t2, t2, 26);
  a.or_(t1, t1, t2);
  a.mulhsu(t1, t1, a4);
  a.srai(t1, t1, 1);  // correction, 2^-56
  a.srai(t2, t1, 31);
  a.srli(a3, a5, 6);
  a.slli(a2, a5, 26);
  a.add(a2, a2, t1);
  a.sltu(t1, a2, t1);
  a.add(a3, a3, t2);
  a.add(a3, a3, t1);  // root a3:a2
  a.mul(t1, a2, a2);
  a.mulhu(t2, a2, a2);
  a.mul(t3, a2, a3);
  a.slli(t3, t3, 1);
  a.add(t2, t2, t3);
  a.slli(t3, a0, 16);
  a.sub(t2, t3, t2);
  a.snez(t3, t1);
  a.neg(t1, t1);
  a.sub(t2, t2, t3);  // remainder, 2^-112: the lower 64 bits, which are all
  const Label down = a.here();
  a.bgez(t2, not_negative);
  a.seqz(t3, a2);
  a.addi(a2, a2, -1);
  a.sub(a3, a3, t3);
  a.slli(t3, a2, 1);  // + 2 * root + 1
  a.ori(t3, t3, 1);
  a.add(t1, t1, t3);
  a.sltu(t4, t1, t3);
  a.slli(t3, a3, 1);
  a.srli(t5, a2, 31);
  a.or_(t3, t3, t5);
  a.add(t2, t2, t3);
  a.add(t2, t2, t4);
  a.j(down);
  a.bind(not_negative);
  const Label up = a.here();
  a.slli(t3, a2, 1);
  a.ori(t3, t3, 1);
  a.slli(t4, a3, 1);
  a.srli(t5, a2, 31);
  a.or_(t4, t4, t5);
  a.bltu(t2, t4, root);
  const Label larger = a.label();
  a.bne(t2, t4, larger);
  a.bltu(t1, t3, root);
  a.bind(larger);  // - (2 * root + 1)
  a.sltu(t5, t1, t3);
  a.sub(t1, t1, t3);
  a.sub(t2, t2, t4);
  a.sub(t2, t2, t5);
  a.addi(a2, a2, 1);
  a.seqz(t5, a2);
  a.add(a3, a3, t5);
  a.j(up);
  a.bind(root);
  a.or_(t1, t1, t2);
  a.snez(t1, t1);
  a.slli(a1, a3, 8);
  a.srli(t2, a2, 24);
  a.or_(a1, a1, t2);
  a.slli(a0, a2, 8);
  a.or_(a0, a0, t1);
  a.li(t6, 0);
  a.j(routines.of(Routine::RoundF64));

  a.bind(special);
  magnitude(a, t1, kA, t2);
  a.beqz(t1, same);
  a.lui(t2, 0xFFE00);
  a.bltu(t2, t1, nan);
  a.bltz(a1, nan);
  a.beq(t1, t2, same);
  unpack_denormal(a, kA, t0, t1, t2);
  a.j(unpacked);
  a.bind(same);
  a.ret();
  a.bind(nan);
  return_nan(a);
}

template <>
void body<Routine::TruncF64>(Assembler& a, Routines&) {
  const Label small = a.label(), whole = a.label(), high_only = a.label(), nan = a.label();
  a.slli(t0, a1, 1);
  a.srli(t0, t0, 21);
  a.addi(t0, t0, -1023);
  a.bltz(t0, small);
  a.li(t1, 20);
  a.sub(t1, t1, t0);  // bits of the high word that go
  a.bgez(t1, high_only);
  a.addi(t1, t1, 32);
  a.blez(t1, whole);
  a.srl(a0, a0, t1);
  a.sll(a0, a0, t1);
  a.ret();
  a.bind(high_only);
  a.li(a0, 0);
  a.srl(a1, a1, t1);
  a.sll(a1, a1, t1);
  a.ret();
  a.bind(small);
  a.li(a0, 0);
  a.srli(a1, a1, 31);
  a.slli(a1, a1, 31);
  a.ret();
  a.bind(whole);
  magnitude(a, t1, kA, t2);
  a.lui(t2, 0xFFE00);
  a.bltu(t2, t1, nan);
  a.ret();
  a.bind(nan);
  return_nan(a);
}

template <>
void body<Routine::LessF64>(Assembler& a, Routines&) {
  const Label no = a.label(), negative = a.label(), different = a.label();
  magnitude(a, t0, kA, t2);
  magnitude(a, t1, kB, t2);
  a.lui(t2, 0xFFE00);
  a.maxu(t3, t0, t1);
  a.bltu(t2, t3, no);
  a.or_(t3, t0, t1);
  a.beqz(t3, no);  // zeros are equal
  a.bne(a1, a3, different);
  a.bltz(a1, negative);
  a.sltu(a0, a0, a2);
  a.ret();
  a.bind(negative);
  a.sltu(a0, a2, a0);
  a.ret();
  a.bind(different);  // as integers, in reverse if both are negative
  a.slt(a0, a1, a3);
  a.and_(t0, a1, a3);
  a.srli(t0, t0, 31);
  a.xor_(a0, a0, t0);
  a.ret();
  answer(a, no, 0);
}

template <>
void body<Routine::EqualF64>(Assembler& a, Routines&) {
  const Label no = a.label(), yes = a.label();
  magnitude(a, t0, kA, t2);
  magnitude(a, t1, kB, t2);
  a.or_(t3, t0, t1);
  a.beqz(t3, yes);
  a.lui(t2, 0xFFE00);
  a.bltu(t2, t0, no);
  a.xor_(a0, a0, a2);
  a.xor_(a1, a1, a3);
  a.or_(a0, a0, a1);
  a.seqz(a0, a0);  // of two that are equal none is NaN
  a.ret();
  answer(a, yes, 1);
  answer(a, no, 0);
}

}  // namespace kerr::loops::scalar
