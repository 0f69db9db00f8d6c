// Expressions on the host, in float64: what a device's result is compared with.
#pragma once

#include <span>
#include <vector>

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

double evaluate(kernels::Operation operation, double a, double b, double c);

/// `inputs` by number; at least expression.inputs() of them.
double evaluate(const kernels::Expression& expression, std::span<const double> inputs);

struct Precision {
  int mantissa_bits;      // behind the point: BF16 7, FP32 23; 8 of exponent
  int zero_below = -126;  // exponent of two below which results may be 0
  bool has_nan = true;    // otherwise infinity stands for it
};

/// How far `result` is from `exact`, in units of the last place of the latter. 0 for two NaNs or the same infinity, infinity where one
/// of them is a NaN. What lies beyond the largest number counts as infinity.
double ulps(double exact, float result, const Precision& precision);

}  // namespace kerr::graph
