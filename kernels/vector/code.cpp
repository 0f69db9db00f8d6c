#include "kernels/vector/code.hpp"

#include <bit>
#include <stdexcept>

namespace kerr::kernels::vector {

Code::Code() : remarks_(1) {}

Value Code::append(Step step) {
  if (next_ == 0xFFF0) throw std::length_error("more than 65,000 values in the code of one vector kernel");
  if (step.operation != Operation::Store) step.result = {next_++};
  step.remark = pending_remark_;
  pending_remark_ = 0;
  steps_.push_back(step);
  return step.result;
}

void Code::remark(std::string_view text) {
  pending_remark_ = static_cast<uint16_t>(remarks_.size());
  remarks_.emplace_back(text);
}

Value Code::load(uint32_t tile, std::optional<DstMode> mode) {
  return append({.operation = Operation::Load, .immediate = static_cast<int32_t>(tile), .mode = mode});
}

void Code::store(uint32_t tile, Value a, std::optional<DstMode> mode) {
  append({.operation = Operation::Store, .sources = {a}, .immediate = static_cast<int32_t>(tile), .mode = mode});
}

Value Code::constant(float value) { return constant_bits(std::bit_cast<uint32_t>(value)); }

Value Code::constant_bits(uint32_t bits) {
  if (bits == 0) return zero();
  if (bits == 0x3F800000) return one();
  if (bits == 0xBF800000) return minus_one();
  return append({.operation = Operation::Constant, .immediate = static_cast<int32_t>(bits)});
}

Value Code::mad(Value a, Value b, Value c) { return append({.operation = Operation::Mad, .sources = {a, b, c}}); }
Value Code::mad_negative(Value a, Value b, Value c) {
  return append({.operation = Operation::Mad, .negate_a = true, .sources = {a, b, c}});
}
Value Code::mad_subtract(Value a, Value b, Value c) {
  return append({.operation = Operation::Mad, .negate_c = true, .sources = {a, b, c}});
}
Value Code::negate(Value a) { return append({.operation = Operation::Move, .negate_a = true, .sources = {a}}); }
Value Code::abs(Value a) { return append({.operation = Operation::Abs, .sources = {a}}); }
Value Code::integer_add(Value a, Value b) { return append({.operation = Operation::IntegerAdd, .sources = {a, b}}); }
Value Code::integer_subtract(Value a, Value b) {
  return append({.operation = Operation::IntegerSub, .sources = {b, a}});
}
Value Code::integer_add(Value a, int32_t constant) {
  return append({.operation = Operation::IntegerAddConstant, .sources = {a}, .immediate = constant});
}
Value Code::shift_left(Value a, int bits) {
  return append({.operation = Operation::ShiftConstant, .sources = {a}, .immediate = bits});
}
Value Code::shift_right(Value a, int bits) {
  return append({.operation = Operation::ShiftConstant, .sources = {a}, .immediate = -bits});
}
Value Code::shift_right_arithmetic(Value a, int bits) {
  return append({.operation = Operation::ShiftRightArithmeticConstant, .sources = {a}, .immediate = -bits});
}
Value Code::bit_and(Value a, Value b) { return append({.operation = Operation::And, .sources = {a, b}}); }
Value Code::bit_or(Value a, Value b) { return append({.operation = Operation::Or, .sources = {a, b}}); }
Value Code::bit_xor(Value a, Value b) { return append({.operation = Operation::Xor, .sources = {a, b}}); }
Value Code::shift_by(Value a, Value amount) {
  return append({.operation = Operation::ShiftBy, .sources = {a, amount}});
}
Value Code::shift_by_arithmetic(Value a, Value amount) {
  return append({.operation = Operation::ShiftByArithmetic, .sources = {a, amount}});
}
Value Code::bit_not(Value a) { return append({.operation = Operation::Not, .sources = {a}}); }
Value Code::multiply_low(Value a, Value b) { return append({.operation = Operation::MultiplyLow, .sources = {a, b}}); }
Value Code::multiply_high(Value a, Value b) { return append({.operation = Operation::MultiplyHigh, .sources = {a, b}}); }
Value Code::sign_magnitude(Value a) { return append({.operation = Operation::SignMagnitude, .sources = {a}}); }
Value Code::magnitude_to_fp32(Value a) { return append({.operation = Operation::MagnitudeToFp32, .sources = {a}}); }
Value Code::reciprocal_estimate(Value a) {
  return append({.operation = Operation::ReciprocalEstimate, .sources = {a}});
}
Value Code::round_to_bf16(Value a) { return append({.operation = Operation::RoundToBf16, .sources = {a}}); }

Value Code::select(const Condition& condition, Value then, Value otherwise) {
  return append({.operation = Operation::Select,
                 .test = condition.test,
                 .sources = {otherwise, then, condition.left, condition.right}});
}

}  // namespace kerr::kernels::vector
