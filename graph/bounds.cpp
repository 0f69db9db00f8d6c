#include "graph/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/evaluate.hpp"

namespace kerr::graph {

using kernels::Format;
using kernels::Operation;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestFp16 = 131008;   // which infinity becomes too
constexpr double kTooLarge = 0x1.fep127;  // what is larger may become infinity in BF16 and FP32

double unit(double size, int bits) {
  return size == 0 || !std::isfinite(size) ? 0 : std::ldexp(1.0, std::ilogb(size) - bits);
}

// Where an operation between -error and +error may be furthest from its value: at the ends; at zero, where many of them turn; and for integers
// anywhere, if there are few.
struct Samples {
  std::array<double, 9> at{};
  std::size_t count = 0;
  void add(double x) { at[count++] = x; }
};
Samples samples(Bounded x, bool integer) {
  Samples all;
  all.add(x.value);
  if (std::isnan(x.value)) all.add(-x.value);  // of either sign, which min and max look at
  if (!(x.error > 0)) return all;
  const double error = integer ? std::floor(x.error) : x.error;
  if (integer && error <= 4) {
    for (double d = 1; d <= error; ++d) all.add(x.value - d), all.add(x.value + d);
    return all;
  }
  all.add(x.value - error), all.add(x.value + error);
  if (std::abs(x.value) < error) all.add(0);
  return all;
}

// Of integers: between its ends it is nowhere larger or smaller than at one of them, or at zero.
bool turns_at_zero_only(Operation operation) {
  switch (operation) {
    case Operation::Divide:
    case Operation::Modulo:
    case Operation::And:
    case Operation::Or:
    case Operation::Xor:
    case Operation::Not:
    case Operation::ShiftLeft:
    case Operation::ShiftRight:
    case Operation::ShiftRightLogical: return false;
    default: return true;
  }
}

// What is not seen at the samples.
double between_samples(Operation operation, const std::array<Bounded, 3>& from, double value) {
  const double error = from[0].error;
  const auto lowest = [&](double x) {
    return std::abs(from[0].value - x) < error ? std::abs(evaluate(operation, x, 0, 0) - value) : 0;
  };
  switch (operation) {
    case Operation::Sin:
    case Operation::Cos: return std::min(error, 2.0);  // its slope is at most 1
    case Operation::Tan: {
      const auto branch = [](double x) { return std::floor(x / M_PI + 0.5); };
      return branch(from[0].value - error) == branch(from[0].value + error) ? 0 : kInfinity;
    }
    case Operation::Gelu: return lowest(-0.75179);
    case Operation::Silu: return lowest(-1.27846);
    case Operation::Power: {  // whole exponents of negative numbers are islands
      const double y = from[1].value, off = from[1].error;
      return off > 0 && from[0].value < error && std::ceil(y - off) <= std::floor(y + off) ? kInfinity : 0;
    }
    case Operation::Equal:
    case Operation::NotEqual:
      return error + from[1].error > 0 && std::abs(from[0].value - from[1].value) <= error + from[1].error ? 1 : 0;
    default: return 0;
  }
}

double spread(Operation operation, bool integers, std::size_t sources, const std::array<Bounded, 3>& from,
              double value) {
  double most = 0;
  bool off = false, wide = false;
  std::array<Samples, 3> at{};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool integer = integers && kernels::info(operation).types != kernels::OperationTypes::ToInteger;
    at[i] = samples(i < sources ? from[i] : Bounded{}, integer);
    off = off || at[i].count > 1;
    wide = wide || from[i].error > 4;
    if (i < sources && std::isinf(from[i].error)) return kInfinity;
  }
  if (!off) return 0;
  if (integers && wide && !turns_at_zero_only(operation)) return kInfinity;
  for (std::size_t i = 0; i < at[0].count; ++i) {
    for (std::size_t j = 0; j < at[1].count; ++j) {
      for (std::size_t k = 0; k < at[2].count; ++k) {
        const double other = integers ? evaluate_integers(operation, at[0].at[i], at[1].at[j], at[2].at[k])
                                      : evaluate(operation, at[0].at[i], at[1].at[j], at[2].at[k]);
        if (std::isfinite(value) != std::isfinite(other)) return kInfinity;
        if (std::isfinite(value)) most = std::max(most, std::abs(other - value));
      }
    }
  }
  return std::max(most, between_samples(operation, from, value));
}

}  // namespace

int mantissa_bits(Format format) {
  switch (format) {
    case Format::Bf16: return 7;
    case Format::Fp16: return 10;
    case Format::Bfp8: return 6;
    case Format::Bfp4: return 2;
    default: return 23;
  }
}

Bounded apply(Operation operation, bool integers, std::size_t sources, const std::array<Bounded, 3>& from) {
  const kernels::OperationInfo& what = kernels::info(operation);
  Bounded out;
  out.value = integers ? evaluate_integers(operation, from[0].value, from[1].value, from[2].value)
                       : evaluate(operation, from[0].value, from[1].value, from[2].value);
  out.error = spread(operation, integers, sources, from, out.value);
  const bool angle = operation == Operation::Sin || operation == Operation::Cos || operation == Operation::Tan;
  if (angle && std::abs(from[0].value) + from[0].error > 0x1p15) out.error = kInfinity;  // outside its domain
  if (integers || !std::isfinite(out.value)) return out;
  const double size = std::abs(out.value) + (std::isfinite(out.error) ? out.error : 0);
  if (what.fp32_ulp > 0) {
    out.error += what.fp32_ulp * unit(size, 23) + std::ldexp(1.0, what.zero_below);
    if (size > kTooLarge) out.error = kInfinity;
  }
  return out;
}

Bounded stored(Bounded x, Format format, double largest) {
  if (kernels::is_integer(format) || std::isinf(x.error)) return x;
  // Infinity becomes the largest number of FP16, and NaN infinity of BF16, by a sign that is nobody's promise. BFP has neither: what there is instead
  // takes the exponent from the fifteen others too.
  const bool by_sign = format == Format::Fp16 ? !std::isfinite(x.value) : format == Format::Bf16 && std::isnan(x.value);
  if (by_sign || (kernels::shares_exponents(format) && !(largest <= kTooLarge))) return {x.value, kInfinity};
  if (!std::isfinite(x.value)) return x;
  if (format == Format::Fp16 && std::abs(x.value) > kLargestFp16) x.value = std::copysign(kLargestFp16, x.value);
  const double size = std::abs(x.value) + x.error;
  if (format != Format::Fp16 && size > kTooLarge) return {x.value, kInfinity};
  constexpr double kNearest = 0.51;  // of a unit, as operations.def says of results in BF16
  const int bits = mantissa_bits(format);
  if (kernels::shares_exponents(format)) {
    x.error += unit(std::max(size, largest), bits);
  } else {
    x.error += format == Format::Fp16 && size < 0x1p-14 ? size : kNearest * unit(size, bits);
  }
  x.error += 0x1p-126;  // what would be denormal may be 0
  return x;
}

double error_of_sum(std::size_t terms, double sizes) {
  // Tiles are added one to the other, then the 32 numbers of a tile's row or column.
  return static_cast<double>((terms + 31) / 32 + 32) * 0x1p-23 * sizes;
}

double error_of_product(const kernels::MatmulOptions& options, std::size_t depth, double sum, double squares) {
  if (options.int8()) return 0;
  constexpr double kSigmas = 12;
  // Phase 0 takes the upper 5 bits of SrcA's mantissa, the hidden one included, and 7 of SrcB's.   docs/hardware/tensix-math.md
  constexpr std::array<double, 4> kLeftOut = {0x1p-4 + 0x1p-6, 0x1p-6, 0x1p-10, 0};
  const auto phases = static_cast<std::size_t>(options.fidelity);
  const double left_out = kLeftOut[phases - 1] + (options.in == Format::Fp32 ? 0x1p-9 : 0);  // TF32 has 10 bits
  // 16 products and what was there before become one number of Dst, which is rounded: evenly within half a unit, 0.58 of it in the square mean.
  // On the way to a random sum that number is 0.7 of what it ends as, and a unit is 0.7 of what it is at most. Sums of one sign grow all the way.
  const double additions = static_cast<double>((depth + 15) / 16 * phases);
  const double rounding = std::sqrt(additions) * (options.dst32() ? 0x1p-23 : 0x1p-8) * 0.3;
  const double size = std::sqrt(squares);
  return std::abs(sum) * (left_out + 4 * rounding) + kSigmas * size * (left_out / std::sqrt(12.0) + rounding);
}

}  // namespace kerr::graph
