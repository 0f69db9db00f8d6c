// What one lane of the vector unit computes: the scalar definitions that lane_ops.def names. They are written for
// reading, and so that a loop of them over 32 lanes becomes vector code.   docs/hardware/tensix-math.md 10
#pragma once

#include <array>
#include <cstdint>

namespace kerr::emu::tensix::lane {

using u32 = uint32_t;
using i32 = int32_t;

inline constexpr u32 kSign = 0x80000000, kMagnitude = 0x7FFFFFFF, kExponent = 0x7F800000, kFraction = 0x007FFFFF;
inline constexpr u32 kInfinity = 0x7F800000, kOne = 0x3F800000;

constexpr u32 exponent(u32 v) { return v >> 23 & 0xFF; }
constexpr u32 sign_mask(u32 v) { return static_cast<u32>(static_cast<i32>(v) >> 31); }  // all ones if negative

// ---------------------------------------------------------------- integers, 10.5

/// Left by `amount` if it is not negative as a signed number, else right by its magnitude; both modulo 32.
constexpr u32 shift(u32 v, u32 amount) {
  return static_cast<i32>(amount) >= 0 ? v << (amount & 31) : v >> ((0 - amount) & 31);
}
constexpr u32 shift_arithmetic(u32 v, u32 amount) {
  const u32 right = static_cast<u32>(static_cast<i32>(v) >> ((0 - amount) & 31));
  return static_cast<i32>(amount) >= 0 ? v << (amount & 31) : right;
}

/// 32 for 0. By halves, because a loop of this becomes vector code and one of std::countl_zero() does not.
constexpr u32 leading_zeros(u32 v) {
  u32 n = v == 0;
  const auto skip_if_empty = [&](u32 bits) {
    const bool empty = v >> (32 - bits) == 0;
    n += empty ? bits : 0;
    v = empty ? v << bits : v;
  };
  skip_if_empty(16);
  skip_if_empty(8);
  skip_if_empty(4);
  skip_if_empty(2);
  skip_if_empty(1);
  return n;
}

/// Sign-magnitude integers, and floats of every kind, as numbers that compare like unsigned integers.
constexpr u32 order(u32 v) { return v ^ (sign_mask(v) | kSign); }
/// The larger the order the larger the number, -NaN < -Inf < ... < -0 < +0 < ... < +NaN.
constexpr bool less(u32 x, u32 y) { return order(x) < order(y); }
/// The order of SFPSWAP: a negative number comes before its equal. Measured on silicon, 10.8.
constexpr bool less_in_swap(u32 x, u32 y) { return less(x, y) || (x == y && (x & kSign) != 0); }

constexpr u32 absolute_integer(u32 v) { return (v ^ sign_mask(v)) - sign_mask(v); }
/// A NaN with a sign stays as it is. -Inf becomes +Inf: 10.5 says why not as the ISA page has it.
constexpr u32 absolute_float(u32 v) { return v > (kSign | kInfinity) ? v : v & kMagnitude; }

constexpr u32 multiply_24_low(u32 a, u32 b) { return (a * b) & kFraction; }
constexpr u32 multiply_24_high(u32 a, u32 b) {
  return static_cast<u32>((uint64_t{a & kFraction} * (b & kFraction)) >> 23);
}
/// What the floating-point adder makes of the product `p` (23 bits) and an addend: not contractual, 10.3.
constexpr u32 multiply_24_add(u32 p, u32 addend) {
  const u32 ez = exponent(addend);
  if (ez == 0) return p;
  const u32 r = ez > 129 ? ez : 129;
  const u32 s = (r - ez) & 31;
  const u32 whole = (0x800000 | (addend & kFraction)) << 3;
  p >>= (r - 129) & 31;
  const u32 z = whole >> s;
  if (z == 0) return p;
  p += z;
  if (((z << s) ^ whole) > 0xFFFF) p += 0x10000;
  return p & kFraction;
}

// ---------------------------------------------------------------- fields of a float, 10.5

/// Infinity and NaN stay; every other exponent, zero's too, wraps at 256.
constexpr u32 add_to_exponent(u32 v, u32 n) {
  const u32 e = exponent(v);
  return e == 255 ? v : (v & ~kExponent) | ((e + n) & 0xFF) << 23;
}
constexpr u32 with_exponent(u32 v, u32 e) { return (v & ~kExponent) | (e & 0xFF) << 23; }

// ---------------------------------------------------------------- SFPCAST, 10.6

/// The magnitude of v as a float without its rounding; `rest`: the bits shifted out, from bit 7 down.
constexpr u32 cast_truncated(u32 v, u32& rest) {
  const u32 magnitude = v & kMagnitude;
  const u32 zeros = leading_zeros(magnitude), n = magnitude << (zeros & 31);
  rest = n & 0xFF;
  return magnitude == 0 ? 0 : ((157 - zeros) << 23) + (n >> 8);  // the hidden bit adds one to the exponent
}
/// Sign and magnitude to FP32, to nearest even.
constexpr u32 cast_nearest(u32 v) {
  u32 rest = 0;
  const u32 r = cast_truncated(v, rest);
  return (v & kSign) + r + (rest + (r & 1) > 0x80);
}
/// Seven bits of `random` decide.
constexpr u32 cast_stochastic(u32 v, u32 random) {
  u32 rest = 0;
  const u32 r = cast_truncated(v, rest);
  return (v & kSign) + r + ((rest & 0xFE) > (random >> 9 & 0xFE));
}
/// Two's complement to sign and magnitude, and back: 0x80000000 (-2^31, -0) stays.
constexpr u32 cast_complement(u32 v) { return (v & kSign) | absolute_integer(v); }

// ---------------------------------------------------------------- SFP_STOCH_RND, 10.6
// `threshold` has 23 bits. That it is compared with >= is a bug of the chip: rounding to zero can round up.

constexpr u32 round_fraction(u32 v, u32 threshold, unsigned dropped_bits) {
  const u32 dropped = v & ((1u << dropped_bits) - 1);
  const u32 up = dropped >= threshold >> (23 - dropped_bits) ? 1u << dropped_bits : 0;
  const u32 rounded = v - dropped + up;
  const u32 e = v & kExponent;
  return e == 0 ? 0 : e == kExponent ? v & (kSign | kExponent) : rounded;
}

/// `keep_sign`: the result is sign and magnitude, otherwise the absolute value.
constexpr u32 clamped(u32 magnitude, u32 sign, u32 most, bool keep_sign) {
  const u32 m = magnitude < most ? magnitude : most;
  return keep_sign && m != 0 ? sign | m : m;
}

/// Below 0.5 nothing is rounded, whatever the threshold.
constexpr u32 float_to_integer(u32 v, u32 threshold, u32 most, bool keep_sign) {
  const u32 e = exponent(v), mantissa = 0x800000 | (v & kFraction);  // mantissa / 2^23 * 2^(e - 127)
  const u32 whole = mantissa >> ((150 - e) & 31);
  const u32 rest = (e == 126 ? mantissa >> 1 : mantissa << ((e - 127) & 31)) & kFraction;
  const u32 rounded = whole + (rest >= threshold);
  const u32 magnitude = e < 126 ? 0 : e >= 127 + 16 ? most : rounded;
  return clamped(magnitude, v & kSign, most, keep_sign);
}

/// The magnitude shifted right by `amount` modulo 32.
constexpr u32 descale(u32 v, u32 amount, u32 threshold, u32 most, bool keep_sign) {
  const u32 magnitude = v & kMagnitude, n = amount & 31;
  const u32 rest = (n <= 23 ? magnitude << ((23 - n) & 31) : magnitude >> ((n - 23) & 31)) & kFraction;
  return clamped((magnitude >> n) + (rest >= threshold), v & kSign, most, keep_sign);
}

// ---------------------------------------------------------------- SFPLUT, SFPLUTFP32, 10.3

/// The entry for |x| < 1, < 2, and beyond. Integer comparison: a NaN takes the last.
constexpr u32 entry_of_three(u32 x, u32 first, u32 second, u32 third) {
  const u32 m = x & kMagnitude;
  return m < 0x3F800000 ? first : m < 0x40000000 ? second : third;
}
/// One of six halves; the last threshold is 3.0 or 4.0 (as a pattern).
constexpr u32 entry_of_six(u32 x, u32 first, u32 second, u32 third, u32 last_threshold) {
  const u32 m = x & kMagnitude;
  const u32 limit = m < 0x3F800000 ? 0x3F000000 : m < 0x40000000 ? 0x3FC00000 : last_threshold;
  const u32 pair = entry_of_three(x, first, second, third);
  return m < limit ? pair & 0xFFFF : pair >> 16;
}
/// 8 bits: sign, negated exponent, four bits of fraction. 0xFF is zero.
constexpr u32 from_lut8(u32 v) {
  v &= 0xFF;
  return v == 0xFF ? 0 : (v & 0x80) << 24 | (127 - (v >> 4 & 7)) << 23 | (v & 15) << 19;
}
/// FP16, but exponent 31 is zero and exponent 0 is not special.
constexpr u32 from_lut16(u32 v) {
  const u32 e = v >> 10 & 31;
  return (v & 0x8000) << 16 | (e == 31 ? 0 : e + 112) << 23 | (v & 0x3FF) << 13;
}
constexpr u32 with_sign_of(u32 v, u32 sign) { return (v & kMagnitude) | (sign & kSign); }

// ---------------------------------------------------------------- SFPARECIP, 10.4

/// Fractions of 1 / x by seven bits of x's fraction: 128 * (2 / (1 + (i + 0.5) / 128) - 1), half up.
inline constexpr auto kReciprocals = [] {
  std::array<u32, 128> table{};
  for (u32 i = 0; i < 128; ++i) {
    const u32 q = 257 + 2 * i;
    table[i] = (131072 + q) / (2 * q) - 128;
  }
  return table;
}();
/// 1 / x for a positive x, seven bits of fraction good.
constexpr u32 reciprocal(u32 x) {
  const u32 inside = (253 - (x >> 23)) << 23 | kReciprocals[x >> 16 & 0x7F] << 16;
  return x < 0x00800000 ? kInfinity : x >= 0x7E800000 ? 0 : inside;
}

inline constexpr u32 kFirstExponential = 0x3C80,
                     kLastExponential = 0x3FFF;  // upper halves of 2^-6 and of the last below 2
/// Upper halves of e^x by the upper half of x.
extern const std::array<u32, kLastExponential - kFirstExponential + 1> kExponentials;
/// e^x for a positive x below 2; the lower half of x shows through.
inline u32 exponential(u32 x) {
  const u32 high = x >> 16, low = x & 0xFFFF;
  const u32 i = high < kFirstExponential ? kFirstExponential : high > kLastExponential ? kLastExponential : high;
  const u32 inside = kExponentials[i - kFirstExponential] << 16;
  const u32 upper = high < kFirstExponential ? 0x3F810000 : high > kLastExponential ? 0x40800000 : inside;
  return x < 0x00800000 ? kOne : upper | low;
}

// ---------------------------------------------------------------- SFPLOAD, 10.2: `raw` as it is in Dst

constexpr u32 load_fp16(u32 raw) {
  const u32 e = raw & 31;
  return (raw & 0x8000) << 16 | (e ? e + 112 : 0) << 23 | (raw >> 5 & 0x3FF) << 13;
}
/// LaneConfig.ENABLE_FP16A_INF: the largest number is infinity.
constexpr u32 load_fp16_infinity(u32 raw) {
  return (raw & 0x7FFF) == 0x7FFF ? (raw & 0x8000) << 16 | kInfinity : load_fp16(raw);
}
constexpr u32 load_bf16(u32 raw) { return (raw & 0x8000) << 16 | (raw & 0xFF) << 23 | (raw & 0x7F00) << 8; }
constexpr u32 load_32(u32 raw) { return (raw & 0x8000FFFF) | (raw & 0x00FF0000) << 7 | (raw & 0x7F000000) >> 8; }
constexpr u32 load_int(u32 raw, u32 magnitude_mask) { return (raw & 0x8000) << 16 | (raw >> 5 & magnitude_mask); }
constexpr u32 load_int16(u32 raw) { return (raw & 0x8000) << 16 | (raw & 0x7FFF); }

// ---------------------------------------------------------------- SFPSTORE, 10.2: what is written to Dst

constexpr u32 flush_denormal(u32 v) { return v & kExponent ? v : v & kSign; }
/// Truncates; beyond the range (NaN too) the largest number.
constexpr u32 store_fp16(u32 v) {
  const u32 e = exponent(v);
  const u32 inside = (v >> 13 & 0x3FF) << 5 | (e - 112);
  return (v >> 16 & 0x8000) | (e <= 112 ? 0 : e > 112 + 31 ? 0x7FFF : inside);
}
constexpr u32 store_32(u32 v) { return (v & 0x8000FFFF) | (v & 0x007F0000) << 8 | (v & 0x7F800000) >> 7; }
constexpr u32 store_bf16(u32 v) { return store_32(flush_denormal(v)) >> 16; }
/// "Integer 8": sign, ten bits of magnitude, exponent 16.
constexpr u32 store_int8(u32 v) { return (v >> 16 & 0x8000) | (v & 0x3FF) << 5 | 16; }
constexpr u32 store_int16(u32 v) { return (v >> 16 & 0x8000) | (v & 0x7FFF); }

}  // namespace kerr::emu::tensix::lane
