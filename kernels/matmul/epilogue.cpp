#include "kernels/matmul/epilogue.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "kernels/matmul/shape.hpp"

namespace kerr::kernels {

namespace {

// The same expression of inputs with other numbers.
Expression with_inputs(const Expression& from, uint32_t operands, uint32_t first_operand) {
  Expression to;
  std::vector<Expression::Node> inputs{to.input(0)};
  for (uint32_t i = 0; i < operands; ++i) inputs.push_back(to.input(first_operand + i));
  to.set_result(to.insert(from, inputs));
  return to;
}

}  // namespace

vector::Emitted matmul::epilogue_code(const MatmulOptions& options, uint32_t sub_tiles, uint32_t tile) {
  const auto operands = static_cast<uint32_t>(options.epilogue->operands_have_rows.size());
  const uint32_t behind = sub_tiles - tile;  // of the selected tile: the first operand
  const auto form = !options.dst32()              ? DstNumber::Form::ToBf16
                    : options.epilogue->even_bf16 ? DstNumber::Form::ToEvenBf16
                                                  : DstNumber::Form::Plain;
  return vector::emit(
      lower(with_inputs(options.epilogue->expression, operands, behind), form),
      {.dst32 = options.dst32(), .first_spill = behind + operands, .tiles = half_of_dst(options) - tile});
}

namespace {

// 0: none.
uint32_t most_sums(const MatmulOptions& options) {
  if (!operand_format(options)) return 0;
  const auto operands = static_cast<uint32_t>(options.epilogue->operands_have_rows.size());
  for (uint32_t sums = half_of_dst(options); sums > 0; --sums) {
    if (sums + operands > half_of_dst(options)) continue;
    try {
      matmul::epilogue_code(options, sums, 0);
      return sums;
    } catch (const std::length_error&) {  // fewer
    }
  }
  return 0;
}

}  // namespace

bool has_room_for_epilogue(const MatmulOptions& options) { return most_sums(options) != 0; }

uint32_t dst_tiles(const MatmulOptions& options) {
  if (!options.epilogue) return half_of_dst(options);
  const Expression& expression = options.epilogue->expression;
  if (expression.needs_index() || expression.type(expression.result()) != Type::Float) {
    throw std::invalid_argument(fmt::format(
        "{} cannot be an epilogue: it has to make a float of a float, wherever the element is", expression.text()));
  }
  if (!operand_format(options)) {
    throw std::invalid_argument(
        fmt::format("the vector unit computes with bf16 and fp32: sums of {} matrices can have no epilogue{}",
                    info(options.in).name, options.int8() ? "" : " unless they are fp32"));
  }
  if (const uint32_t sums = most_sums(options)) return sums;
  throw std::invalid_argument(fmt::format(
      "the epilogue {} with {} operands does not fit into the {} tiles of half of Dst: a sum and an operand take one "
      "each, and "
      "so do values that find no register",
      expression.text(), options.epilogue->operands_have_rows.size(), half_of_dst(options)));
}

}  // namespace kerr::kernels
