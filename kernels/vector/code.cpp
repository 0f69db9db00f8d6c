#include "kernels/vector/code.hpp"

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

Value Code::constant_bits(uint32_t bits) {
  if (bits == 0) return zero();
  if (bits == 0x3F800000) return one();
  if (bits == 0xBF800000) return minus_one();
  return append({.operation = Operation::Constant, .immediate = static_cast<int32_t>(bits)});
}

Value Code::select(const Condition& condition, Value then, Value otherwise) {
  return append({.operation = Operation::Select,
                 .test = condition.test,
                 .sources = {otherwise, then, condition.left, condition.right}});
}

}  // namespace kerr::kernels::vector
