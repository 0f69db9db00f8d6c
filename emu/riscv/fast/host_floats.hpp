// float_arithmetic::by_definition by the host's float unit, which is in its default rounding mode. Whether it flushes
// denormals does not matter. Must not be compiled with contraction.
//
// What these functions answer is what the definition answers, or kByDefinition.   tests/emu/riscv/host_floats_test.cpp
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "emu/riscv/float_arithmetic.hpp"

namespace kerr::emu::float_arithmetic::by_host {

/// A pattern, or that the definition must say it.
using Result = int64_t;
inline constexpr Result kByDefinition = -1;

inline float number(uint32_t pattern) { return std::bit_cast<float>(pattern); }

/// From 2^(exponent - 127) up, and finite.
constexpr bool in_range(uint32_t v, uint32_t exponent) { return v * 2 - (exponent << 24) < (255 - exponent) << 24; }

constexpr bool same_magnitude(uint32_t a, uint32_t b) { return a * 2 == b * 2; }

// An operand that is denormal counts as zero, and the host adds it. It is less than half of what separates sums of
// 2^-100 and more, so they do not show it.
inline Result add(uint32_t a, uint32_t b) {
  constexpr uint32_t kExponent = 127 - 100;
  const uint32_t sum = std::bit_cast<uint32_t>(number(a) + number(b));
  if (in_range(sum, kExponent)) [[likely]]
    return sum;
  return is_zero(sum) && same_magnitude(a, b) ? sum : kByDefinition;
}

// A normal product of normal numbers is what the definition says.
inline Result multiply(uint32_t a, uint32_t b) {
  const uint32_t product = std::bit_cast<uint32_t>(number(a) * number(b));
  if (in_range(product, 1) && (a & kInfinity) != 0 && (b & kInfinity) != 0) [[likely]]
    return product;
  return is_zero(product) && (is_zero(a) || is_zero(b)) ? product : kByDefinition;
}

/// v >> k; bits that are lost set bit 0 unless nothing else is left. v has less than 31 bits.
constexpr uint32_t shift_half_sticky(uint32_t v, int k) {
  const int places = k < 31 ? k : 31;
  const uint32_t left = v >> places;
  return left | (left != 0 && left << places != v);
}

// The definition's sum of the product P and the addend, rounded by the conversion of an integer to a float:
// FmaByIntegers of emu/math/fma-inl.hpp, for normal numbers, a product of a normal exponent, and a result that is not
// near the ends. It needs many registers, which would be missing everywhere in the fast loop if it were a part of it.
[[gnu::noinline]] static Result multiply_add(uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint32_t kHidden = 0x800000, kFraction = 0x7FFFFF;
  constexpr int kLeast = 2, kMost = 254;  // exponents
  const auto exponent = [](uint32_t v) { return static_cast<int>(v >> 23 & 0xFF); };
  const auto ordinary = [](int e) { return static_cast<unsigned>(e - 1) < 254; };
  const int ea = exponent(a), eb = exponent(b), ec = exponent(c), ep = ea + eb - 127;
  const uint64_t product =
      uint64_t{(a << 6 & kFraction << 6) | kHidden << 6} * ((b << 6 & kFraction << 6) | kHidden << 6);
  const uint32_t p = static_cast<uint32_t>(product >> 32) | (static_cast<uint32_t>(product) != 0);
  const uint32_t addend = (c << 3 & kFraction << 3) | kHidden << 3;
  const int e = ep > ec ? ep : ec;
  const auto differ =
      static_cast<uint32_t>(static_cast<int32_t>(a ^ b ^ c) >> 31);  // all ones: the addend is subtracted
  const uint32_t sum = shift_half_sticky(p, e - ep) + ((shift_half_sticky(addend, e - ec) ^ differ) - differ);
  const uint32_t rounded = from_integer(static_cast<int32_t>(sum));
  const int result_exponent = exponent(rounded) + e - (127 + 26);
  const uint32_t value =
      ((rounded ^ a ^ b) & kSign) | static_cast<uint32_t>(result_exponent) << 23 | (rounded & kFraction);
  const bool ends = result_exponent < kLeast || result_exponent > kMost;
  const bool usual = ordinary(ea) && ordinary(eb) && ordinary(ec) && ordinary(ep) && sum != 0 && !ends;
  return usual ? value : kByDefinition;
}

// The sum of a double and 1.5 * 2^52 has the integer, rounded, in its lowest bits.
template <class Integer>
Result to_integer(uint32_t a) {
  using Limits = std::numeric_limits<Integer>;
  const auto value = static_cast<double>(number(a));
  const auto bits = static_cast<uint32_t>(std::bit_cast<uint64_t>(value + 0x1.8p52));
  const bool fits = value >= static_cast<double>(Limits::min()) && value <= static_cast<double>(Limits::max());
  return fits ? bits : kByDefinition;
}

}  // namespace kerr::emu::float_arithmetic::by_host
