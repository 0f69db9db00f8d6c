#include "loops/tiles/iteration.hpp"

#include <array>
#include <span>

#include "loops/arithmetic.hpp"
#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

void Iteration::compute() {
  for (const uint32_t at : lines_) {
    const Instruction& line = bound_.body[at];
    const bool is_cast = line.verb == Verb::Cast;
    if ((!is_cast && !is_arithmetic(line.verb)) || line.type.lanes != 1) continue;
    std::array<uint64_t, 4> inputs{};
    size_t known = 0;
    for (const Operand& operand : line.inputs())
      if (const std::optional<uint64_t> bits = of(operand)) inputs[known++] = *bits;
    if (known != line.operand_count) continue;
    is_[line.result] = is_cast ? convert(line.type.type, line.operands[0].type.type, inputs[0])
                               : loops::compute(line.verb, line.type.type, std::span(inputs).first(known));
  }
}

std::optional<int64_t> Iteration::element(const Instruction& load) const {
  if (load.gated && of(load.operands[0]) != 1) return std::nullopt;
  const std::optional<uint64_t> bits = of(load.address.element);
  if (!bits) return std::nullopt;
  return value_of(number(load.address.element.type.type, *bits));
}

}  // namespace kerr::loops::tiles
