// Expressions as code of the vector unit.
#include <optional>
#include <utility>
#include <vector>

#include "kernels/expression/expression.hpp"
#include "kernels/vector/functions.hpp"

namespace kerr::kernels {

namespace {

using vector::Value;

Value apply(vector::Code& code, Operation operation, Value a, Value b, Value c) {
  switch (operation) {
    case Operation::Add: return code.add(a, b);
    case Operation::Subtract: return code.subtract(a, b);
    case Operation::Multiply: return code.multiply(a, b);
    case Operation::Divide: return vector::divide(code, a, b);
    case Operation::Negate: return code.negate(a);
    case Operation::Abs: return code.abs(a);
    case Operation::Sign: return vector::sign(code, a);
    case Operation::Minimum: return vector::minimum(code, a, b);
    case Operation::Maximum: return vector::maximum(code, a, b);
    case Operation::Less: return vector::less(code, a, b);
    case Operation::LessEqual: return vector::less_equal(code, a, b);
    case Operation::Greater: return vector::less(code, b, a);
    case Operation::GreaterEqual: return vector::less_equal(code, b, a);
    case Operation::Equal: return vector::equal(code, a, b);
    case Operation::NotEqual: return vector::not_equal(code, a, b);
    case Operation::Where: return vector::where(code, a, b, c);
    case Operation::Truncate: return vector::truncate(code, a);
    case Operation::Floor: return vector::floor(code, a);
    case Operation::Ceil: return vector::ceil(code, a);
    case Operation::Round: return vector::round_even(code, a);
    case Operation::Relu: return vector::maximum(code, a, code.zero());
    case Operation::Square: return code.multiply(a, a);
    case Operation::Reciprocal: return vector::reciprocal(code, a);
    case Operation::SquareRoot: return vector::square_root(code, a);
    case Operation::ReciprocalSquareRoot: return vector::reciprocal_square_root(code, a);
    case Operation::Exp2: return vector::exp2(code, a);
    case Operation::Exp: return vector::exp(code, a);
    case Operation::Log2: return vector::log2(code, a);
    case Operation::Log: return vector::log(code, a);
    case Operation::Power: return vector::power(code, a, b);
    case Operation::Sin: return vector::sin(code, a);
    case Operation::Cos: return vector::cos(code, a);
    case Operation::Tanh: return vector::tanh(code, a);
    case Operation::Sigmoid: return vector::sigmoid(code, a);
    case Operation::Silu: return vector::silu(code, a);
    case Operation::Softplus: return vector::softplus(code, a);
    case Operation::Erf: return vector::erf(code, a);
    case Operation::Gelu: return vector::gelu(code, a);
  }
  return a;
}

class Lowering {
 public:
  explicit Lowering(const Expression& expression) : expression_(expression), values_(expression.items().size()) {}

  vector::Code code;

  // Sources first, so each node is made right before its first use.
  Value value(Expression::Node node) {
    if (values_[node]) return *values_[node];
    const Expression::Item& item = expression_.items()[node];
    switch (item.kind) {
      case Expression::Item::Kind::Input: values_[node] = code.load(item.input); break;
      case Expression::Item::Kind::Constant: values_[node] = code.constant(item.constant); break;
      case Expression::Item::Kind::Apply: {
        Value sources[3]{};
        for (std::size_t i = 0; i < info(item.operation).sources; ++i) sources[i] = value(item.sources[i]);
        values_[node] = apply(code, item.operation, sources[0], sources[1], sources[2]);
        break;
      }
    }
    return *values_[node];
  }

 private:
  const Expression& expression_;
  std::vector<std::optional<Value>> values_;
};

}  // namespace

vector::Code lower(const Expression& expression, bool round_to_bf16) {
  Lowering lowering(expression);
  Value result = lowering.value(expression.result());
  if (round_to_bf16) {
    lowering.code.remark("to bf16");
    result = lowering.code.round_to_bf16(result);
  }
  lowering.code.store(0, result);
  return std::move(lowering.code);
}

}  // namespace kerr::kernels
