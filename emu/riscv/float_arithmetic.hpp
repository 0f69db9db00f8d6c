// The arithmetic of the float instructions, on FP32 patterns. All of it is total: no operand is undefined.
// docs/hardware/tile.md 1.2, last table
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emu/math/fma.hpp"

namespace kerr::emu::float_arithmetic {

inline constexpr uint32_t kSign = 0x80000000;
inline constexpr uint32_t kOne = 0x3F800000;
inline constexpr uint32_t kInfinity = 0x7F800000;
inline constexpr uint32_t kNan = 0x7FC00000;

constexpr bool is_nan(uint32_t v) { return (v & ~kSign) > kInfinity; }
constexpr bool is_zero(uint32_t v) { return (v & ~kSign) == 0; }

/// Order of all patterns but NaN, -0 below +0.
constexpr int32_t rank(uint32_t v) { return static_cast<int32_t>(v & kSign ? ~(v & ~kSign) : v); }

constexpr uint32_t least(uint32_t a, uint32_t b) {
  if (is_nan(a)) return is_nan(b) ? kNan : b;
  return is_nan(b) || rank(a) < rank(b) ? a : b;
}
constexpr uint32_t greatest(uint32_t a, uint32_t b) {
  if (is_nan(a)) return is_nan(b) ? kNan : b;
  return is_nan(b) || rank(a) >= rank(b) ? a : b;
}

constexpr bool equal(uint32_t a, uint32_t b) { return !is_nan(a) && (a == b || (is_zero(a) && is_zero(b))); }
constexpr bool less(uint32_t a, uint32_t b) {
  return !is_nan(a) && !is_nan(b) && rank(a) < rank(b) && !(is_zero(a) && is_zero(b));
}

constexpr uint32_t classify(uint32_t a) {
  const bool negative = a & kSign;
  const uint32_t magnitude = a & ~kSign;
  if (magnitude > kInfinity) return a & 0x00400000 ? 1u << 9 : 1u << 8;
  if (magnitude == kInfinity) return negative ? 1u << 0 : 1u << 7;
  if (magnitude == 0) return negative ? 1u << 3 : 1u << 4;
  if (magnitude < 0x00800000) return negative ? 1u << 2 : 1u << 5;
  return negative ? 1u << 1 : 1u << 6;
}

inline uint32_t from_integer(int32_t a) { return std::bit_cast<uint32_t>(static_cast<float>(a)); }
inline uint32_t from_integer(uint32_t a) { return std::bit_cast<uint32_t>(static_cast<float>(a)); }

/// What fast/host_floats.hpp has a second form of.
namespace by_definition {

// The vector unit's; a product's addend is the zero of its sign, so that -0 survives.
inline uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c) { return math::fma(a, b, c); }
inline uint32_t add(uint32_t a, uint32_t b) { return multiply_add(a, kOne, b); }
inline uint32_t multiply(uint32_t a, uint32_t b) { return multiply_add(a, b, (a ^ b) & kSign); }

// A double holds every FP32 and every integer that is asked for; nearbyint() in the host's default mode rounds ties to
// even.
template <class Integer>
uint32_t to_integer(uint32_t a) {
  using Limits = std::numeric_limits<Integer>;
  if (is_nan(a)) return static_cast<uint32_t>(Limits::max());
  const double value = std::nearbyint(static_cast<double>(std::bit_cast<float>(a)));
  if (value <= static_cast<double>(Limits::min())) return static_cast<uint32_t>(Limits::min());
  if (value >= static_cast<double>(Limits::max())) return static_cast<uint32_t>(Limits::max());
  return static_cast<uint32_t>(static_cast<Integer>(value));
}

}  // namespace by_definition

}  // namespace kerr::emu::float_arithmetic
