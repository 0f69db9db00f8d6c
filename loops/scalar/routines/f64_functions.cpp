// exp2, log2 and sin of float64: the sequences of loops/functions_f64.cpp, line by line.
#include <array>

#include "loops/functions.hpp"
#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using namespace f64_functions;
using isa::Assembler;
using isa::Label;
using isa::Reg;

namespace {

constexpr Pair kP{a0, a1}, kX{a2, a3};
// The lowest word first.
using Wide = std::array<Reg, 4>;

// p = the upper half of p * x. Changes t0 to t4.
void multiply_high(Assembler& a, Pair p, Pair x, bool is_signed = false) {
  const auto high = [&](Reg rd) { is_signed ? a.mulhsu(rd, p.high, rd) : a.mulhu(rd, p.high, rd); };
  a.mulhu(t0, p.low, x.low);
  a.mul(t1, p.low, x.high);
  a.mulhu(t2, p.low, x.high);
  a.mul(t3, p.high, x.low);
  a.mv(t4, x.low);
  high(t4);
  a.mul(p.low, p.high, x.high);
  if (is_signed)
    a.mulhsu(p.high, p.high, x.high);
  else
    a.mulhu(p.high, p.high, x.high);
  a.add(t0, t0, t1);
  a.sltu(t1, t0, t1);
  a.add(t0, t0, t3);
  a.sltu(t3, t0, t3);
  a.add(t1, t1, t3);
  if (is_signed) {
    a.srai(t3, t4, 31);
    a.add(p.high, p.high, t3);
  }
  for (const Reg term : {t2, t4, t1}) {
    a.add(p.low, p.low, term);
    a.sltu(term, p.low, term);
    a.add(p.high, p.high, term);
  }
}

enum class Term { Add, AddSigned, SubtractFrom };

// p = p * x + c, or c - p * x, for each coefficient of the table at a4, which begins with the highest power. Changes
// t0 to t4, a4 and a5.
void polynomial(Assembler& a, Term term, size_t coefficients) {
  a.lw(a0, a4, 0);
  a.lw(a1, a4, 4);
  a.addi(a5, a4, static_cast<int32_t>(8 * (coefficients - 1)));
  const Label next = a.here();
  a.addi(a4, a4, 8);
  multiply_high(a, kP, kX, term == Term::AddSigned);
  a.lw(t0, a4, 0);
  a.lw(t1, a4, 4);
  if (term == Term::SubtractFrom) {
    a.sltu(t2, t0, a0);
    a.sub(a0, t0, a0);
    a.sub(a1, t1, a1);
    a.sub(a1, a1, t2);
  } else {
    a.add(a0, a0, t0);
    a.sltu(t0, a0, t0);
    a.add(a1, a1, t1);
    a.add(a1, a1, t0);
  }
  a.bne(a4, a5, next);
}

template <class Integer, size_t n>
void emit_table(Assembler& a, Label label, const Integer (&coefficients)[n]) {
  a.align(4);
  a.bind(label);
  for (size_t i = n; i-- > 0;) {
    const auto bits = static_cast<uint64_t>(coefficients[i]);
    a.word(static_cast<uint32_t>(bits));
    a.word(static_cast<uint32_t>(bits >> 32));
  }
}

// The significand of a1:a0, a normal number.
void unpack(Assembler& a) {
  a.slli(a1, a1, 11);
  a.srli(t4, a0, 21);
  a.or_(a1, a1, t4);
  a.lui(t4, 0x80000);
  a.or_(a1, a1, t4);
  a.slli(a0, a0, 11);
}

void return_nan(Assembler& a) {
  a.lui(a1, 0x7FF80);
  a.li(a0, 0);
  a.ret();
}

// If `mask` is all ones and not zero.
void negate_if(Assembler& a, const Wide& words, Reg mask, Reg carry) {
  a.andi(carry, mask, 1);
  for (const Reg word : words) {
    a.xor_(word, word, mask);
    a.add(word, word, carry);
    if (word != words.back()) a.sltu(carry, word, carry);
  }
}

// Shifts left until the highest bit is set, and counts in `zeros`. Only the two upper words are whole afterwards. Not
// zero.
void normalize(Assembler& a, const Wide& words, Reg zeros, Reg count, Reg complement, Reg scratch) {
  const Label top = a.label();
  a.li(zeros, 0);
  const Label next = a.here();
  a.bnez(words[3], top);
  a.mv(words[3], words[2]);
  a.mv(words[2], words[1]);
  a.mv(words[1], words[0]);
  a.li(words[0], 0);
  a.addi(zeros, zeros, 32);
  a.j(next);
  a.bind(top);
  a.clz(count, words[3]);
  a.add(zeros, zeros, count);
  shift_left(a, {words[2], words[3]}, count, complement, scratch);
  a.srli(scratch, words[1], 1);
  a.srl(scratch, scratch, complement);
  a.or_(words[2], words[2], scratch);
}

}  // namespace

template <>
void body<Routine::Exp2F64>(Assembler& a, Routines& routines) {
  const Label beyond = a.label(), one = a.label(), fraction_only = a.label(), split = a.label(), positive = a.label(),
              table = a.label(), zero = a.label(), nan = a.label(), far = a.label();
  a.slli(t0, a1, 1);
  a.srli(t1, t0, 21);  // exponent
  a.li(t2, 1034);
  a.bgeu(t1, t2, beyond);  // from 2048 on
  a.li(t2, 969);
  a.bltu(t1, t2, one);  // below 2^-54
  a.mv(a7, a1);
  unpack(a);
  a.mv(a2, a0);
  a.addi(t2, t1, -1022);
  a.blez(t2, fraction_only);
  a.neg(t3, t2);
  a.srl(a6, a1, t3);  // i
  a.mv(a3, a1);
  shift_left(a, kX, t2, t3, t4);  // f
  a.j(split);
  a.bind(fraction_only);
  a.li(a6, 0);
  a.neg(t2, t2);  // at most 53
  a.li(t3, 32);
  a.bgeu(t2, t3, far);
  a.not_(t3, t2);
  a.slli(t4, a1, 1);
  a.sll(t4, t4, t3);
  a.srl(a2, a2, t2);
  a.or_(a2, a2, t4);
  a.srl(a3, a1, t2);
  a.j(split);
  a.bind(far);
  a.srl(a2, a1, t2);
  a.li(a3, 0);
  a.bind(split);
  a.bgez(a7, positive);
  negate(a, kX, t2);
  a.or_(t2, a2, a3);
  a.snez(t2, t2);
  a.neg(a6, a6);
  a.sub(a6, a6, t2);
  a.bind(positive);
  a.la(a4, table);
  polynomial(a, Term::Add, std::size(kExp2));
  multiply_high(a, kP, kX);
  a.srli(a0, a0, 1);
  a.slli(t0, a1, 31);
  a.or_(a0, a0, t0);
  a.srli(a1, a1, 1);
  a.lui(t0, 0x80000);
  a.or_(a1, a1, t0);
  a.addi(t0, a6, 1023);
  a.li(t6, 0);
  a.j(routines.of(Routine::RoundF64));

  a.bind(one);
  a.lui(a1, 0x3FF00);
  a.li(a0, 0);
  a.ret();
  a.bind(beyond);
  a.snez(t1, a0);
  a.or_(t0, t0, t1);
  a.lui(t1, 0xFFE00);
  a.bltu(t1, t0, nan);
  a.li(a0, 0);
  a.bltz(a1, zero);
  a.lui(a1, 0x7FF00);
  a.ret();
  a.bind(zero);
  a.li(a1, 0);
  a.ret();
  a.bind(nan);
  return_nan(a);
  emit_table(a, table, kExp2);
}

template <>
void body<Routine::Log2F64>(Assembler& a, Routines& routines) {
  constexpr uint32_t kSqrtHalfHigh = 0x3FE6A09E, kSqrtHalfLow = 0x667F3BCD;
  const Label special = a.label(), nan = a.label(), same = a.label(), normal = a.label(), below = a.label(),
              reduced = a.label(), zero = a.label(), above_table = a.label(), below_table = a.label(), pole = a.label();
  a.srli(t0, a1, 20);
  a.addi(t0, t0, -1);
  a.li(t1, 0x7FE);
  a.bgeu(t0, t1, special);  // negative, too
  a.bind(normal);
  a.li(t0, kSqrtHalfLow);
  a.sltu(t1, a0, t0);
  a.li(t0, kSqrtHalfHigh);
  a.sub(t2, a1, t0);
  a.sub(t2, t2, t1);
  a.srai(t2, t2, 20);
  a.slli(a6, t2, 20);  // i, as an exponent
  a.sub(a1, a1, a6);   // m
  a.lui(t0, 0x3FF00);
  a.bltu(a1, t0, below);
  a.sub(a1, a1, t0);
  a.slli(a3, a1, 12);  // r
  a.srli(t0, a0, 20);
  a.or_(a3, a3, t0);
  a.slli(a2, a0, 12);
  a.li(a7, 0);
  a.la(a4, above_table);
  a.j(reduced);
  a.bind(below);
  a.snez(t1, a0);
  a.neg(a0, a0);
  a.sub(a1, t0, a1);
  a.sub(a1, a1, t1);
  a.slli(a3, a1, 11);
  a.srli(t0, a0, 21);
  a.or_(a3, a3, t0);
  a.slli(a2, a0, 11);
  a.li(a7, -1);
  a.la(a4, below_table);
  a.bind(reduced);
  static_assert(std::size(kLog2Above) == std::size(kLog2Below));
  polynomial(a, Term::AddSigned, std::size(kLog2Above));
  const Wide words = {t0, t1, a0, a1};  // p * r, 2^-126
  a.mul(t0, a0, a2);
  a.mulhu(t1, a0, a2);
  a.mul(t2, a0, a3);
  a.mulhu(t3, a0, a3);
  a.mul(t4, a1, a2);
  a.mulhu(t5, a1, a2);
  a.mul(a0, a1, a3);
  a.mulhu(a1, a1, a3);
  a.add(t1, t1, t2);
  a.sltu(t2, t1, t2);
  a.add(t1, t1, t4);
  a.sltu(t4, t1, t4);
  a.add(t2, t2, t4);
  for (const Reg term : {t3, t5, t2}) {
    a.add(a0, a0, term);
    a.sltu(term, a0, term);
    a.add(a1, a1, term);
  }
  for (size_t i = 0; i < 4; ++i) {  // 2^-116
    a.srli(words[i], words[i], 10);
    if (i == 3) break;
    a.slli(t2, words[i + 1], 22);
    a.or_(words[i], words[i], t2);
  }
  negate_if(a, words, a7, t2);
  a.add(a1, a1, a6);
  a.srai(t6, a1, 31);
  negate_if(a, words, t6, t2);
  a.slli(t6, t6, 31);
  a.or_(t2, t0, t1);
  a.or_(t2, t2, a0);
  a.or_(t2, t2, a1);
  a.beqz(t2, zero);
  normalize(a, words, t2, t3, t4, t5);
  a.li(t0, 1034);  // 64 - 116 + 63 + 1023
  a.sub(t0, t0, t2);
  a.j(routines.of(Routine::RoundF64));

  a.bind(zero);
  a.li(a0, 0);
  a.li(a1, 0);
  a.bind(same);
  a.ret();
  a.bind(special);
  a.slli(t0, a1, 1);
  a.snez(t1, a0);
  a.or_(t0, t0, t1);
  a.beqz(t0, pole);
  a.lui(t1, 0xFFE00);
  a.bltu(t1, t0, nan);
  a.bltz(a1, nan);
  a.beq(t0, t1, same);
  scalar::normalize(a, kP, t0, t1, t2);  // a denormal: as if exponents went on below 0
  a.srli(a0, a0, 11);
  a.slli(t1, a1, 21);
  a.or_(a0, a0, t1);
  a.srli(a1, a1, 11);
  a.addi(t0, t0, -11);
  a.slli(t0, t0, 20);
  a.sub(a1, a1, t0);
  a.j(normal);
  a.bind(pole);
  a.lui(a1, 0xFFF00);
  a.li(a0, 0);
  a.ret();
  a.bind(nan);
  return_nan(a);
  emit_table(a, above_table, kLog2Above);
  emit_table(a, below_table, kLog2Below);
}

template <>
void body<Routine::SinF64>(Assembler& a, Routines& routines) {
  const Label same = a.label(), nan = a.label(), cosine = a.label(), last = a.label(), upright = a.label(),
              bits = a.label(), sine_table = a.label(), cosine_table = a.label();
  a.slli(t0, a1, 1);
  a.srli(t0, t0, 21);  // exponent
  a.li(t2, 997);
  a.bltu(t0, t2, same);  // below 2^-26
  a.li(t2, 0x7FF);
  a.beq(t0, t2, nan);
  a.srli(a7, a1, 31);
  a.slli(a7, a7, 31);  // sign
  unpack(a);           // m
  a.addi(t0, t0, -992);
  a.srli(t1, t0, 5);
  a.la(a2, bits);
  a.sh2add(a2, t1, a2);
  a.not_(t1, t0);
  // m * window, word by word from the lowest: those from the third to the sixth are the turns, 2^-126.
  Wide turns = {a4, a5, a6, a6};
  std::array<Reg, 3> sum = {a3, t5, t6};  // of this word and the next two; the last word is then in t6
  a.li(sum[0], 0);
  a.li(sum[1], 0);
  for (int word = 0; word < 6; ++word) {
    const int32_t offset = 4 * (5 - word);
    a.lw(t2, a2, offset);
    a.lw(t3, a2, offset + 4);
    a.sll(t2, t2, t0);
    a.srli(t3, t3, 1);
    a.srl(t3, t3, t1);
    a.or_(t2, t2, t3);
    a.mul(t3, a0, t2);
    a.add(sum[0], sum[0], t3);
    a.sltu(t3, sum[0], t3);
    a.mulhu(t4, a0, t2);
    a.add(t4, t4, t3);
    a.add(sum[1], sum[1], t4);
    a.sltu(sum[2], sum[1], t4);
    a.mul(t3, a1, t2);
    a.add(sum[1], sum[1], t3);
    a.sltu(t3, sum[1], t3);
    a.mulhu(t4, a1, t2);
    a.add(sum[2], sum[2], t3);
    a.add(sum[2], sum[2], t4);
    if (word >= 2 && word < 5) a.mv(turns[static_cast<size_t>(word) - 2], sum[0]);
    if (word < 5) sum = {sum[1], sum[2], sum[0]};
  }
  turns[3] = sum[0];
  a.lui(t0, 0x20000);
  a.add(turns[3], turns[3], t0);  // nearest
  a.srli(t1, turns[3], 30);       // n
  a.slli(turns[3], turns[3], 2);
  a.srli(turns[3], turns[3], 2);
  a.sub(turns[3], turns[3], t0);  // f
  a.srai(t0, turns[3], 31);
  negate_if(a, turns, t0, t2);  // distance
  a.srli(t2, t1, 1);
  a.slli(t2, t2, 31);
  a.xor_(a7, a7, t2);
  a.andi(t1, t1, 1);
  a.slli(a1, turns[3], 2);
  a.srli(t2, turns[2], 30);
  a.or_(a1, a1, t2);
  a.slli(a0, turns[2], 2);
  a.srli(t2, turns[1], 30);
  a.or_(a0, a0, t2);
  a.bnez(t1, cosine);
  a.slli(t0, t0, 31);
  a.xor_(a7, a7, t0);
  normalize(a, turns, t0, t1, t2, t3);
  a.mv(t5, turns[2]);
  a.li(a6, 1025);  // -61 + 63 + 1023
  a.sub(a6, a6, t0);
  a.mv(a2, a0);
  a.mv(a3, a1);
  multiply_high(a, kP, kX);
  a.mv(a2, a0);  // square
  a.mv(a3, a1);
  a.la(a4, sine_table);
  polynomial(a, Term::SubtractFrom, std::size(kSin));
  multiply_high(a, kP, {t5, t6});
  a.j(last);
  a.bind(cosine);
  a.mv(a2, a0);
  a.mv(a3, a1);
  multiply_high(a, kP, kX);
  a.mv(a2, a0);
  a.mv(a3, a1);
  a.la(a4, cosine_table);
  polynomial(a, Term::SubtractFrom, std::size(kCos));
  multiply_high(a, kP, kX);
  negate(a, kP, t0);
  a.lui(t0, 0x80000);
  a.add(a1, a1, t0);
  a.li(a6, 1023);
  a.bind(last);
  a.bltz(a1, upright);
  a.slli(a1, a1, 1);
  a.srli(t0, a0, 31);
  a.or_(a1, a1, t0);
  a.slli(a0, a0, 1);
  a.addi(a6, a6, -1);
  a.bind(upright);
  a.mv(t0, a6);
  a.mv(t6, a7);
  a.j(routines.of(Routine::RoundF64));

  a.bind(same);
  a.ret();
  a.bind(nan);
  return_nan(a);
  emit_table(a, sine_table, kSin);
  emit_table(a, cosine_table, kCos);
  a.bind(bits);
  for (const uint32_t word : kTwoOverPi) a.word(word);
}

}  // namespace kerr::loops::scalar
