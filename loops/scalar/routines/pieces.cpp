#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
using isa::Assembler;
using isa::Label;
using isa::Reg;

void answer(Assembler& a, Label at, uint32_t value) {
  a.bind(at);
  a.li(a0, static_cast<int32_t>(value));
  a.ret();
}

// A shift by 32 - count is one by 1 and one by 31 - count, so that count may be 0: shifts look at five bits of ~count.
void shift_left(Assembler& a, Pair value, Reg count, Reg complement, Reg scratch) {
  a.not_(complement, count);
  a.srli(scratch, value.low, 1);
  a.srl(scratch, scratch, complement);
  a.sll(value.high, value.high, count);
  a.or_(value.high, value.high, scratch);
  a.sll(value.low, value.low, count);
}

void shift_right_sticky(Assembler& a, Pair value, Reg count, Reg scratch, Reg scratch2) {
  const Label near = a.label(), gone = a.label(), done = a.label();
  a.li(scratch, 32);
  a.bltu(count, scratch, near);
  a.li(scratch, 64);
  a.bgeu(count, scratch, gone);
  a.not_(scratch, count);
  a.slli(scratch2, value.high, 1);
  a.sll(scratch2, scratch2, scratch);  // what falls off the high word
  a.or_(scratch2, scratch2, value.low);
  a.srl(value.low, value.high, count);
  a.snez(scratch2, scratch2);
  a.or_(value.low, value.low, scratch2);
  a.li(value.high, 0);
  a.j(done);
  a.bind(gone);
  a.or_(value.low, value.low, value.high);
  a.snez(value.low, value.low);
  a.li(value.high, 0);
  a.j(done);
  a.bind(near);
  a.not_(scratch, count);
  a.slli(scratch2, value.low, 1);
  a.sll(scratch2, scratch2, scratch);
  a.snez(scratch2, scratch2);
  a.srl(value.low, value.low, count);
  a.or_(value.low, value.low, scratch2);
  a.slli(scratch2, value.high, 1);
  a.sll(scratch2, scratch2, scratch);
  a.or_(value.low, value.low, scratch2);
  a.srl(value.high, value.high, count);
  a.bind(done);
}

void normalize(Assembler& a, Pair value, Reg zeros, Reg scratch, Reg scratch2) {
  const Label high = a.label(), done = a.label();
  a.bnez(value.high, high);
  a.clz(zeros, value.low);
  a.sll(value.high, value.low, zeros);
  a.li(value.low, 0);
  a.addi(zeros, zeros, 32);
  a.j(done);
  a.bind(high);
  a.clz(zeros, value.high);
  shift_left(a, value, zeros, scratch, scratch2);
  a.bind(done);
}

void negate(Assembler& a, Pair value, Reg scratch) {
  a.snez(scratch, value.low);
  a.neg(value.low, value.low);
  a.neg(value.high, value.high);
  a.sub(value.high, value.high, scratch);
}

// The complement less the mask, which is minus one.
void negate_if(Assembler& a, Pair value, Reg mask, Reg scratch) {
  a.xor_(value.low, value.low, mask);
  a.xor_(value.high, value.high, mask);
  a.sltu(scratch, value.low, mask);
  a.sub(value.low, value.low, mask);
  a.sub(value.high, value.high, mask);
  a.sub(value.high, value.high, scratch);
}

void round_f32(Assembler& a, Reg result, Reg word, Reg exponent_less_one, Reg scratch) {
  a.srli(scratch, word, 8);
  a.andi(word, word, 0xFF);
  a.slli(result, exponent_less_one, 23);
  a.add(result, result, scratch);
  a.andi(scratch, scratch, 1);
  a.add(word, word, scratch);
  a.addi(word, word, 127);
  a.srli(word, word, 8);
  a.add(result, result, word);
}

// y = y * (3 - y^2 m) / 2.
void reciprocal_root(Assembler& a, Reg result, Reg m, unsigned steps, Reg scratch, Reg scratch2) {
  constexpr uint32_t kStart[] = {0x63989260, 0xBD262330, 0xC75BB2D2,
                                 0x4E07CF40};  // minimax, 2^-29; the signs alternate
  const Reg p = result;
  a.li(p, kStart[3]);
  for (const unsigned k : {2u, 1u, 0u}) {
    a.mulhu(p, p, m);
    a.li(scratch, kStart[k]);
    a.sub(p, scratch, p);
  }
  a.slli(p, p, 1);
  for (unsigned step = 0; step < steps; ++step) {
    a.mulhu(scratch, p, p);        // 2^-28
    a.mulhu(scratch, scratch, m);  // 2^-28
    a.slli(scratch, scratch, 2);
    a.lui(scratch2, 0xC0000);  // 3, 2^-30
    a.sub(scratch, scratch2, scratch);
    a.mulhu(p, p, scratch);
    a.slli(p, p, 1);
  }
}

}  // namespace kerr::loops::scalar
