// The vectors of docs/hardware/tensix-math.md 15.2.
#include <gtest/gtest.h>

#include "emu/math/elementwise.hpp"
#include "tests/emu/math/vectors.hpp"

namespace kerr::emu::math::test {
namespace {

enum class Dst { Fp32, Bf16, Fp16 };
enum class Op { Add, Subtract, Multiply };

struct Vector {
  const char* name;
  Op op;
  Dst dst;
  Format source;
  int phase;
  bool accumulate, flush;
  uint32_t a, b, before, after;
  const char* why;
};

// clang-format off
const Vector kVectors[] = {
    {"E1", Op::Multiply, Dst::Fp32, Format::Tf32, 0, false, true, 0x40400000, 0x40A00000, 0x00000000, 0x41700000, "unit"},
    {"E2", Op::Multiply, Dst::Bf16, Format::Tf32, 0, false, true, 0x3F800000, 0x3F800000, 0x3F80, 0x4000, "accumulates always"},
    {"E3", Op::Multiply, Dst::Fp32, Format::Tf32, 0, false, true, 0x20400000, 0x1F400000, 0x00000000, 0x00000000, "product exponent <=0 flushed"},
    {"E4", Op::Multiply, Dst::Fp32, Format::Tf32, 0, false, true, 0xB3800000, 0x3F800000, 0x3F800000, 0x3F800000, "sop negative tie toward zero vs Dst"},
    {"E5", Op::Multiply, Dst::Fp32, Format::Tf32, 0, false, true, 0x33800000, 0x3F800000, 0x3F800000, 0x3F800001, "positive tie away"},
    {"E6", Op::Multiply, Dst::Bf16, Format::Tf32, 0, false, true, 0x3FC00000, 0x3FC00000, 0x0000, 0x4010, "1.5*1.5 bf16"},
    {"E7", Op::Multiply, Dst::Fp32, Format::Tf32, 1, false, true, 0x3FFF0000, 0x3FFF0000, 0x00000000, 0x3DDE4000, "phase 1 of 1.9921875^2"},
    {"E8", Op::Multiply, Dst::Bf16, Format::Tf32, 0, false, true, 0x3FFF0000, 0x3FFF0000, 0x0000, 0x4076, "phase 0 into bf16"},
    {"E9", Op::Multiply, Dst::Bf16, Format::Tf32, 1, false, true, 0x3FFF0000, 0x3FFF0000, 0x4076, 0x407D, "then phase 1"},
    {"E10", Op::Multiply, Dst::Fp16, Format::Fp16, 0, false, true, 0x7C00, 0x4000, 0x0000, 0x7FFF, "fp16 saturation"},
    {"E11", Op::Multiply, Dst::Fp16, Format::Fp16, 0, false, true, 0x8400, 0x0400, 0x0000, 0x0000, "fp16 underflow to +0"},
    {"E12", Op::Multiply, Dst::Fp32, Format::Fp16, 0, false, true, 0x0000, 0x3C00, 0x24800000, 0x25000000, "zero A, FP32 Dst 2^-54"},
    {"A1", Op::Add, Dst::Bf16, Format::Tf32, 0, false, true, 0x3F800000, 0x3F800000, 0x0000, 0x4000, "1+1"},
    {"A2", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x3F800000, 0x3A000000, 0x00000000, 0x3F802000, "aligned to 10 fraction bits, tie away"},
    {"A3", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x3F800000, 0xBA000000, 0x00000000, 0x3F7FC000, "tie, negative small operand: abs(b) rounds up"},
    {"A4", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x3F800000, 0x39800000, 0x00000000, 0x3F800000, "2^-12 lost"},
    {"A5", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x3F800000, 0x3A7F0000, 0x00000000, 0x3F802000, "shift 11 rounds in"},
    {"A6", Op::Add, Dst::Bf16, Format::Tf32, 0, false, true, 0x3F800000, 0x3B800000, 0x0000, 0x3F81, "bf16 final tie away"},
    {"A7", Op::Add, Dst::Bf16, Format::Tf32, 0, false, true, 0xC0000000, 0x40000000, 0x0000, 0x0000, "cancel = +0"},
    {"A8", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x7FC00000, 0x3F800000, 0x00000000, 0x7F800000, "NaN + 1: number"},
    {"A9", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x7F7F0000, 0x7F7F0000, 0x00000000, 0x7F800000, "max+max = Inf"},
    {"A10", Op::Add, Dst::Fp32, Format::Tf32, 0, true, true, 0x3F800000, 0x3F800000, 0x34000000, 0x40000001, "Dst accumulate, 3 terms"},
    {"A11", Op::Add, Dst::Fp32, Format::Tf32, 0, true, true, 0x3F000000, 0x3F000000, 0x33800000, 0x3F800001, "Dst 2^-24 tie"},
    {"A12", Op::Add, Dst::Fp32, Format::Tf32, 0, false, true, 0x80000000, 0x80000000, 0x00000000, 0x00000000, "-0 + -0 = +0"},
    {"A13", Op::Subtract, Dst::Bf16, Format::Tf32, 0, false, true, 0x3F800000, 0x3B800000, 0x0000, 0x3F7F, "1 - 2^-8"},
    {"A14", Op::Subtract, Dst::Bf16, Format::Tf32, 0, false, true, 0x00000000, 0x40490000, 0x0000, 0xC049, "0 - x"},
    {"A15", Op::Add, Dst::Fp16, Format::Fp16, 0, false, true, 0x7BFF, 0x7BFF, 0x0000, 0x7FFF, "fp16 max+max"},
    {"A16", Op::Add, Dst::Fp16, Format::Fp16, 0, false, true, 0x7C00, 0x7C00, 0x0000, 0x7FFF, "fp16 exp31 saturates"},
    {"A17", Op::Add, Dst::Fp32, Format::Fp16, 0, false, true, 0x3C00, 0x1000, 0x00000000, 0x3F802000, "fp16 into FP32"},
    {"A18", Op::Subtract, Dst::Fp32, Format::Fp16, 0, false, false, 0x0000, 0x0000, 0x00000000, 0xB0800000, "corner of 5.2"},
    {"A19", Op::Subtract, Dst::Bf16, Format::Tf32, 0, false, false, 0x00000000, 0x007FFFFF, 0x0000, 0x0000, "a kept denormal alone stays below the normal numbers, though BF16 rounds it up"},
    {"A20", Op::Add, Dst::Bf16, Format::Tf32, 0, true, false, 0x00000000, 0x007FE000, 0x8000, 0x0000, "nor beside a zero in Dst"},
    {"A21", Op::Add, Dst::Bf16, Format::Tf32, 0, true, false, 0x00000000, 0x007FE000, 0x0080, 0x0100, "beside a normal number it counts"},
};
// clang-format on

void run(Op op, const FpuMode& mode, Fixture& f, Broadcast broadcast, bool accumulate_dst) {
  if (op == Op::Multiply) {
    ASSERT_EQ(arithmetic_refusal(mode), nullptr);
    elementwise_multiply(mode, *f.a, 8, *f.b, 16, broadcast, f.dst(mode));
  } else {
    ASSERT_EQ(arithmetic_refusal(mode), nullptr);
    elementwise_add(mode, *f.a, 8, *f.b, 16, broadcast, op == Op::Subtract, accumulate_dst, f.dst(mode));
  }
}

TEST(Elementwise, GivesTheVectorsOfTheReference) {
  for (const Vector& v : kVectors) {
    FpuMode mode;
    mode.src_a = mode.src_b = v.dst == Dst::Fp16 ? Format::Fp16 : v.source;
    mode.fp32_dst = v.dst == Dst::Fp32;
    mode.flush_src = v.flush;
    mode.phase = static_cast<uint8_t>(v.phase);
    Fixture f;
    f.a->cells[8 + 3][7] = cell_of(mode.src_a, v.a);
    f.b->cells[16 + 3][7] = cell_of(mode.src_b, v.b);
    f.set(mode, 3, 7, v.before);
    run(v.op, mode, f, {}, v.accumulate);
    EXPECT_EQ(f.get(mode, 3, 7), v.after) << v.name << ": " << v.why;
  }
}

TEST(Elementwise, BroadcastTakesRowZeroOrColumnZeroOfSrcB) {
  for (const bool row : {false, true}) {
    for (const bool column : {false, true}) {
      FpuMode mode;
      mode.fp32_dst = true;
      Fixture f;
      for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 16; ++j) f.b->cells[16 + i][j] = make_cell(false, 100 + i, j << 3);
      run(Op::Add, mode, f, {column, row}, false);
      for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 16; ++j)
          EXPECT_EQ(f.get(mode, i, j) >> 13, make_cell(false, 100 + (row ? 0 : i), (column ? 0 : j) << 3));
    }
  }
}

// The ISA page of ELWADD: phase bit 0 divides the sum by 32, bit 1 by 128. The reference simulator refuses phases here.
TEST(Elementwise, PhasesDivideASum) {
  constexpr uint32_t kResults[] = {0x40000000, 0x3D800000, 0x3C800000, 0x3A000000};
  for (const uint8_t phase : {0, 1, 2, 3}) {
    FpuMode mode;
    mode.fp32_dst = true;
    mode.phase = phase;
    Fixture f;
    f.a->cells[8][0] = cell_from_fp32(0x3FC00000);
    f.b->cells[16][0] = cell_from_fp32(0x3F000000);
    run(Op::Add, mode, f, {}, false);
    EXPECT_EQ(f.get(mode, 0, 0), kResults[phase]);
    f.set(mode, 0, 0, 0x3F800000);
    run(Op::Subtract, mode, f, {}, true);
    EXPECT_GT(f.get(mode, 0, 0), 0x3F800000u) << "the quotient is added to Dst, which stays whole";
  }
}

TEST(Elementwise, IntegerModeAddsWholeMagnitudesAndMultipliesSlices) {
  FpuMode mode;
  mode.src_a = mode.src_b = Format::Int8;
  mode.int8_math = true;
  Fixture f;
  f.a->cells[8][0] = make_cell(false, 16, 255);
  f.b->cells[16][0] = make_cell(true, 16, 1023);
  run(Op::Add, mode, f, {}, false);
  EXPECT_EQ(f.get(mode, 0, 0), 0x80000000u | (1023 - 255));
  run(Op::Subtract, mode, f, {}, true);
  EXPECT_EQ(f.get(mode, 0, 0), 255u + 1023 - (1023 - 255));
  f.set(mode, 0, 0, 0);
  run(Op::Multiply, mode, f, {}, false);
  EXPECT_EQ(f.get(mode, 0, 0), 0x80000000u | 225792);
}

}  // namespace
}  // namespace kerr::emu::math::test
