// exp2, log2 and sin of float32: the sequences of loops/functions.cpp, line by line.
#include "loops/functions.hpp"

#include <utility>

#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using namespace f32_functions;
using isa::Assembler;
using isa::Label;
using isa::Reg;

namespace {

// p = p * x + c, in the high word.
void add_term(Assembler& a, Reg p, Reg x, uint32_t coefficient, Reg scratch, bool is_signed) {
  if (is_signed)
    a.mulh(p, p, x);
  else
    a.mulhu(p, p, x);
  a.li(scratch, coefficient);
  a.add(p, p, scratch);
}
// p = c - p * x.
void subtract_from(Assembler& a, Reg p, Reg x, uint32_t coefficient, Reg scratch) {
  a.mulhu(p, p, x);
  a.li(scratch, coefficient);
  a.sub(p, scratch, p);
}

// a0 = rounded(w, exponent) with sign: `exponent` is its field less one. Returns.
void finish(Assembler& a, Reg w, Reg exponent_less_one, Reg sign) {
  a.srli(w, w, 7);
  a.addi(w, w, 1);
  a.srli(w, w, 1);
  a.slli(exponent_less_one, exponent_less_one, 23);
  a.add(w, w, exponent_less_one);
  a.or_(a0, w, sign);
  a.ret();
}

}  // namespace

template <>
void body<Routine::Exp2F32>(Assembler& a, Routines&) {
  const Label nan = a.label(), beyond = a.label(), one = a.label(), fraction_only = a.label(), positive = a.label(),
              split = a.label(), zero = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);  // exponent
  a.li(t2, 134);
  a.bgeu(t1, t2, beyond);  // from 128 on
  a.li(t2, 102);
  a.bltu(t1, t2, one);  // below 2^-25
  a.slli(t0, t0, 7);
  a.lui(t3, 0x80000);
  a.or_(t0, t0, t3);  // significand
  a.addi(t2, t1, -126);
  a.blez(t2, fraction_only);
  a.neg(t3, t2);
  a.srl(t3, t0, t3);  // i, by 158 - exponent
  a.sll(t0, t0, t2);  // f
  a.j(split);
  a.bind(fraction_only);
  a.neg(t2, t2);
  a.srl(t0, t0, t2);
  a.li(t3, 0);
  a.bind(split);
  a.bgez(a0, positive);
  a.neg(t0, t0);
  a.snez(t1, t0);
  a.neg(t3, t3);
  a.sub(t3, t3, t1);
  a.bind(positive);
  a.addi(t3, t3, 127);
  a.blez(t3, zero);
  a.li(t4, kExp2[5]);
  for (int k = 4; k >= 0; --k) add_term(a, t4, t0, kExp2[k], t5, false);
  a.mulhu(t4, t4, t0);
  a.srli(t4, t4, 8);
  a.addi(t4, t4, 1);
  a.srli(t4, t4, 1);
  a.slli(t3, t3, 23);
  a.add(a0, t3, t4);
  a.ret();

  answer(a, one, 0x3F800000);
  a.bind(beyond);
  a.lui(t1, 0xFF000);
  a.bltu(t1, t0, nan);
  a.bltz(a0, zero);
  a.lui(a0, 0x7F800);
  a.ret();
  answer(a, zero, 0);
  answer(a, nan, 0x7FC00000);
}

template <>
void body<Routine::Log2F32>(Assembler& a, Routines&) {
  const Label special = a.label(), below = a.label(), sum = a.label(), nan = a.label(), zero = a.label(),
              finite = a.label(), same = a.label();
  a.srli(t0, a0, 23);
  a.addi(t0, t0, -1);
  a.li(t1, 254);
  a.bgeu(t0, t1, special);  // negative, too
  a.li(t1, 0x3F3504F3);
  a.sub(t1, a0, t1);
  a.srai(t1, t1, 23);
  a.slli(t1, t1, 23);  // i, as an exponent
  a.sub(t2, a0, t1);   // m
  a.lui(t3, 0x3F800);
  a.bltu(t2, t3, below);
  a.sub(t2, t2, t3);
  a.slli(t2, t2, 9);  // r
  a.li(t4, kLog2Above[7]);
  for (int k = 6; k >= 0; --k) add_term(a, t4, t2, kLog2Above[k], t5, true);
  a.mul(t5, t4, t2);
  a.mulhu(t4, t4, t2);
  a.srli(t5, t5, 8);
  a.slli(t6, t4, 24);
  a.or_(t5, t5, t6);
  a.srli(t4, t4, 8);
  a.j(sum);
  a.bind(below);
  a.sub(t2, t3, t2);
  a.slli(t2, t2, 8);
  a.li(t4, kLog2Below[7]);
  for (int k = 6; k >= 0; --k) add_term(a, t4, t2, kLog2Below[k], t5, true);
  a.mul(t5, t4, t2);
  a.mulhu(t4, t4, t2);
  a.srli(t5, t5, 8);
  a.slli(t6, t4, 24);
  a.or_(t5, t5, t6);
  a.srli(t4, t4, 8);
  negate(a, {t5, t4}, t6);
  a.bind(sum);
  a.add(t4, t4, t1);  // log2(x), 2^-55
  a.srai(t6, t4, 31);
  negate_if(a, {t5, t4}, t6, t0);
  a.slli(t6, t6, 31);
  a.or_(t0, t4, t5);
  a.beqz(t0, zero);
  normalize(a, {t5, t4}, t0, t1, t2);
  a.li(t1, 134);  // 32 - 55 + 31 + 126
  a.sub(t0, t1, t0);
  finish(a, t4, t0, t6);

  a.bind(zero);
  a.li(a0, 0);
  a.bind(same);
  a.ret();
  a.bind(special);
  a.slli(t0, a0, 1);
  a.lui(t1, 0xFF000);
  a.bltu(t1, t0, nan);
  a.srli(t2, t0, 24);
  a.bnez(t2, finite);
  a.lui(a0, 0xFF800);
  a.ret();
  a.bind(finite);
  a.bgez(a0, same);  // infinity
  answer(a, nan, 0x7FC00000);
}

template <>
void body<Routine::SinF32>(Assembler& a, Routines&) {
  const Label nan = a.label(), small = a.label(), denormal = a.label(), cosine = a.label(), last = a.label(),
              table = a.label(), upright = a.label();
  a.slli(t0, a0, 1);
  a.srli(t1, t0, 24);  // exponent
  a.li(t2, 115);
  a.bltu(t1, t2, small);  // below 2^-12
  a.li(t2, 255);
  a.beq(t1, t2, nan);
  a.slli(t0, t0, 7);
  a.lui(t2, 0x80000);
  a.or_(t0, t0, t2);  // m
  a.and_(a0, a0, t2);
  a.addi(t1, t1, -96);  // shift
  a.srli(t2, t1, 5);
  a.la(t3, table);
  a.sh2add(t2, t2, t3);
  a.not_(t3, t1);  // 31 - shift
  a.lw(a1, t2, 0);
  a.lw(a2, t2, 4);
  a.lw(a3, t2, 8);
  a.lw(a4, t2, 12);
  for (const auto& [high, low] : {std::pair{a1, a2}, std::pair{a2, a3}, std::pair{a3, a4}}) {
    a.srli(t4, low, 1);
    a.srl(t4, t4, t3);
    a.sll(high, high, t1);
    a.or_(high, high, t4);
  }
  a.mul(a1, t0, a1);  // turns: a1:a2, 2^-62
  a.mulhu(t4, t0, a2);
  a.mul(a2, t0, a2);
  a.mulhu(t5, t0, a3);
  a.add(a2, a2, t5);
  a.sltu(t5, a2, t5);
  a.add(a1, a1, t4);
  a.add(a1, a1, t5);
  a.lui(t4, 0x20000);
  a.add(a1, a1, t4);   // nearest
  a.srli(a5, a1, 30);  // n
  a.slli(a1, a1, 2);
  a.srli(a1, a1, 2);
  a.sub(a1, a1, t4);  // f
  a.srai(t6, a1, 31);
  negate_if(a, {a2, a1}, t6, t5);  // distance
  a.slli(t0, a1, 2);
  a.srli(t1, a2, 30);
  a.or_(t0, t0, t1);
  a.mulhu(t0, t0, t0);  // square
  a.srli(t1, a5, 1);
  a.slli(t1, t1, 31);
  a.xor_(a0, a0, t1);
  a.andi(t1, a5, 1);
  a.bnez(t1, cosine);
  a.slli(t6, t6, 31);
  a.xor_(a0, a0, t6);
  a.li(t1, kSin[3]);
  for (int k = 2; k >= 0; --k) subtract_from(a, t1, t0, kSin[k], t2);
  normalize(a, {a2, a1}, t3, t4, t5);
  a.mulhu(t1, a1, t1);
  a.li(t2, 128);  // -29 + 31 + 126
  a.sub(t2, t2, t3);
  a.j(last);
  a.bind(cosine);
  a.li(t1, kCos[3]);
  for (int k = 2; k >= 0; --k) subtract_from(a, t1, t0, kCos[k], t2);
  subtract_from(a, t1, t0, 0x80000000, t2);
  a.li(t2, 126);
  a.bind(last);
  a.bltz(t1, upright);
  a.slli(t1, t1, 1);
  a.addi(t2, t2, -1);
  a.bind(upright);
  finish(a, t1, t2, a0);

  a.bind(small);
  a.beqz(t1, denormal);
  a.ret();
  a.bind(denormal);
  a.srli(a0, a0, 31);
  a.slli(a0, a0, 31);
  a.ret();
  answer(a, nan, 0x7FC00000);
  a.align(4);
  a.bind(table);
  for (const uint32_t word : kTwoOverPi) a.word(word);
}

}  // namespace kerr::loops::scalar
