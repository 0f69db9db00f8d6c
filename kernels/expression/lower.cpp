// Expressions as code of the vector unit.
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/expression/expression.hpp"
#include "kernels/vector/functions.hpp"

namespace kerr::kernels {

namespace {

using vector::Value;

Value apply_to_integers(vector::Code& code, Operation operation, Value a, Value b, Value c) {
  switch (operation) {
    case Operation::Add: return code.integer_add(a, b);
    case Operation::Subtract: return code.integer_subtract(a, b);
    case Operation::Multiply: return vector::integer_multiply(code, a, b);
    case Operation::Divide: return vector::integer_divide(code, a, b);
    case Operation::Modulo: return vector::integer_modulo(code, a, b);
    case Operation::Negate: return vector::integer_negate(code, a);
    case Operation::Abs: return vector::integer_abs(code, a);
    case Operation::Sign: return vector::integer_sign(code, a);
    case Operation::Minimum: return vector::integer_minimum(code, a, b);
    case Operation::Maximum: return vector::integer_maximum(code, a, b);
    case Operation::Less: return vector::integer_less(code, a, b);
    case Operation::LessEqual: return vector::integer_less_equal(code, a, b);
    case Operation::Greater: return vector::integer_less(code, b, a);
    case Operation::GreaterEqual: return vector::integer_less_equal(code, b, a);
    case Operation::Equal: return vector::integer_equal(code, a, b);
    case Operation::NotEqual: return vector::integer_not_equal(code, a, b);
    case Operation::Where: return code.select({vector::Test::NotZero, a}, b, c);
    case Operation::Relu: return vector::integer_maximum(code, a, code.zero());
    case Operation::Square: return vector::integer_multiply(code, a, a);
    case Operation::And: return code.bit_and(a, b);
    case Operation::Or: return code.bit_or(a, b);
    case Operation::Xor: return code.bit_xor(a, b);
    case Operation::Not: return code.bit_not(a);
    case Operation::ShiftLeft: return vector::shift_left_by(code, a, b);
    case Operation::ShiftRight: return vector::shift_right_by(code, a, b);
    case Operation::ShiftRightLogical: return vector::shift_right_logical_by(code, a, b);
    case Operation::ToInt32: return a;
    case Operation::ToInt16: return vector::clamp(code, a, -32768, 32767);
    case Operation::ToUint16: return vector::clamp(code, a, 0, 65535);
    case Operation::ToInt8: return vector::clamp(code, a, -127, 127);
    case Operation::ToUint8: return vector::clamp(code, a, 0, 255);
    default: break;
  }
  throw std::logic_error(types_text(info(operation)));  // which Expression::apply() has refused
}

Value apply_to_floats(vector::Code& code, Operation operation, Value a, Value b, Value c) {
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
    case Operation::Tan: return vector::tan(code, a);
    case Operation::Tanh: return vector::tanh(code, a);
    case Operation::Sigmoid: return vector::sigmoid(code, a);
    case Operation::Silu: return vector::silu(code, a);
    case Operation::Softplus: return vector::softplus(code, a);
    case Operation::Erf: return vector::erf(code, a);
    case Operation::Gelu: return vector::gelu(code, a);
    case Operation::ToFp32: return a;
    case Operation::ToFp16: return vector::round_to_fp16(code, a);
    case Operation::ToBf16: return code.round_to_bf16(a);
    default: break;
  }
  throw std::logic_error(types_text(info(operation)));
}

// `a_type`: of the first source, which alone may be of another type than the result.
Value apply(vector::Code& code, const Expression::Item& item, Type a_type, Value a, Value b, Value c) {
  if (info(item.operation).types == OperationTypes::ToInteger && a_type == Type::Float) a = vector::to_integer(code, a);
  if (info(item.operation).types == OperationTypes::ToFloat && a_type == Type::Integer) a = vector::to_fp32(code, a);
  const Type type = item.operation == Operation::Where ? a_type : item.type;
  return type == Type::Integer ? apply_to_integers(code, item.operation, a, b, c)
                               : apply_to_floats(code, item.operation, a, b, c);
}

class Lowering {
 public:
  Lowering(const Expression& expression, std::span<const DstNumber> inputs, uint32_t columns)
      : expression_(expression), inputs_(inputs), columns_(columns), values_(expression.items().size()) {}

  vector::Code code;

  // Sources first, so each node is made right before its first use.
  Value value(Expression::Node node) {
    if (values_[node]) return *values_[node];
    const Expression::Item& item = expression_.items()[node];
    switch (item.kind) {
      case Expression::Item::Kind::Input: values_[node] = load(inputs_[item.input]); break;
      case Expression::Item::Kind::Constant: values_[node] = code.constant_bits(item.constant); break;
      case Expression::Item::Kind::Index: values_[node] = index(); break;
      case Expression::Item::Kind::Random: values_[node] = vector::random_bits(code, index(), item.key); break;
      case Expression::Item::Kind::Apply: {
        Value sources[3]{};
        for (size_t i = 0; i < info(item.operation).sources; ++i) sources[i] = value(item.sources[i]);
        values_[node] = apply(code, item, expression_.type(item.sources[0]), sources[0], sources[1], sources[2]);
        break;
      }
    }
    return *values_[node];
  }

  void store(Value value, const DstNumber& to) {
    switch (to.form) {
      case DstNumber::Form::Plain:
      case DstNumber::Form::Signed16: break;
      case DstNumber::Form::SignMagnitude: value = code.sign_magnitude(value); break;
      case DstNumber::Form::ToBf16:
        code.remark("to bf16");
        value = code.round_to_bf16(value);
        break;
      case DstNumber::Form::ToEvenBf16:
        code.remark("to bf16, halves to even");
        value = vector::round_to_even_bf16(code, value);
        break;
      case DstNumber::Form::ToFp16: value = vector::round_to_fp16(code, value); break;
    }
    code.store(to.tile, value, to.mode);
  }

 private:
  Value load(const DstNumber& from) {
    const Value loaded = code.load(from.tile, from.mode);
    if (from.form == DstNumber::Form::SignMagnitude) return code.sign_magnitude(loaded);
    if (from.form == DstNumber::Form::Signed16) return code.shift_right_arithmetic(code.shift_left(loaded, 16), 16);
    return loaded;
  }

  // A group has 4 rows of 8 columns, every other one: lane l is in row l / 8 and column 2 (l % 8). place() is the
  // number of the group's first element.
  Value index() {
    if (index_) return *index_;
    code.remark("number of the element");
    const Value column = code.bit_and(code.lane(), code.constant_bits(14));
    const Value row = code.multiply_low(code.shift_right(code.lane(), 4), code.constant_bits(columns_));  // < 2^23
    return *(index_ = code.integer_add(code.integer_add(row, column), code.place()));
  }

  const Expression& expression_;
  const std::span<const DstNumber> inputs_;
  const uint32_t columns_;
  std::vector<std::optional<Value>> values_;
  std::optional<Value> index_;
};

}  // namespace

vector::Code lower(const Expression& expression, std::span<const DstNumber> inputs, const DstNumber& output,
                   uint32_t columns) {
  Lowering lowering(expression, inputs, columns);
  lowering.store(lowering.value(expression.result()), output);
  return std::move(lowering.code);
}

vector::Code lower(const Expression& expression, DstNumber::Form result) {
  std::vector<DstNumber> inputs(expression.inputs());
  for (uint32_t i = 0; i < inputs.size(); ++i) inputs[i].tile = i;
  return lower(expression, inputs, {.form = result}, 0);
}

}  // namespace kerr::kernels
