// Operations on the host, in float64: what a device's result is compared with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

/// Operations on floats, and conversions to and from them. NaN has the sign that the vector unit gives it, unless
/// nan_sign_is_open() says that nothing does; a product that is zero has no sign.   docs/hardware/tensix-math.md 8
double evaluate(kernels::Operation operation, double a, double b, double c);
/// Operations on integers, modulo 2^32.
double evaluate_integers(kernels::Operation operation, double a, double b, double c);

template <kernels::Operation... kSome>
constexpr bool is_one_of(kernels::Operation operation) {
  return ((operation == kSome) || ...);
}

/// Whether a NaN that this operation makes may have either sign; a power's, if its exponent is NaN.
bool nan_sign_is_open(kernels::Operation operation);
/// Whether the vector unit only moves bits, as Sign does of what is zero: denormals go through. Everything else takes
/// them for zeros and makes none.
bool moves_bits(kernels::Operation operation);
/// evaluate() as the vector unit has numbers: denormal operands are zeros, the result is rounded to the nearest number
/// of FP32; too large is infinity, denormal is zero.
float in_fp32(kernels::Operation operation, double a, double b, double c);

inline constexpr double kLeastFp32 = 0x1p-126;  // that is no denormal
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kLargestFp32 = 0x1.fffffep127;  // and the middle between it and the next, which is infinity
inline constexpr double kInfinityFrom = 0x1.ffffffp127;

/// To the nearest number with so many bits of mantissa behind the hidden one. Ties go to even, or away from zero.
/// Denormals of float64, which no format of the device knows, stay as they are.
inline double rounded(double x, int mantissa_bits, bool ties_to_even) {
  if (!std::isnormal(x)) return x;
  const auto bits = std::bit_cast<uint64_t>(x);  // a carry out of the mantissa makes the exponent larger by one
  const int dropped = 52 - mantissa_bits;
  const bool even = (bits >> dropped & 1) == 0;
  const uint64_t half = uint64_t{1} << (dropped - 1);
  return std::bit_cast<double>((bits + half - (ties_to_even && even ? 1 : 0)) >> dropped << dropped);
}
/// What the last of so many bits of mantissa counts in x; 0 in 0.
inline double last_place(double x, int mantissa_bits) {
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7FF0'0000'0000'0000);
  return power * std::bit_cast<double>(static_cast<uint64_t>(1023 - mantissa_bits) << 52);
}
/// As the packer makes BF16: halves away from zero, NaN infinity of its sign, denormals zero.
double to_bf16(double x);

/// `inputs`: one for each of the expression's. Throws std::invalid_argument if it needs to know where the element is.
double evaluate(const kernels::Expression& expression, std::span<const double> inputs);

}  // namespace kerr::graph
