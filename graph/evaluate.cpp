#include "graph/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerr::graph {

using kernels::Expression;
using kernels::Operation;

namespace {

// The vector unit's order: NaN is beyond infinity, on the side of its sign.
bool before(double a, double b) {
  const auto rank = [](double x) { return std::isnan(x) ? (std::signbit(x) ? -2 : 2) : 0; };
  if (rank(a) != 0 || rank(b) != 0) return rank(a) < rank(b);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

// To the comparisons every NaN is a positive one, and both zeros are equal.
double comparable(double x) { return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x + 0; }

double power(double base, double exponent) {
  if (exponent == 0) return 1;
  if (std::isnan(exponent)) return exponent;
  return std::pow(base + 0, exponent);
}

}  // namespace

double evaluate(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::Add: return a + b;
    case Operation::Subtract: return a - b;
    case Operation::Multiply: return a * b;
    case Operation::Divide: return a / b;
    case Operation::Negate: return -a;
    case Operation::Abs: return std::abs(a);
    case Operation::Sign: return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : a;
    case Operation::Minimum: return before(b, a) ? b : a;
    case Operation::Maximum: return before(b, a) ? a : b;
    case Operation::Less: return before(comparable(a), comparable(b));
    case Operation::LessEqual: return !before(comparable(b), comparable(a));
    case Operation::Greater: return evaluate(Operation::Less, b, a, 0);
    case Operation::GreaterEqual: return evaluate(Operation::LessEqual, b, a, 0);
    case Operation::Equal: return a == b || (std::isnan(a) && std::isnan(b));
    case Operation::NotEqual: return !(a == b || (std::isnan(a) && std::isnan(b)));
    case Operation::Where: return a != 0 ? b : c;
    case Operation::Truncate: return std::trunc(a);
    case Operation::Floor: return std::floor(a);
    case Operation::Ceil: return std::ceil(a);
    case Operation::Round: return std::nearbyint(a);
    case Operation::Relu: return before(0, a) ? a : 0;
    case Operation::Square: return a * a;
    case Operation::Reciprocal: return 1 / a;
    case Operation::SquareRoot: return std::sqrt(a);
    case Operation::ReciprocalSquareRoot: return 1 / std::sqrt(a + 0);
    case Operation::Exp2: return std::exp2(a);
    case Operation::Exp: return std::exp(a);
    case Operation::Log2: return std::log2(a);
    case Operation::Log: return std::log(a);
    case Operation::Power: return power(a, b);
    case Operation::Sin: return std::sin(a);
    case Operation::Cos: return std::cos(a);
    case Operation::Tanh: return std::tanh(a);
    case Operation::Sigmoid: return 1 / (1 + std::exp(-a));
    case Operation::Silu: return std::isinf(a) ? std::max(a, 0.0) : a / (1 + std::exp(-a));
    case Operation::Softplus: return std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a)));
    case Operation::Erf: return std::erf(a);
    case Operation::Gelu:
      return a == -std::numeric_limits<double>::infinity() ? 0 : 0.5 * a * std::erfc(-a * std::sqrt(0.5));
  }
  return 0;
}

double evaluate(const Expression& expression, std::span<const double> inputs) {
  std::vector<double> values;
  values.reserve(expression.items().size());
  for (const Expression::Item& item : expression.items()) {
    switch (item.kind) {
      case Expression::Item::Kind::Input: values.push_back(inputs[item.input]); break;
      case Expression::Item::Kind::Constant: values.push_back(item.constant); break;
      case Expression::Item::Kind::Apply:
        values.push_back(
            evaluate(item.operation, values[item.sources[0]], values[item.sources[1]], values[item.sources[2]]));
        break;
    }
  }
  return values[expression.result()];
}

double ulps(double exact, float result, const Precision& precision) {
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

}  // namespace kerr::graph
