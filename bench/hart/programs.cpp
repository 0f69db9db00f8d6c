#include "bench/hart/programs.hpp"

#include <bit>
#include <random>

#include "isa/assembler.hpp"

asm(".pushsection .rodata\n"
    "kerr_integer_mix_begin: .incbin \"" KERR_INTEGER_MIX "\"\n"
    "kerr_integer_mix_end:\n"
    ".popsection\n");
extern "C" const uint8_t kerr_integer_mix_begin[], kerr_integer_mix_end[];

namespace kerr::bench {

using namespace isa::reg;

// The loop of machine_bench.cpp: every instruction needs the one before it.
Bytes update_word() {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  a.lw(t0, a0);
  a.addi(t0, t0, 3);
  a.xor_(t1, t1, t0);
  a.sw(t0, a0);
  a.j(top);
  return a.finish(kCode).bytes;
}

Bytes count_word(uint32_t counter) {
  isa::Assembler a;
  a.li(a0, static_cast<int32_t>(counter));
  const isa::Label top = a.here();
  a.lw(t0, a0);
  a.addi(t0, t0, 1);
  a.xor_(t1, t1, t0);
  a.sw(t0, a0);
  a.j(top);
  return a.finish(kCode).bytes;
}

// Sums up and moves 1,024 words, again and again.
Bytes move_words() {
  isa::Assembler a;
  const isa::Label again = a.here();
  a.li(a0, 0x2000);
  a.li(a1, 0x4000);
  a.li(a2, 1024);
  const isa::Label top = a.here();
  a.lw(t0, a0);
  a.add(t1, t1, t0);
  a.sw(t1, a1);
  a.addi(a0, a0, 4);
  a.addi(a1, a1, 4);
  a.addi(a2, a2, -1);
  a.bnez(a2, top);
  a.j(again);
  return a.finish(kCode).bytes;
}

// Counts down from a million, again and again: no memory at all.
Bytes count_down() {
  isa::Assembler a;
  const isa::Label again = a.here();
  a.li(a0, 1'000'000);
  const isa::Label top = a.here();
  a.addi(a0, a0, -1);
  a.bnez(a0, top);
  a.j(again);
  return a.finish(kCode).bytes;
}

Bytes integer_mix() { return {kerr_integer_mix_begin, kerr_integer_mix_end}; }

namespace {

// 400 instructions of all kinds, with a forward branch in every eleventh place. a0: 2,000 bytes of data.
void mixed_body(isa::Assembler& a) {
  constexpr int length = 400;
  std::minstd_rand random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const isa::Reg registers[] = {t0, t1, t2, a1, a2, a3, a4, a5, a6, a7};
  const auto any = [&] { return registers[pick(10)]; };
  for (int i = 0; i < length; ++i) {
    if (i % 11 == 10) {
      const isa::Label skip = a.label();
      a.bne(any(), any(), skip);
      a.addi(any(), any(), pick(100));
      a.bind(skip);
      ++i;
      continue;
    }
    switch (pick(10)) {
      case 0: a.lw(any(), a0, 4 * pick(500)); break;
      case 1: a.lbu(any(), a0, pick(2000)); break;
      case 2: a.sw(any(), a0, 4 * pick(500)); break;
      case 3: a.add(any(), any(), any()); break;
      case 4: a.addi(any(), any(), pick(2000)); break;
      case 5: a.xor_(any(), any(), any()); break;
      case 6: a.slli(any(), any(), pick(31)); break;
      case 7: a.and_(any(), any(), any()); break;
      case 8: a.sltu(any(), any(), any()); break;
      default: a.mul(any(), any(), any()); break;
    }
  }
}

}  // namespace

Bytes mixed_400() {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  mixed_body(a);
  a.j(top);
  return a.finish(kCode).bytes;
}

Bytes count_mixed_400(uint32_t counter) {
  isa::Assembler a;
  a.li(a0, 0x2000);
  a.li(s0, static_cast<int32_t>(counter));
  const isa::Label top = a.here();
  mixed_body(a);
  a.addi(s1, s1, 1);
  a.sw(s1, s0);
  a.j(top);
  return a.finish(kCode).bytes;
}

// Waits for a word of L1 to become something else than zero, as firmware does.
Bytes poll_word() {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, a0);
  a.beqz(t0, top);
  return a.finish(kCode).bytes;
}

namespace {

constexpr int32_t kLeft = 0x2000, kRight = 0x4000, kElements = 1024;

// Fills both vectors, then computes their dot product again and again.
template <class Fill, class Begin, class Element>
Bytes dot(const Fill& fill, const Begin& begin, const Element& element) {
  isa::Assembler a;
  const auto from_the_start = [&] {
    a.li(a0, kLeft);
    a.li(a1, kRight);
    a.li(a2, kLeft + 4 * kElements);
  };
  const auto next = [&](isa::Label top) {
    a.addi(a0, a0, 4);
    a.addi(a1, a1, 4);
    a.bne(a0, a2, top);
  };
  from_the_start();
  const isa::Label filling = a.here();
  fill(a);
  next(filling);
  const isa::Label again = a.here();
  from_the_start();
  begin(a);
  const isa::Label top = a.here();
  element(a);
  next(top);
  a.j(again);
  return a.finish(kCode).bytes;
}

}  // namespace

Bytes integer_dot() {
  return dot(
      [](isa::Assembler& a) {
        a.sw(a0, a0);
        a.sw(a1, a1);
      },
      [](isa::Assembler& a) { a.li(t0, 0); },
      [](isa::Assembler& a) {
        a.lw(t1, a0);
        a.lw(t2, a1);
        a.mul(t1, t1, t2);
        a.add(t0, t0, t1);
      });
}

namespace {

void fill_with_floats(isa::Assembler& a) {
  a.fcvt_s_w(ft0, a0);
  a.fsw(ft0, a0);
  a.fsw(ft0, a1);
}

}  // namespace

Bytes float_dot() {
  return dot(
      fill_with_floats,
      [](isa::Assembler& a) { a.fmv_w_x(ft0, zero); },
      [](isa::Assembler& a) {
        a.flw(ft1, a0);
        a.flw(ft2, a1);
        a.fmul_s(ft1, ft1, ft2);
        a.fadd_s(ft0, ft0, ft1);
      });
}

Bytes float_fused_dot() {
  return dot(
      fill_with_floats,
      [](isa::Assembler& a) { a.fmv_w_x(ft0, zero); },
      [](isa::Assembler& a) {
        a.flw(ft1, a0);
        a.flw(ft2, a1);
        a.fmadd_s(ft0, ft1, ft2, ft0);
      });
}

// x = 3.99 x (1 - x), which stays between 0 and 1 without repeating, and a polynomial of it.
Bytes float_polynomial() {
  isa::Assembler a;
  const auto load = [&](isa::FReg to, float value) {
    a.li(t0, std::bit_cast<int32_t>(value));
    a.fmv_w_x(to, t0);
  };
  load(ft0, 0.3f);
  load(ft1, 1.0f);
  load(ft2, 3.99f);
  load(fa0, 0.5f);
  load(fa1, -0.25f);
  load(fa2, 0.125f);
  load(fa3, 2.0f);
  const isa::Label top = a.here();
  a.fsub_s(ft3, ft1, ft0);
  a.fmul_s(ft0, ft0, ft2);
  a.fmul_s(ft0, ft0, ft3);
  a.fmul_s(ft4, fa0, ft0);
  a.fadd_s(ft4, ft4, fa1);
  a.fmul_s(ft4, ft4, ft0);
  a.fadd_s(ft4, ft4, fa2);
  a.fmul_s(ft4, ft4, ft0);
  a.fadd_s(ft4, ft4, fa3);
  a.j(top);
  return a.finish(kCode).bytes;
}

}  // namespace kerr::bench
