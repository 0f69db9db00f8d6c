#include "loops/functions.hpp"

#include <bit>

#include "loops/arithmetic.hpp"

namespace kerr::loops {
namespace {

using namespace f32_functions;

constexpr uint32_t kSign = 0x80000000, kOne = 0x3F800000, kSmallestNormal = 0x00800000, kInfinity = 0x7F800000,
                   kNan = 0x7FC00000;

uint32_t mulhu(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }
// Both operands signed.
uint32_t mulh(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b) >> 32);
}

// The significand's 24 bits on top of a word, the highest of them set.
uint32_t significand(uint32_t magnitude) { return magnitude << 8 | kSign; }

// w * 2^exponent, where the highest bit of w is set, rounded to nearest: a tie away from zero, which is as good as any,
// because no value but powers of two is exact.
uint32_t rounded(uint32_t w, int32_t exponent) {
  return (static_cast<uint32_t>(exponent + 31 + 127 - 1) << 23) + (((w >> 7) + 1) >> 1);
}

// value * 2^exponent; 0 for 0.
uint32_t normalized(uint64_t value, int32_t exponent) {
  if (value == 0) return 0;
  const int zeros = std::countl_zero(value);
  return rounded(static_cast<uint32_t>(value << zeros >> 32), exponent + 32 - zeros);
}

}  // namespace

// x = i + f with an integer i and f in [0, 1): 2^i is the exponent, 2^f the significand.
uint32_t exp2_f32(uint32_t bits) {
  constexpr uint32_t k128 = 0x43000000, kTiny = 0x33000000;  // 2^-25
  const uint32_t magnitude = bits & ~kSign;
  const bool negative = bits & kSign;
  if (magnitude > kInfinity) return kNan;
  if (magnitude >= k128) return negative ? 0 : kInfinity;
  if (magnitude < kTiny) return kOne;
  const uint32_t exponent = magnitude >> 23;
  uint32_t i = 0, f = significand(magnitude);  // f * 2^(exponent - 158)
  if (exponent >= 127) {
    i = f >> (158 - exponent);
    f <<= exponent - 126;
  } else {
    f >>= 126 - exponent;
  }
  if (negative) {
    f = -f;
    i = -i - (f != 0);
  }
  if (static_cast<int32_t>(i) < -126) return 0;
  uint32_t p = kExp2[5];
  for (int k = 4; k >= 0; --k) p = mulhu(p, f) + kExp2[k];
  return ((i + 127) << 23) + (((mulhu(p, f) >> 8) + 1) >> 1);
}

// x = 2^i * m with m from sqrt(1/2) to sqrt(2), so that i and log2(m) cancel nowhere; m = 1 + r or 1 - r exactly.
uint32_t log2_f32(uint32_t bits) {
  constexpr uint32_t kSqrtHalf = 0x3F3504F3;
  const uint32_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) return kNan;
  if (magnitude < kSmallestNormal) return kSign | kInfinity;
  if (bits & kSign) return kNan;
  if (magnitude == kInfinity) return kInfinity;
  const int32_t i = static_cast<int32_t>(bits - kSqrtHalf) >> 23;
  const uint32_t m = bits - (static_cast<uint32_t>(i) << 23);
  const bool below = m < kOne;
  const uint32_t r = below ? (kOne - m) << 8 : (m - kOne) << 9;  // 2^-32
  const auto& coefficients = below ? kLog2Below : kLog2Above;
  uint32_t p = coefficients[7];
  for (int k = 6; k >= 0; --k) p = mulh(p, r) + coefficients[k];
  const uint64_t fraction = uint64_t{p} * r >> 8;  // 2^-55
  const uint64_t sum = (static_cast<uint64_t>(i) << 55) + (below ? -fraction : fraction);
  const bool negative = static_cast<int64_t>(sum) < 0;
  return normalized(negative ? -sum : sum, -55) | (negative ? kSign : 0);
}

// x * 2/pi = 4k + n + f with f from -1/2 to 1/2: sin or cos of f * pi/2. Of 2/pi only the 96 bits matter that x shifts
// to where they are neither a multiple of 4 nor below 2^-62: the reduction is exact for every x.
uint32_t sin_f32(uint32_t bits) {
  constexpr uint32_t kTiny = 0x39800000;  // 2^-12: from there on sin(x) is x
  const uint32_t magnitude = bits & ~kSign;
  if (magnitude >= kInfinity) return kNan;
  if (magnitude < kTiny) return magnitude < kSmallestNormal ? bits & kSign : bits;
  const uint32_t m = significand(magnitude);  // m * 2^(exponent - 158)
  const uint32_t shift = (magnitude >> 23) - 96;
  const uint32_t* const words = &kTwoOverPi[shift / 32];
  const auto window = [&](int k) {  // word k of the 96 bits
    return words[k] << shift % 32 | words[k + 1] >> 1 >> (31 - shift % 32);
  };
  const uint64_t turns = (uint64_t{m * window(0)} << 32) + uint64_t{m} * window(1) + mulhu(m, window(2));  // 2^-62
  const uint64_t nearest = turns + (1ull << 61);
  const uint32_t n = static_cast<uint32_t>(nearest >> 62);
  const uint64_t f = (nearest & (~0ull >> 2)) - (1ull << 61);
  const bool f_negative = static_cast<int64_t>(f) < 0;
  const uint64_t distance = f_negative ? -f : f;
  const uint32_t rounded_distance = static_cast<uint32_t>(distance >> 30);  // 2^-32
  const uint32_t square = mulhu(rounded_distance, rounded_distance);
  uint32_t result;
  bool negative = (bits & kSign) != 0;
  if (n & 2) negative = !negative;
  if (n & 1) {
    uint32_t p = kCos[3];
    for (int k = 2; k >= 0; --k) p = kCos[k] - mulhu(p, square);
    result = normalized(0x80000000u - mulhu(p, square), -31);
  } else {
    if (f_negative) negative = !negative;
    uint32_t p = kSin[3];
    for (int k = 2; k >= 0; --k) p = kSin[k] - mulhu(p, square);
    const int zeros = std::countl_zero(distance);
    result = normalized(mulhu(static_cast<uint32_t>(distance << zeros >> 32), p), -29 - zeros);
  }
  return result | (negative ? kSign : 0);
}

}  // namespace kerr::loops
