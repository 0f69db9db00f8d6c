// Operations on the host, in float64: what a device's result is compared with.
#pragma once

#include <span>

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

/// Operations on floats, and conversions to and from them. NaN has the sign that the vector unit gives it, unless
/// nan_sign_is_open() says that nothing does; a product that is zero has no sign.   docs/hardware/tensix-math.md 8
double evaluate(kernels::Operation operation, double a, double b, double c);
/// Operations on integers, modulo 2^32.
double evaluate_integers(kernels::Operation operation, double a, double b, double c);

/// Whether a NaN that this operation makes may have either sign.
bool nan_sign_is_open(kernels::Operation operation);
/// Whether the vector unit only moves bits: denormals go through. Everything else takes them for zeros and makes none.
bool moves_bits(kernels::Operation operation);
/// evaluate() as the vector unit has numbers: denormal operands are zeros, the result is rounded to the nearest number
/// of FP32; too large is infinity, denormal is zero.
float in_fp32(kernels::Operation operation, double a, double b, double c);

inline constexpr double kLeastFp32 = 0x1p-126;          // that is no denormal
inline constexpr double kLargestFp32 = 0x1.fffffep127;  // and the middle between it and the next, which is infinity
inline constexpr double kInfinityFrom = 0x1.ffffffp127;

/// To the nearest number with so many bits of mantissa behind the hidden one, of any exponent. Ties go to even, or away
/// from zero.
double rounded(double x, int mantissa_bits, bool ties_to_even);

/// `inputs`: one for each of the expression's. Throws std::invalid_argument if it needs to know where the element is.
double evaluate(const kernels::Expression& expression, std::span<const double> inputs);

}  // namespace kerr::graph
