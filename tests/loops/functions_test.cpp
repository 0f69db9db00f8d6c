// exp2, log2 and sin of loop programs against the host's functions in float64.
#include "loops/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "loops/arithmetic.hpp"

namespace kerr::loops {
namespace {

constexpr uint32_t kNan = 0x7FC00000, kInfinity = 0x7F800000, kSign = 0x80000000, kOne = 0x3F800000;

double value(uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); }

// How far the result lies from the exact one, in units of the last place of the exact one. What is below the normal
// numbers becomes zero.
double ulps(double exact, uint32_t result) {
  constexpr double kSmallestNormal = 0x1p-126, kWrong = 1e9;
  if (std::isnan(exact)) return result == kNan ? 0 : kWrong;
  const double magnitude = std::fabs(exact);
  if (magnitude < kSmallestNormal) return (result & ~kSign) == 0 ? 0 : kWrong;
  if (magnitude >= 0x1.ffffffp127) return result == (exact < 0 ? kSign | kInfinity : kInfinity) ? 0 : kWrong;
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(value(result) - exact) / std::ldexp(1, exponent - 24);
}

// The greatest error over every `step`th bit pattern of the type.
double greatest_error(uint32_t (*function)(uint32_t), double (*exact)(double), uint64_t step) {
  double greatest = 0;
  for (uint64_t bits = 0; bits < 1ull << 32; bits += step) {
    const auto x = static_cast<uint32_t>(bits);
    const double operand = (x & ~kSign) < 0x00800000 ? std::copysign(0.0, value(x)) : value(x);
    greatest = std::max(greatest, ulps(exact(operand), function(x)));
  }
  return greatest;
}

constexpr uint64_t kStep = 509;  // odd, so that all patterns of the last bits are met

TEST(Exp2, OfFloat32IsWithinTheBoundForEveryKindOfOperand) {
  EXPECT_LT(greatest_error(exp2_f32, std::exp2, kStep), 0.54);
}

TEST(Log2, OfFloat32IsWithinTheBoundForEveryKindOfOperand) {
  EXPECT_LT(greatest_error(log2_f32, std::log2, kStep), 0.54);
}

TEST(Sin, OfFloat32IsWithinTheBoundForEveryKindOfOperand) { EXPECT_LT(greatest_error(sin_f32, std::sin, kStep), 0.58); }

TEST(Exp2, OfFloat32KnowsItsSpecialOperands) {
  EXPECT_EQ(exp2_f32(0), kOne);
  EXPECT_EQ(exp2_f32(kSign), kOne);
  EXPECT_EQ(exp2_f32(0x007FFFFF), kOne);  // a denormal is zero
  EXPECT_EQ(exp2_f32(kInfinity), kInfinity);
  EXPECT_EQ(exp2_f32(kSign | kInfinity), 0u);
  EXPECT_EQ(exp2_f32(0xFFFFFFFF), kNan);
  EXPECT_EQ(exp2_f32(0x42FE0000), 0x7F000000u);  // 127
  EXPECT_EQ(exp2_f32(0x43000000), kInfinity);    // 128
  EXPECT_EQ(exp2_f32(0x42FFFFFF), 0x7F7FFFA7u);  // just below 128
  EXPECT_EQ(exp2_f32(0xC2FC0000), 0x00800000u);  // -126
  EXPECT_EQ(exp2_f32(0xC2FC0001), 0u);           // just below -126: a denormal
}

TEST(Log2, OfFloat32KnowsItsSpecialOperands) {
  for (int exponent = -126; exponent <= 127; ++exponent) {
    const auto power = static_cast<uint32_t>(exponent + 127) << 23;
    EXPECT_EQ(log2_f32(power), std::bit_cast<uint32_t>(static_cast<float>(exponent)));
  }
  EXPECT_EQ(log2_f32(0), kSign | kInfinity);
  EXPECT_EQ(log2_f32(kSign), kSign | kInfinity);
  EXPECT_EQ(log2_f32(0x007FFFFF), kSign | kInfinity);
  EXPECT_EQ(log2_f32(kInfinity), kInfinity);
  EXPECT_EQ(log2_f32(kSign | kOne), kNan);
  EXPECT_EQ(log2_f32(kSign | kInfinity), kNan);
  EXPECT_EQ(log2_f32(0x7F800001), kNan);
}

TEST(Sin, OfFloat32KnowsItsSpecialOperands) {
  EXPECT_EQ(sin_f32(0), 0u);
  EXPECT_EQ(sin_f32(kSign), kSign);
  EXPECT_EQ(sin_f32(kSign | 1), kSign);
  EXPECT_EQ(sin_f32(kInfinity), kNan);
  EXPECT_EQ(sin_f32(kSign | kInfinity), kNan);
  EXPECT_EQ(sin_f32(0x7FC12345), kNan);
}

// Multiples of pi, of pi/2 and of 2^k pi that float32 comes close to, and the largest number.
TEST(Sin, OfFloat32KeepsItsPrecisionNextToMultiplesOfHalfPi) {
  for (const uint32_t bits : {0x40490FDBu, 0x3FC90FDBu, 0x6115CB11u, 0x5F18B878u, 0x7F7FFFFFu}) {
    EXPECT_LT(ulps(std::sin(value(bits)), sin_f32(bits)), 0.58) << std::hex << bits;
    EXPECT_EQ(sin_f32(bits | kSign), sin_f32(bits) ^ kSign);
  }
}

// ---- float64, against the host's long double, which has eleven bits more or sixty

constexpr uint64_t kNan64 = 0x7FF8000000000000, kInfinity64 = 0x7FF0000000000000, kSign64 = 1ull << 63,
                   kOne64 = 0x3FF0000000000000;

double value64(uint64_t bits) { return std::bit_cast<double>(bits); }

// As ulps(); denormals are numbers like others, with a last place of their own.
double ulps64(long double exact, uint64_t result) {
  constexpr double kWrong = 1e9;
  if (std::isnan(exact)) return result == kNan64 ? 0 : kWrong;
  if (std::fabs(exact) >= 0x1.fffffffffffff8p1023L)
    return result == (exact < 0 ? kSign64 : 0) + kInfinity64 ? 0 : kWrong;
  if (exact == 0) return result << 1 == 0 ? 0 : kWrong;
  int exponent;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(value64(result) - exact) / std::ldexp(1.0L, std::max(exponent, -1021) - 53));
}

double greatest_error64(uint64_t (*function)(uint64_t), long double (*exact)(long double), double near) {
  std::mt19937_64 random(1);
  double greatest = 0;
  for (int i = 0; i < 300000; ++i) {
    uint64_t x = random();                                                       // any bits
    if (i % 3 == 1) x = (x & ~kInfinity64) | (1023 - 30 + random() % 50) << 52;  // exponents that matter
    if (i % 3 == 2) {                                                            // next to a multiple of `near`
      const double offset = std::ldexp(static_cast<double>(static_cast<int64_t>(random() >> random() % 60)), -64);
      x = std::bit_cast<uint64_t>(near * static_cast<double>(1 + random() % 1000) * (1 + (x & 1 ? offset : -offset)));
    }
    greatest = std::max(greatest, ulps64(exact(value64(x)), function(x)));
  }
  return greatest;
}

TEST(Exp2, OfFloat64IsWithinTheBound) { EXPECT_LT(greatest_error64(exp2_f64, std::exp2, 1), 0.54); }
TEST(Log2, OfFloat64IsWithinTheBound) { EXPECT_LT(greatest_error64(log2_f64, std::log2, 0x1p-9), 0.54); }
TEST(Sin, OfFloat64IsWithinTheBound) { EXPECT_LT(greatest_error64(sin_f64, std::sin, 1.5707963267948966), 0.56); }

TEST(Exp2, OfFloat64KnowsItsSpecialOperands) {
  const auto exp2_of = [](double x) { return exp2_f64(std::bit_cast<uint64_t>(x)); };
  EXPECT_EQ(exp2_f64(0), kOne64);
  EXPECT_EQ(exp2_f64(kSign64), kOne64);
  EXPECT_EQ(exp2_f64(1), kOne64);
  EXPECT_EQ(exp2_f64(kInfinity64), kInfinity64);
  EXPECT_EQ(exp2_f64(kSign64 | kInfinity64), 0u);
  EXPECT_EQ(exp2_f64(~0ull), kNan64);
  EXPECT_EQ(exp2_of(1024), kInfinity64);
  EXPECT_EQ(exp2_of(-1022), 1ull << 52);
  EXPECT_EQ(exp2_of(-1074), 1u);
  EXPECT_EQ(exp2_of(std::nextafter(-1075, 0)), 1u);
  EXPECT_EQ(exp2_of(-1075), 0u);  // a tie goes to the even one
  EXPECT_EQ(exp2_of(-5000), 0u);
}

TEST(Log2, OfFloat64KnowsItsSpecialOperands) {
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    EXPECT_EQ(log2_f64(std::bit_cast<uint64_t>(std::ldexp(1.0, exponent))),
              std::bit_cast<uint64_t>(double{1} * exponent));
  }
  EXPECT_EQ(log2_f64(0), kSign64 | kInfinity64);
  EXPECT_EQ(log2_f64(kSign64), kSign64 | kInfinity64);
  EXPECT_EQ(log2_f64(kInfinity64), kInfinity64);
  EXPECT_EQ(log2_f64(kSign64 | 1), kNan64);
  EXPECT_EQ(log2_f64(kSign64 | kInfinity64), kNan64);
  EXPECT_EQ(log2_f64(kInfinity64 | 1), kNan64);
}

TEST(Sin, OfFloat64KnowsItsSpecialOperands) {
  for (const uint64_t same : std::initializer_list<uint64_t>{0, kSign64, 1, kSign64 | 1ull << 52})
    EXPECT_EQ(sin_f64(same), same);
  EXPECT_EQ(sin_f64(kInfinity64), kNan64);
  EXPECT_EQ(sin_f64(kSign64 | kInfinity64), kNan64);
  EXPECT_EQ(sin_f64(kInfinity64 | 1), kNan64);
}

// 6381956970095103 * 2^797 is closer to a multiple of pi/2 than all other numbers, and the double of it is -9.37e-19
// from one of pi (Muller, Elementary Functions, 11.1; the bits of the sine from 2000 bits of precision).
TEST(Sin, OfFloat64KeepsItsPrecisionNextToMultiplesOfPi) {
  EXPECT_EQ(sin_f64(std::bit_cast<uint64_t>(std::ldexp(6381956970095103.0, 798))), 0xBC314AE72E6BA22Fu);
}

}  // namespace
}  // namespace kerr::loops
