#include "loops/tiles/slice.hpp"

#include <algorithm>
#include <optional>

#include "loops/arithmetic.hpp"

namespace kerr::loops::tiles {

namespace {

// What the line computes of numbers alone: integers and truths.
std::optional<Operand> folded(const Instruction& line) {
  if (line.type.lanes != 1 || (line.verb != Verb::Cast && !is_arithmetic(line.verb))) return std::nullopt;
  const auto counts = [](Type type) { return is_integer(type) || type == Type::Bool; };
  const std::span<const Operand> inputs = line.inputs();
  if (line.verb == Verb::Where && inputs[0].is_number()) return inputs[inputs[0].bits != 0 ? 1 : 2];
  std::vector<uint64_t> bits;
  for (const Operand& input : inputs) {
    if (!input.is_number() || !counts(input.type.type) || input.type.lanes != 1) return std::nullopt;
    bits.push_back(input.bits);
  }
  if (!counts(line.type.type)) return std::nullopt;
  if (line.verb == Verb::Cast) return number(line.type.type, convert(line.type.type, inputs[0].type.type, bits[0]));
  const bool compares = line.verb == Verb::Cmplt || line.verb == Verb::Cmpne || line.verb == Verb::Cmpeq;
  return number(compares ? Type::Bool : line.type.type, compute(line.verb, line.type.type, bits));
}

}  // namespace

std::vector<uint32_t> lines_of_values(const Program& program) {
  std::vector<uint32_t> out(program.values.size(), ~0u);
  for (uint32_t at = 0; at < program.body.size(); ++at)
    if (program.body[at].result != kNoValue) out[program.body[at].result] = at;
  return out;
}

std::vector<uint32_t> lines_behind(const Program& program, const std::vector<uint32_t>& made_by,
                                   const std::vector<Operand>& values, const std::function<bool(uint32_t)>& known) {
  std::vector<bool> seen(program.body.size());
  std::vector<uint32_t> out;
  const auto need = [&](const Operand& operand) {
    if (operand.is_number() || (known && known(operand.value))) return;
    const uint32_t at = made_by[operand.value];
    if (at == ~0u || seen[at]) return;
    seen[at] = true;
    out.push_back(at);
  };
  for (const Operand& value : values) need(value);
  for (size_t k = 0; k < out.size(); ++k) {
    const Instruction& line = program.body[out[k]];
    if (line.verb == Verb::Loop) continue;
    for (const Operand& operand : line.inputs()) need(operand);
    if (line.verb == Verb::Load) need(line.address.element);
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

// Puts in what values are, and what is computed of numbers alone; lines that are not `kept` go with the latter's.
void put_in(Program& program, std::vector<std::optional<Operand>> is, const std::vector<bool>& kept) {
  const auto replace = [&](Operand& operand) {
    if (!operand.is_number() && is[operand.value]) operand = *is[operand.value];
  };
  std::vector<Instruction> body;
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    Instruction& line = program.body[at];
    if (!kept[at]) continue;
    for (uint8_t k = 0; k < line.operand_count; ++k) replace(line.operands[k]);
    if (line.verb == Verb::Load || line.verb == Verb::Store) replace(line.address.element);
    if (const auto value = folded(line))
      is[line.result] = *value;
    else
      body.push_back(line);
  }
  program.body = std::move(body);
  relink(program);
}

}  // namespace

Program bind(const Program& program, std::span<const int64_t> numbers) {
  Program out = program;
  std::vector<std::optional<Operand>> is(program.values.size());
  for (size_t k = 0; k < numbers.size(); ++k) {
    const Variable& variable = program.variables[k];
    is[variable.value] = number(variable.type, static_cast<uint64_t>(numbers[k]));
  }
  put_in(out, std::move(is), std::vector<bool>(program.body.size(), true));
  out.variables.clear();
  return out;
}

Program iteration(const Program& bound, uint32_t loop, uint64_t number_of_it) {
  Program out = bound;
  std::vector<std::optional<Operand>> is(bound.values.size());
  is[bound.body[loop].result] = number(bound.body[loop].type.type, number_of_it);
  std::vector<bool> kept(bound.body.size(), true);
  kept[loop] = kept[bound.body[loop].partner] = false;
  put_in(out, std::move(is), kept);
  return out;
}

Slice::Slice(const Program& from, Maker& to)
    : from_(from),
      to_(to),
      made_by_(lines_of_values(from)),
      reductions_(from),
      is_(from.values.size()),
      guards_of_(from.values.size()) {}

void Slice::set(uint32_t value, Operand is) { is_[value] = to_.cast(is, from_.values[value].type.type); }

void Slice::guard(const std::vector<uint32_t>& values, Operand inside) {
  for (const uint32_t value : values) guards_of_[value] |= uint64_t{1} << guards_.size();
  guards_.push_back(inside);
}

std::optional<Operand> Slice::inside() const {
  std::optional<Operand> out;
  for (const Operand& guard : guards_) out = to_.both(out, guard);
  return out;
}

bool Slice::has_all_guards(const Operand& operand) const {
  const uint64_t all = (uint64_t{1} << guards_.size()) - 1;
  return !operand.is_number() && guards_of_[operand.value] == all;
}

Operand Slice::copy(const Operand& operand) {
  const auto is_known = [&](uint32_t value) { return is_[value].has_value(); };
  for (const uint32_t at : lines_behind(from_, made_by_, {operand}, is_known)) copy_line(at);
  return there(operand);
}

void Slice::copy_line(uint32_t at) {
  const Instruction& line = from_.body[at];
  to_.at_line(line.line);
  if (line.verb == Verb::Load && line.address.space == Address::Space::Register) return copy_register(at);
  std::vector<Operand> operands;
  uint64_t guards = 0;
  const auto use = [&](const Operand& operand) {
    if (!operand.is_number()) guards |= guards_of_[operand.value];
    return there(operand);
  };
  for (const Operand& operand : line.inputs()) operands.push_back(use(operand));
  if (line.verb != Verb::Load) {
    guards_of_[line.result] = guards;
    is_[line.result] = to_.make(line, operands, from_.values[line.result].type);
    return;
  }
  Address address = line.address;
  address.element = use(address.element);
  address.index = to_.parameter(address.index);
  guards_of_[line.result] = guards;
  std::optional<Operand> gate, otherwise;
  if (line.gated) {
    gate = operands[0];
    otherwise = operands[1];
  }
  for (size_t k = 0; k < guards_.size(); ++k)
    if ((guards >> k & 1) != 0) gate = to_.both(gate, guards_[k]);
  is_[line.result] = to_.load(address, line.type, gate, otherwise);
}

uint64_t Slice::guards_of(uint32_t store) const {
  const Operand& stored = from_.body[store].operands[0];
  return stored.is_number() ? 0 : guards_of_[stored.value];
}

void Slice::copy_register(uint32_t load) {
  const Instruction& line = from_.body[load];
  auto reg = std::ranges::find(registers_, line.address.index, &Copied::of);
  if (reg == registers_.end()) {
    registers_.push_back(copy_reduction(*reductions_.behind(load)));
    reg = registers_.end() - 1;
  }
  guards_of_[line.result] = reg->guards;
  to_.at_line(line.line);
  is_[line.result] =
      to_.load_here(element_of(Address::Space::Register, reg->reg, line.type.type, number(0)), line.type);
}

Slice::Copied Slice::copy_reduction(const Reduction& reduction) {
  const Type type = from_.registers[reduction.reg].type;
  Copied out{reduction.reg, to_.reg(type, 1), 0};
  const auto store = [&](uint32_t at) {
    const Operand value = copy(from_.body[at].operands[0]);
    to_.at_line(from_.body[at].line);
    to_.store(element_of(Address::Space::Register, out.reg, type, number(0)), value);
    out.guards |= guards_of(at);
  };
  store(reduction.begins);
  const uint32_t end = from_.body[reduction.loop].partner;
  for (uint32_t at = reduction.loop; at < end; ++at)  // it may have been copied before
    if (from_.body[at].result != kNoValue) is_[from_.body[at].result].reset();
  const size_t outside = registers_.size();
  registers_.push_back(out);
  uint32_t open = 0;
  for (uint32_t at = reduction.loop; at < reduction.stores; ++at) {
    const Instruction& line = from_.body[at];
    if (line.verb != Verb::Loop || line.partner < reduction.stores) continue;
    to_.at_line(line.line);
    is_[line.result] = to_.loop(line.operands[0], line.axis);
    ++open;
  }
  store(reduction.stores);
  for (; open > 0; --open) to_.end();
  registers_.resize(outside);
  return out;
}

}  // namespace kerr::loops::tiles
