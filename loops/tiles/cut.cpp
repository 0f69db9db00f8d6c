#include "loops/tiles/cut.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {

namespace {

bool is_costly(Verb verb) {
  return verb == Verb::Exp2 || verb == Verb::Log2 || verb == Verb::Sin || verb == Verb::Sqrt || verb == Verb::Fdiv;
}
bool of_parameter(const Instruction& i) { return i.address.space == Address::Space::Parameter; }

// Loops that are open at a line, the outermost first; nothing if one of them is no loop of a known size.
std::optional<std::vector<uint32_t>> loops_round(const Program& bound, uint32_t line) {
  std::vector<uint32_t> open;
  for (uint32_t at = 0; at < line; ++at) {
    const Verb verb = bound.body[at].verb;
    if (verb == Verb::Loop || verb == Verb::Do || verb == Verb::If) open.push_back(at);
    if (verb == Verb::EndLoop || verb == Verb::While || verb == Verb::EndIf) open.pop_back();
  }
  for (const uint32_t at : open)
    if (bound.body[at].verb != Verb::Loop || !bound.body[at].operands[0].is_number()) return std::nullopt;
  return open;
}

// Those of these loops whose variables the value is made of.
std::vector<uint32_t> loops_of(const Program& bound, const std::vector<uint32_t>& loops, const Operand& value) {
  const std::vector<uint32_t> behind = lines_behind(bound, lines_of_values(bound), {value});
  std::vector<uint32_t> out;
  for (const uint32_t loop : loops)
    if (std::ranges::binary_search(behind, loop)) out.push_back(loop);
  return out;
}

// The number of an iteration of these loops.
Operand number_of(Maker& maker, const Program& bound, const std::vector<uint32_t>& loops,
                  const std::vector<Operand>& variables) {
  Operand sum = number(0);
  for (size_t k = 0; k < loops.size(); ++k) {
    sum = maker.mul(sum, static_cast<int64_t>(bound.body[loops[k]].operands[0].bits));
    sum = maker.add(sum, maker.cast(variables[k], Type::I32));
  }
  return sum;
}

// Where a program is cut. For all iterations of these loops, the line's value, or one over its divisor, goes to scratch
// memory.
struct Place {
  uint32_t line = 0;
  bool reciprocal = false;
  Operand value;  // that depends on the loops: the line's, or the divisor
  std::vector<uint32_t> loops;
  uint64_t count = 1;
};

Made first_part(const Program& bound, const Place& place) {
  Maker maker(bound);
  Slice slice(bound, maker);
  const Instruction& i = bound.body[place.line];
  maker.at_line(i.line);
  const uint32_t scratch = maker.scratch(0, i.type.type, place.count);
  std::vector<Operand> variables;
  for (const uint32_t loop : place.loops) {
    const Instruction& l = bound.body[loop];
    variables.push_back(maker.loop(l.operands[0].bits, l.type.type));
    slice.set(l.result, variables.back());
  }
  Operand value = slice.copy(place.value);
  maker.at_line(i.line);
  if (place.reciprocal)
    value = maker.make(Verb::Fdiv, i.type.type, {number(i.type.type, std::bit_cast<uint32_t>(1.0f)), value});
  const Operand at = number_of(maker, bound, place.loops, variables);
  maker.store(element_of(Address::Space::Parameter, scratch, i.type.type, at), value);
  return std::move(maker).finish();
}

// The lines that are left without what only the value needs.
std::vector<bool> lines_of_rest(const Program& bound, const Place& place) {
  std::vector<bool> value_needed(bound.values.size()), needed(bound.body.size());
  for (size_t at = bound.body.size(); at-- > 0;) {
    const Instruction& i = bound.body[at];
    const bool computes = i.verb == Verb::Load || i.verb == Verb::Cast || i.verb == Verb::Bitcast ||
                          i.verb == Verb::Pack || i.verb == Verb::Lane || is_arithmetic(i.verb);
    needed[at] = !computes || value_needed[i.result];
    if (!needed[at]) continue;
    const auto need = [&](const Operand& operand) {
      if (!operand.is_number()) value_needed[operand.value] = true;
    };
    if (at == place.line) {
      if (place.reciprocal) need(i.operands[0]);
      continue;
    }
    for (const Operand& operand : i.inputs()) need(operand);
    if (i.verb == Verb::Load || i.verb == Verb::Store) need(i.address.element);
  }
  return needed;
}

Made rest_part(const Program& bound, const Place& place) {
  Maker maker(bound);
  const std::vector<bool> needed = lines_of_rest(bound, place);
  const uint32_t scratch = maker.scratch(0, bound.body[place.line].type.type, place.count);
  for (const Register& r : bound.registers) maker.reg(r.type, r.count);
  std::vector<Operand> is(bound.values.size());
  const auto there = [&](const Operand& operand) { return operand.is_number() ? operand : is[operand.value]; };
  for (uint32_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& i = bound.body[at];
    if (!needed[at]) continue;
    maker.at_line(i.line);
    if (at == place.line) {
      std::vector<Operand> variables;
      for (const uint32_t loop : place.loops) variables.push_back(is[bound.body[loop].result]);
      const Operand number = number_of(maker, bound, place.loops, variables);
      is[i.result] = maker.load(element_of(Address::Space::Parameter, scratch, i.type.type, number), i.type, {});
      if (place.reciprocal) is[i.result] = maker.make(Verb::Mul, i.type.type, {there(i.operands[0]), is[i.result]});
      continue;
    }
    std::vector<Operand> operands;
    for (const Operand& operand : i.inputs()) operands.push_back(there(operand));
    Address address = i.address;
    if (i.verb == Verb::Load || i.verb == Verb::Store) {
      address.element = there(address.element);
      if (of_parameter(i)) address.index = maker.parameter(address.index);
    }
    switch (i.verb) {
      case Verb::Loop: is[i.result] = maker.loop(operands[0], i.axis); break;
      case Verb::If: maker.begin_if(operands[0]); break;
      case Verb::EndLoop:
      case Verb::EndIf: maker.end(); break;
      case Verb::Store: maker.store(address, operands[0]); break;
      case Verb::Load: is[i.result] = maker.load_here(address, i.type, operands); break;
      default: is[i.result] = maker.make(i, operands, bound.values[i.result].type);
    }
  }
  return std::move(maker).finish();
}

std::optional<Cut> cut_at(const Program& bound, Place place) {
  const auto loops = loops_round(bound, place.line);
  if (!loops) return std::nullopt;
  place.loops = loops_of(bound, *loops, place.value);
  for (const uint32_t loop : *loops) {
    const uint64_t extent = bound.body[loop].operands[0].bits;
    if (extent == 0 || extent > kMostScratch) return std::nullopt;
  }
  for (const uint32_t loop : place.loops) {
    place.count *= bound.body[loop].operands[0].bits;
    if (place.count > kMostScratch / 4) return std::nullopt;
  }
  std::vector<uint32_t> loaded;
  for (const uint32_t at : lines_behind(bound, lines_of_values(bound), {place.value}))
    if (bound.body[at].verb == Verb::Load) loaded.push_back(bound.body[at].address.index);
  return Cut{first_part(bound, place), rest_part(bound, place), std::move(loaded),
             place.count * info(bound.body[place.line].type.type).bytes};
}

}  // namespace

std::vector<uint32_t> costly_lines(const Program& bound) {
  std::vector<bool> of_register(bound.values.size());
  std::vector<uint32_t> lines;
  for (uint32_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& i = bound.body[at];
    if (i.verb == Verb::Do) return {};
    if (i.result == kNoValue || i.verb == Verb::Loop) continue;
    bool touched = i.verb == Verb::Load && !of_parameter(i);
    const auto look = [&](const Operand& operand) {
      touched = touched || (!operand.is_number() && of_register[operand.value]);
    };
    for (const Operand& operand : i.inputs()) look(operand);
    if (i.verb == Verb::Load) look(i.address.element);
    of_register[i.result] = touched;
    if (!touched && is_costly(i.verb) && i.type.lanes == 1) lines.push_back(at);
  }
  std::ranges::reverse(lines);
  return lines;
}

std::optional<Cut> cut_behind(const Program& bound, uint32_t line) {
  const Instruction& i = bound.body[line];
  return cut_at(bound, {.line = line, .value = {i.type, i.result, 0}});
}

std::optional<Cut> cut_divisor(const Program& bound, uint32_t line) {
  const Instruction& i = bound.body[line];
  if (i.verb != Verb::Fdiv || i.type != VectorType{Type::F32, 1}) return std::nullopt;
  if (i.operands[0].is_number() || i.operands[1].is_number()) return std::nullopt;
  return cut_at(bound, {.line = line, .reciprocal = true, .value = i.operands[1]});
}

}  // namespace kerr::loops::tiles
