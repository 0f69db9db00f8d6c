// Operations on the host, in float64: what a device's result is compared with.
#pragma once

#include <span>

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

/// Of floats, and conversions to and from them.
double evaluate(kernels::Operation operation, double a, double b, double c);
/// Of integers, modulo 2^32.
double evaluate_integers(kernels::Operation operation, double a, double b, double c);

/// To the nearest number with so many bits of mantissa behind the hidden one, of any exponent. Ties go to even, or away from zero.
double rounded(double x, int mantissa_bits, bool ties_to_even);

/// `inputs`: one for each of the expression's. Throws std::invalid_argument if it needs to know where the element is.
double evaluate(const kernels::Expression& expression, std::span<const double> inputs);

}  // namespace kerr::graph
