// The vectors of docs/hardware/tensix-math.md 15.3, and what an FMA with one trivial operand must be.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "emu/math/fma.hpp"

namespace kerr::emu::math {
namespace {

struct Vector {
  const char* name;
  uint32_t x, y, z, result;
  const char* why;
};

// clang-format off
const Vector kVectors[] = {
    {"F1", 0x3F800000, 0x3F800000, 0x33800000, 0x3F800000, "tie to even"},
    {"F2", 0x3F800001, 0x3F800000, 0x33800000, 0x3F800002, "tie to even, odd"},
    {"F3", 0x3F800000, 0x3F800000, 0x33800001, 0x3F800001, "just above tie"},
    {"F4", 0x3F800001, 0x3F800000, 0x32000000, 0x3F800001, "addend lost without sticky (shift >= 27)"},
    {"F5", 0x00400000, 0x7F000000, 0x3F800000, 0x3F800000, "denormal in"},
    {"F6", 0x80000000, 0x3F800000, 0x80400000, 0x80000000, "denormal addend, zero product"},
    {"F7", 0x80000000, 0x3F800000, 0x00000000, 0x00000000, "-0 * 1 + +0"},
    {"F8", 0x80000000, 0x3F800000, 0x80000000, 0x80000000, "-0 * 1 + -0"},
    {"F9", 0x3F800000, 0x3F800000, 0xBF800000, 0x00000000, "exact cancel"},
    {"F10", 0x7F800000, 0x00000000, 0x3F800000, 0x7FC00000, "Inf*0"},
    {"F11", 0x7F800000, 0x00400000, 0x3F800000, 0x7FC00000, "Inf*denormal = NaN (denormal is 0)"},
    {"F12", 0xFFFFFFFF, 0x3F800000, 0x3F800000, 0x7FC00000, "-NaN in, canonical out"},
    {"F13", 0x7F800000, 0x3F800000, 0xFF800000, 0x7FC00000, "Inf - Inf"},
    {"F14", 0x7F000000, 0x40000000, 0xFF7FFFFF, 0x7F800000, "product alone overflows: Inf though IEEE is finite"},
    {"F15", 0x7F000000, 0x40000000, 0xFF800000, 0xFF800000, "product overflow vs z=-Inf: returns -Inf"},
    {"F16", 0x1F800000, 0x1F800000, 0x00800000, 0x00800000, "product exponent < 0: ignored"},
    {"F17", 0x80800000, 0x3F000000, 0x00000000, 0x80000000, "result denormal flushed, sign kept"},
    {"F18", 0x00FFFFFF, 0x3F000000, 0x00000000, 0x00800000, "largest denormal rounds up to min normal"},
    {"F19", 0x01000000, 0x3F800000, 0x80C00000, 0x00000000, "denormal difference flushed"},
    {"F20", 0x7F7FFFFF, 0x3F800000, 0x73000000, 0x7F800000, "Inf result by rounding"},
    {"F21", 0x3F88F0AF, 0x3FB2E4C4, 0xBFBF6372, 0xB2800000, "near-total cancellation: product kept to 26 fraction bits"},
    {"F22", 0x3FA8C219, 0x3FA829F6, 0xBFDDB613, 0x33400000, "near-total cancellation: product kept to 26 fraction bits"},
    {"F23", 0x3FBB9643, 0x3FECD0D3, 0xC02D878A, 0x33C00000, "near-total cancellation: product kept to 26 fraction bits"},
    {"F24", 0x3FA7E17E, 0x3FCD515C, 0x3AEAFFB6, 0x4006C24C, "semi-sticky loss"},
    {"F25", 0x3FEE5838, 0x3FC2A6FB, 0x38E91241, 0x40353C24, "semi-sticky loss"},
    {"F26", 0x3FA0633E, 0x3FAB38EA, 0x3B39E40C, 0x3FD6E8D8, "semi-sticky loss"},
    {"F27", 0x3F800000, 0x80000000, 0x00000000, 0x00000000, "SFPMULI -0.0 x 1.0: +0"},
    {"F28", 0x9F000000, 0x1F800000, 0x00000000, 0x00000000, "pe = -2: product vanishes, its sign too"},
    {"F29", 0x20000000, 0x9F800000, 0x00000000, 0x80000000, "pe = 0: flushed after rounding, sign kept"},
};
// clang-format on

TEST(Fma, GivesTheVectorsOfTheReference) {
  for (const Vector& v : kVectors) {
    EXPECT_EQ(fma(v.x, v.y, v.z), v.result) << v.name << ": " << v.why;
    EXPECT_EQ(fma(v.y, v.x, v.z), v.result) << v.name << " with factors swapped";
  }
}

// Additions and multiplications alone equal the host's IEEE arithmetic as long as no denormal or NaN is involved.
TEST(Fma, AddAndMultiplyAreIeeeOnNormalNumbers) {
  constexpr uint32_t kOne = 0x3F800000;
  std::mt19937 random(1);
  const auto normal = [&] { return (random() & 0x807FFFFF) | (64 + random() % 127) << 23; };
  for (int n = 0; n < 200000; ++n) {
    const uint32_t x = normal(), y = normal();
    const float fx = std::bit_cast<float>(x), fy = std::bit_cast<float>(y);
    const float sum = fx + fy, product = fx * fy;
    if (std::fpclassify(sum) != FP_SUBNORMAL) {
      ASSERT_EQ(fma(x, kOne, y), std::bit_cast<uint32_t>(sum)) << std::hex << x << " " << y;
    }
    if (std::isnormal(product)) {
      ASSERT_EQ(fma(x, y, 0), std::bit_cast<uint32_t>(product)) << std::hex << x << " " << y;
    }
  }
}

}  // namespace
}  // namespace kerr::emu::math
