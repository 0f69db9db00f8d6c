#include "graph/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kerr::graph {

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

double evaluate(const kernels::Expression& expression, std::span<const double> inputs) {
  std::vector<double> values;
  values.reserve(expression.items().size());
  for (const kernels::Expression::Item& item : expression.items()) {
    using Kind = kernels::Expression::Item::Kind;
    const auto source = [&](std::size_t i) { return i < info(item.operation).sources ? values[item.sources[i]] : 0; };
    values.push_back(item.kind == Kind::Input      ? inputs[item.input]
                     : item.kind == Kind::Constant ? static_cast<double>(item.constant)
                                                   : evaluate(item.operation, source(0), source(1), source(2)));
  }
  return values[expression.result()];
}

}  // namespace kerr::graph
