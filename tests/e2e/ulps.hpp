// How far results are from exact ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerr {

struct Precision {
  int mantissa_bits;      // behind the point: BF16 7, FP32 23; 8 of exponent
  int zero_below = -126;  // exponent of two below which results may be 0
  bool has_nan = true;    // otherwise infinity stands for it
};

/// How far `result` is from `exact`, in units of the last place of the latter. 0 for two NaNs or the same infinity,
/// infinity where one of them is a NaN. What lies beyond the largest number counts as infinity.
inline double ulps(double exact, float result, const Precision& precision) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const int bits = precision.mantissa_bits;
  const double beyond = std::ldexp(2 - std::ldexp(0.5, -bits), 127);  // from here on infinity is nearer
  double r = result;
  if (std::isnan(exact)) return std::isnan(r) || (!precision.has_nan && std::isinf(r)) ? 0 : kInfinity;
  if (std::isnan(r)) return kInfinity;
  if (std::abs(exact) >= beyond && std::isinf(r) && std::signbit(exact) == std::signbit(r)) return 0;
  if (std::isinf(exact)) return kInfinity;
  if (std::isinf(r)) r = std::copysign(std::ldexp(1.0, 128), r);
  const double least = std::ldexp(1.0, precision.zero_below);
  if (std::abs(exact) < least && r == 0) return 0;
  // Some instructions round up to the smallest normal number.
  const double smallest = std::ldexp(1.0, -126);
  if (std::abs(exact) < smallest) return std::max(0.0, std::abs(r) - smallest) / std::ldexp(smallest, -bits);
  return std::abs(r - exact) / std::ldexp(1.0, std::ilogb(exact) - bits);
}

}  // namespace kerr
