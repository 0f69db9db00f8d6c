// The vectors of docs/hardware/tensix-math.md 15.1: one output element of MVMUL each.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "emu/math/dot_product.hpp"
#include "tests/emu/math/vectors.hpp"

namespace kerr::emu::math::test {
namespace {

enum class Dst { Fp32, Bf16, Fp16 };

struct Element {
  const char* name;
  Dst dst;
  Format source;
  int phase;
  const char* a;  // "k:value ...", "*" means all 16 terms, "0-7" those
  const char* b;
  uint32_t before, after;
  const char* why;
};

// clang-format off
const Element kElements[] = {
    {"M1", Dst::Fp32, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0x00000000, 0x3F800000, "unit"},
    {"M2", Dst::Fp32, Format::Tf32, 0, "*:3F800000", "*:3F800000", 0x00000000, 0x41800000, "16 terms"},
    {"M3", Dst::Fp32, Format::Tf32, 0, "0:3F800000 1:3A000000", "0:3F800000 1:3F800000", 0x00000000, 0x3F802000, "in-group tie 2^-11 rounds away"},
    {"M4", Dst::Fp32, Format::Tf32, 0, "0:3F800000 1:39800000", "0:3F800000 1:3F800000", 0x00000000, 0x3F800000, "in-group 2^-12 lost"},
    {"M5", Dst::Fp32, Format::Tf32, 0, "0:3F800000 1:BA000000", "0:3F800000 1:3F800000", 0x00000000, 0x3F7FC000, "negative tie also away from zero"},
    {"M6", Dst::Fp32, Format::Tf32, 0, "0:3F800000 8:39800000", "0:3F800000 8:3F800000", 0x00000000, 0x3F800800, "other group keeps 2^-12"},
    {"M7", Dst::Fp32, Format::Tf32, 0, "0:3F800000 8:33800000", "0:3F800000 8:3F800000", 0x00000000, 0x3F800001, "cross-group tie +2^-24 up"},
    {"M8", Dst::Fp32, Format::Tf32, 0, "0:3F800000 8:B3800000", "0:3F800000 8:3F800000", 0x00000000, 0x3F800000, "cross-group tie -2^-24 toward zero"},
    {"M9", Dst::Fp32, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0x33800000, 0x3F800001, "Dst tie is magnitude half-up"},
    {"M10", Dst::Fp32, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0xB3800000, 0x3F7FFFFE, "negative Dst tie also"},
    {"M11", Dst::Bf16, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0x3B80, 0x3F81, "bf16 Dst: final tie away from zero"},
    {"M12", Dst::Bf16, Format::Tf32, 0, "0:BF800000", "0:3F800000", 0xBB80, 0xBF81, "same, negative"},
    {"M13", Dst::Bf16, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0x3A80, 0x3F80, "bf16: 2^-10 term vanishes in final 8 bits"},
    {"M14", Dst::Bf16, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0xBF7F, 0x3B80, "cancellation keeps 2^-10 step"},
    {"M15", Dst::Bf16, Format::Tf32, 0, "0:3F800000", "0:3F800000", 0xBF80, 0x0000, "exact cancellation gives +0"},
    {"M16", Dst::Fp32, Format::Tf32, 0, "", "", 0x80000000, 0x00000000, "-0 in Dst, zero product: +0"},
    {"M17", Dst::Fp32, Format::Tf32, 0, "", "", 0x007FFFFF, 0x00000000, "denormal Dst reads as 0"},
    {"M18", Dst::Fp32, Format::Tf32, 0, "0:3FFF0000", "0:3FFF0000", 0x00000000, 0x40761000, "full mantissas phase 0"},
    {"M19", Dst::Fp32, Format::Tf32, 1, "0:3FFF0000", "0:3FFF0000", 0x00000000, 0x3DDE4000, "phase 1"},
    {"M20", Dst::Fp32, Format::Tf32, 2, "0:3FFF0000", "0:3FFF0000", 0x00000000, 0x3C780000, "phase 2"},
    {"M21", Dst::Fp32, Format::Tf32, 3, "0:3FFF0000", "0:3FFF0000", 0x00000000, 0x39E00000, "phase 3"},
    {"M22", Dst::Fp32, Format::Tf32, 1, "0:3F802000", "0:3F800000", 0x00000000, 0x00000000, "TF32 A lsb never used (ph1)"},
    {"M23", Dst::Fp32, Format::Tf32, 2, "0:3F800000", "0:3F802000", 0x00000000, 0x3A800000, "TF32 B lsb used (ph2)"},
    {"M24", Dst::Fp32, Format::Tf32, 0, "0:7F000000", "0:40000000", 0x00000000, 0x7F800000, "overflow to Inf"},
    {"M25", Dst::Fp32, Format::Tf32, 0, "0:7F800000", "0:3F000000", 0x00000000, 0x7F000000, "Inf is a number: Inf*0.5"},
    {"M26", Dst::Fp32, Format::Tf32, 0, "0:FFC00000", "0:3B800000", 0x00000000, 0xFBC00000, "NaN is a number: 1.5*2^128*2^-8"},
    {"M27", Dst::Fp32, Format::Tf32, 0, "0:7F800000", "0:3F800000", 0xFF800000, 0x00000000, "Inf - Inf = +0"},
    {"M28", Dst::Fp32, Format::Tf32, 0, "0:20400000", "0:1F400000", 0x00000000, 0x00000000, "underflow: max exponent <=0 flushes although 2.25*2^-127 is normal"},
    {"M29", Dst::Fp32, Format::Tf32, 0, "0:20400000", "0:20000000", 0x00000000, 0x00C00000, "exponent 1 survives (min normal range)"},
    {"M30", Dst::Fp32, Format::Tf32, 0, "0:007F0000", "0:7F000000", 0x3F800000, 0x3F800000, "denormal A = 0"},
    {"M31", Dst::Fp32, Format::Tf32, 0, "0-7:3FF80000", "0-7:3FFE0000", 0x00000000, 0x41F61000, "8 x 1.9375*1.984375 in one group"},
    {"M32", Dst::Fp16, Format::Fp16, 0, "0:3C00", "0:3C00", 0x0000, 0x3C00, "fp16 unit"},
    {"M33", Dst::Fp16, Format::Fp16, 0, "0:3C00", "0:3C00", 0x1000, 0x3C01, "fp16 Dst tie 2^-11 away"},
    {"M34", Dst::Fp16, Format::Fp16, 0, "0:7BFF", "0:3C00", 0x5000, 0x7BC1, "fp16 exponent 31 is a number"},
    {"M35", Dst::Fp16, Format::Fp16, 0, "0:7BFF", "0:4400", 0x0000, 0x7FFF, "fp16 saturates to 7FFF"},
    {"M36", Dst::Fp16, Format::Fp16, 0, "0:FBFF", "0:4400", 0x0000, 0xFFFF, "fp16 -saturate"},
    {"M37", Dst::Fp32, Format::Fp16, 0, "0:3C00", "0:3C00", 0x00000000, 0x3F800000, "fp16 into FP32 Dst"},
    {"M38", Dst::Fp32, Format::Fp16, 0, "0:0400", "0:0400", 0x00000000, 0x31800000, "fp16 2^-14*2^-14 into FP32"},
    {"M39", Dst::Fp32, Format::Fp16, 0, "*:0000", "*:0000", 0x26800001, 0x26800000, "FP16 zero operands still align Dst to exponent 97: low bits lost"},
    {"M40", Dst::Fp32, Format::Fp16, 0, "*:0000", "*:0000", 0x24800000, 0x25000000, "... 2^-54 becomes 2^-53"},
    {"M41", Dst::Fp32, Format::Fp16, 0, "*:0000", "*:0000", 0x24000000, 0x00000000, "... 2^-55 becomes 0"},
    {"M42", Dst::Fp32, Format::Fp16, 0, "*:0000", "*:0000", 0x2A800001, 0x2A800000, "same quirk, phase 0, Dst exponent 85"},
    {"M43", Dst::Fp32, Format::Fp16, 3, "*:0000", "*:0000", 0x2A800001, 0x2A800001, "phase 3 clamps at 85, so Dst is kept"},
    {"M44", Dst::Fp16, Format::Fp16, 0, "0:2000 1:2300 2:23C0", "0:2000 1:23A0 2:2390", 0x3C00, 0x3C01, "sum 8191/1024*2^-14 vs Dst 1.0: double rounding gives +1 ulp"},
    {"M45", Dst::Fp16, Format::Fp16, 0, "0:A000 1:A300 2:A3C0", "0:2000 1:23A0 2:2390", 0x3C00, 0x3C00, "negated: no double round-up"},
    {"M46", Dst::Fp32, Format::Tf32, 1, "0:49800000", "0:3F800000", 0x3F800001, 0x3F800000, "zero slice, nonzero exponent: Dst aligned to 2^15"},
    {"M47", Dst::Fp32, Format::Tf32, 1, "0:53800000", "0:3F800000", 0x3F800000, 0x00000000, "... and wiped out at 2^35"},
    {"M48", Dst::Fp32, Format::Tf32, 1, "0:3FFF0000", "0:3FFF0000", 0x40761000, 0x407D0200, "phase 0 result + phase 1"},
    {"M49", Dst::Fp32, Format::Tf32, 2, "0:3FFF0000", "0:3FFF0000", 0x407D0200, 0x407DFA00, "+ phase 2"},
    {"M50", Dst::Fp32, Format::Tf32, 3, "0:3FFF0000", "0:3FFF0000", 0x407DFA00, 0x407E0100, "+ phase 3: exact square"},
};
// clang-format on

// Writes the terms to element (k, column) of SrcA or (row, k) of SrcB.
template <class Set>
void for_each_term(const char* terms, Set set) {
  std::istringstream words(terms);
  for (std::string word; words >> word;) {
    const size_t colon = word.find(':');
    const std::string where = word.substr(0, colon);
    const auto value = static_cast<uint32_t>(std::stoul(word.substr(colon + 1), nullptr, 16));
    unsigned first = 0, last = 15;
    if (where != "*" && std::sscanf(where.c_str(), "%u-%u", &first, &last) == 1) last = first;
    for (unsigned k = first; k <= last; ++k) set(k, value);
  }
}

FpuMode mode_of(const Element& v) {
  FpuMode mode;
  mode.src_a = mode.src_b = v.dst == Dst::Fp16 ? Format::Fp16 : v.source;
  mode.fp32_dst = v.dst == Dst::Fp32;
  mode.phase = static_cast<uint8_t>(v.phase);
  return mode;
}

class DotProduct : public testing::TestWithParam<bool> {
 protected:
  static void run(const FpuMode& mode, Fixture& f, unsigned row_a, unsigned row_b) {
    if (GetParam())
      dot_product(mode, *f.a, row_a, *f.b, row_b, f.dst(mode), 8);
    else
      dot_product_reference(mode, *f.a, row_a, *f.b, row_b, f.dst(mode), 8);
  }
};

TEST_P(DotProduct, GivesTheVectorsOfTheReferenceAtAnyPosition) {
  for (const Element& v : kElements) {
    for (unsigned position : {0u, 5u, 127u}) {
      const unsigned row = position / 16, column = position % 16, row_a = 16 * (position % 4),
                     row_b = 8 * (position % 8);
      const FpuMode mode = mode_of(v);
      ASSERT_EQ(arithmetic_refusal(mode), nullptr);
      Fixture f;
      for_each_term(v.a, [&](unsigned k, uint32_t x) { f.a->cells[row_a + k][column] = cell_of(mode.src_a, x); });
      for_each_term(v.b, [&](unsigned k, uint32_t x) { f.b->cells[row_b + row][k] = cell_of(mode.src_b, x); });
      f.set(mode, row, column, v.before);
      run(mode, f, row_a, row_b);
      EXPECT_EQ(f.get(mode, row, column), v.after) << v.name << ": " << v.why << ", element " << row << ", " << column;
    }
  }
}

struct IntegerVector {
  const char* name;
  int phase, a, b;  // a and b with sign, magnitudes up to 1023
  uint32_t before, after, raw_after;
};

// By analogy with ELWMUL (tensix-math.md 4.6): without the zero flag an exponent of 0 in SrcB has a hidden one.
TEST_P(DotProduct, CanKeepTheDenormalsOfSrcB) {
  FpuMode mode;
  mode.src_a = mode.src_b = Format::Tf32;
  mode.fp32_dst = true;
  for (const bool flush : {true, false}) {
    mode.flush_src = flush;
    ASSERT_EQ(arithmetic_refusal(mode), nullptr);
    Fixture f;
    f.a->cells[2][3] = make_cell(false, 137, 0);
    f.b->cells[1][2] = make_cell(true, 0, 0x200);
    f.a->cells[4][3] = make_cell(false, 0, 0x3FF);  // of SrcA they never count
    f.b->cells[1][4] = make_cell(false, 200, 0);
    f.set(mode, 1, 3, 0);
    run(mode, f, 0, 0);
    EXPECT_EQ(f.get(mode, 1, 3), flush ? 0u : 0x85400000u) << "1.5 * 2^(10 - 127)";
  }
}

TEST_P(DotProduct, GivesTheIntegerVectorsOfTheReference) {
  const IntegerVector vectors[] = {
      {"MI1", 0, 255, 1023, 0, 225792, encode_32(225792)},
      {"MI2", 1, 255, 1023, 225792, 257040, encode_32(257040)},
      {"MI3", 2, 255, 1023, 257040, 260400, encode_32(260400)},
      {"MI4", 3, 255, 1023, 260400, 260865, encode_32(260865)},
      {"MI5", 0, 768, 1023, 0, 0, 0},
      {"MI6", 3, 31, -15, 0x80000001, 0x800001D2, 0x800001D2},
      {"MI7", 0, 224, 1008, 0, 0x00037200, 0x03007200},
      {"MI8", 0, 224, 1008, 0x7FFFFFFF, 0x7FFFFFFF, encode_32(0x7FFFFFFF)},
  };
  for (const IntegerVector& v : vectors) {
    FpuMode mode;
    mode.src_a = mode.src_b = Format::Int8;
    mode.int8_math = true;
    mode.phase = static_cast<uint8_t>(v.phase);
    ASSERT_EQ(arithmetic_refusal(mode), nullptr);
    Fixture f;
    f.a->cells[0][3] = make_cell(v.a < 0, 16, static_cast<unsigned>(std::abs(v.a)));
    f.b->cells[2][0] = make_cell(v.b < 0, 16, static_cast<unsigned>(std::abs(v.b)));
    f.set(mode, 2, 3, v.before);
    run(mode, f, 0, 0);
    EXPECT_EQ(f.get(mode, 2, 3), v.after) << v.name;
    EXPECT_EQ(static_cast<uint32_t>(f.high[2 * 16 + 3]) << 16 | f.low[2 * 16 + 3], v.raw_after) << v.name;
  }
}

INSTANTIATE_TEST_SUITE_P(, DotProduct, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Fast" : "Reference"; });

TEST(DotProductRefusal, NamesWhatHasNoKnownResult) {
  FpuMode mode;
  EXPECT_EQ(arithmetic_refusal(mode), nullptr);
  mode.src_b = Format::Fp16;
  EXPECT_NE(arithmetic_refusal(mode), nullptr);
  mode = {};
  mode.src_a = mode.src_b = format_from_code(12);
  EXPECT_NE(arithmetic_refusal(mode), nullptr);
}

}  // namespace
}  // namespace kerr::emu::math::test
