#include "graph/evaluate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
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
  if (base < 0 && exponent != std::trunc(exponent)) return std::nan("");  // of -infinity too, unlike std::pow
  return std::pow(base + 0, exponent);
}

// Rounded to zero; too large is the largest.
double whole(double x, double least, double most) { return std::isnan(x) ? 0 : std::clamp(std::trunc(x), least, most); }

double to_fp16(double x) {
  const double size = std::isnan(x) ? 131008 : std::min(std::abs(rounded(x, 10, true)), 131008.0);
  return std::copysign(size < 0x1p-14 ? 0 : size, x);
}

}  // namespace

double to_bf16(double x) {
  if (std::isnan(x)) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (std::abs(x) < kLeastFp32) return 0;
  const double near = rounded(x, 7, false);
  return std::abs(near) >= 0x1p128 ? std::copysign(std::numeric_limits<double>::infinity(), x) : near;
}

namespace {

double in_float64(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::Add: return a + b;
    case Operation::Subtract: return a - b;
    case Operation::Multiply: return a * b + 0.0;
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
    case Operation::Floor: return std::floor(a + 0);
    case Operation::Ceil: return std::ceil(a) + 0;
    case Operation::Round: return std::nearbyint(a);
    case Operation::Relu: return before(0, a) ? a : 0;
    case Operation::Square: return a * a + 0.0;
    case Operation::Reciprocal: return 1 / a;
    case Operation::SquareRoot: return std::sqrt(a + 0);
    case Operation::ReciprocalSquareRoot: return 1 / std::sqrt(a + 0);
    case Operation::Exp2: return std::exp2(a);
    case Operation::Exp: return std::exp(a);
    case Operation::Log2: return std::log2(a);
    case Operation::Log: return std::log(a);
    case Operation::Power: return power(a, b);
    case Operation::Sin: return std::sin(a);
    case Operation::Cos: return std::cos(a);
    case Operation::Tan: return std::tan(a);
    case Operation::Tanh: return std::tanh(a);
    case Operation::Sigmoid: return 1 / (1 + std::exp(-a));
    case Operation::Silu: return std::isinf(a) ? std::max(a, 0.0) : a / (1 + std::exp(-a));
    case Operation::Softplus: return std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a)));
    case Operation::Erf: return std::erf(a);
    case Operation::Gelu:
      return a == -std::numeric_limits<double>::infinity() ? 0 : 0.5 * a * std::erfc(-a * std::sqrt(0.5));
    case Operation::ToInt32: return whole(a, -0x1p31, 0x1p31 - 1);
    case Operation::ToInt16: return whole(a, -32768, 32767);
    case Operation::ToUint16: return whole(a, 0, 65535);
    case Operation::ToInt8: return whole(a, -127, 127);
    case Operation::ToUint8: return whole(a, 0, 255);
    case Operation::ToFp32:
      return std::abs(a) >= kInfinityFrom ? a * std::numeric_limits<double>::infinity() : static_cast<float>(a);
    case Operation::ToFp16: return to_fp16(a);
    case Operation::ToBf16: return to_bf16(a);
    default: return std::numeric_limits<double>::quiet_NaN();  // of integers only
  }
}

// Arithmetic makes the positive NaN, whatever NaN it was given; what moves bits keeps the sign, and so do those that
// put it back.
bool nan_is_negative(Operation operation, double result, double a, double b) {
  using enum Operation;
  if (operation == Divide) return std::signbit(a) != std::signbit(b);
  if (operation == Negate) return !std::signbit(a);
  if (is_one_of<Minimum, Maximum, Where, Relu>(operation)) return std::signbit(result);  // one of the operands
  return is_one_of<Abs, Sign, Truncate, Round, Reciprocal, Exp2, Exp, Log2, Log, ToFp32>(operation) && std::isnan(a) &&
         std::signbit(a);
}

}  // namespace

double evaluate(Operation operation, double a, double b, double c) {
  const double result = in_float64(operation, a, b, c);
  if (!std::isnan(result)) return result;
  return std::copysign(std::numeric_limits<double>::quiet_NaN(), nan_is_negative(operation, result, a, b) ? -1.0 : 1.0);
}

bool nan_sign_is_open(Operation operation) {
  using enum Operation;
  return is_one_of<Power, Sin, Cos, Tan, Tanh, Sigmoid, Silu, Softplus, Erf, Gelu>(operation);
}

bool moves_bits(Operation operation) {
  using enum Operation;
  return is_one_of<Negate, Abs, Sign, Minimum, Maximum, Relu, Where, ToFp32>(operation);
}

float in_fp32(Operation operation, double a, double b, double c) {
  const bool moves = moves_bits(operation);
  const auto operand = [&](double x) { return !moves && std::abs(x) < kLeastFp32 ? std::copysign(0.0, x) : x; };
  const double exact = evaluate(operation, operand(a), operand(b), operand(c));
  if (std::isnan(exact)) return static_cast<float>(exact);
  if (std::abs(exact) >= kInfinityFrom)
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(std::signbit(exact) ? -1 : 1));
  const auto nearest = static_cast<float>(exact);
  return !moves && std::abs(nearest) < kLeastFp32 ? std::copysign(0.0f, nearest) : nearest;
}

double evaluate_integers(Operation operation, double a, double b, double c) {
  if (kernels::info(operation).types == kernels::OperationTypes::ToInteger) return evaluate(operation, a, b, c);
  const auto integer = [](double x) { return static_cast<int32_t>(static_cast<int64_t>(x)); };
  const int32_t x = integer(a), y = integer(b);
  const auto ux = static_cast<uint32_t>(x), uy = static_cast<uint32_t>(y);
  const auto wrapped = [](uint32_t bits) { return static_cast<double>(static_cast<int32_t>(bits)); };
  switch (operation) {
    case Operation::Add: return wrapped(ux + uy);
    case Operation::Subtract: return wrapped(ux - uy);
    case Operation::Multiply: return wrapped(ux * uy);
    case Operation::Square: return wrapped(ux * ux);
    case Operation::Divide: return y == 0 ? -1 : wrapped(static_cast<uint32_t>(int64_t{x} / int64_t{y}));
    case Operation::Modulo: return y == 0 ? x : static_cast<double>(int64_t{x} % int64_t{y});
    case Operation::Negate: return wrapped(0 - ux);
    case Operation::Abs: return wrapped(x < 0 ? 0 - ux : ux);
    case Operation::Sign: return (x > 0) - (x < 0);
    case Operation::Minimum: return std::min(x, y);
    case Operation::Maximum: return std::max(x, y);
    case Operation::Relu: return std::max(x, 0);
    case Operation::Less: return x < y;
    case Operation::LessEqual: return x <= y;
    case Operation::Greater: return x > y;
    case Operation::GreaterEqual: return x >= y;
    case Operation::Equal: return x == y;
    case Operation::NotEqual: return x != y;
    case Operation::Where: return a != 0 ? b : c;
    case Operation::And: return wrapped(ux & uy);
    case Operation::Or: return wrapped(ux | uy);
    case Operation::Xor: return wrapped(ux ^ uy);
    case Operation::Not: return wrapped(~ux);
    case Operation::ShiftLeft: return uy > 31 ? 0 : wrapped(ux << uy);
    case Operation::ShiftRight: return uy > 31 ? (x < 0 ? -1 : 0) : x >> uy;
    case Operation::ShiftRightLogical: return uy > 31 ? 0 : wrapped(ux >> uy);
    default: return evaluate(operation, a, b, c);
  }
}

double evaluate(const kernels::Expression& expression, std::span<const double> inputs) {
  if (expression.needs_index()) throw std::invalid_argument("what an element's place decides has no value without it");
  std::vector<double> values;
  values.reserve(expression.items().size());
  for (const kernels::Expression::Item& item : expression.items()) {
    using Kind = kernels::Expression::Item::Kind;
    const bool integer = item.type == kernels::Type::Integer;
    const auto source = [&](size_t i) { return i < info(item.operation).sources ? values[item.sources[i]] : 0; };
    if (item.kind == Kind::Input) {
      values.push_back(inputs[item.input]);
    } else if (item.kind == Kind::Constant) {
      values.push_back(integer ? static_cast<int32_t>(item.constant) : double{std::bit_cast<float>(item.constant)});
    } else {
      values.push_back(integer ? evaluate_integers(item.operation, source(0), source(1), source(2))
                               : evaluate(item.operation, source(0), source(1), source(2)));
    }
  }
  return values[expression.result()];
}

}  // namespace kerr::graph
