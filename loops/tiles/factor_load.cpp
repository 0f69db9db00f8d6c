#include "loops/tiles/factor_load.hpp"

#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {

std::vector<uint32_t> loads_of_factor(const Program& bound, const Gathered& what) {
  std::vector<uint32_t> out;
  if (what.factors.size() != 1 || what.factors[0].is_number()) return out;
  for (const uint32_t at : lines_behind(bound, lines_of_values(bound), what.factors)) {
    const Instruction& line = bound.body[at];
    if (line.verb == Verb::Load && line.address.space == Address::Space::Parameter && line.type.lanes == 1 &&
        line.address.unit == line.type.type && bound.parameters[line.address.index].type == line.type.type)
      out.push_back(at);
  }
  return out;
}

bool depends_by_address(const Program& bound, const Gathered& what, uint32_t load,
                        const std::function<bool(uint32_t)>& is_loop) {
  std::vector<Operand> values = what.factors;
  for (const Gate& gate : what.gates) values.push_back(gate.condition);
  for (const Operand& operand : bound.body[load].inputs()) values.push_back(operand);
  for (const uint32_t at : lines_behind(bound, lines_of_values(bound), values,
                                        [&](uint32_t value) { return value == bound.body[load].result; })) {
    const Instruction& line = bound.body[at];
    if (line.verb == Verb::Loop && is_loop(at)) return false;
    if (line.verb == Verb::Load && line.address.space == Address::Space::Register) return false;
  }
  return true;
}

}  // namespace kerr::loops::tiles
