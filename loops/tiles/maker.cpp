#include "loops/tiles/maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace kerr::loops::tiles {

Operand number(Type type, uint64_t bits) {
  const uint32_t unused = 64 - 8 * info(type).bytes;
  return {{type, 1}, kNoValue, bits << unused >> unused};
}
Operand number(int64_t value) { return number(Type::I32, static_cast<uint64_t>(value)); }

Address element_of(Address::Space space, uint32_t index, Type type, Operand element) {
  return {space, index, element, type};
}

Maker::Maker(const Program& from) : from_(from), open_(1) {
  made_.program.name = from.name;
  for (const Parameter& p : from.parameters) next_slot_ = std::max(next_slot_, p.slot + 1);
}

uint32_t Maker::parameter(uint32_t of_original) {
  const auto [entry, is_new] =
      parameters_.try_emplace(of_original, static_cast<uint32_t>(made_.program.parameters.size()));
  if (is_new) {
    made_.program.parameters.push_back(from_.parameters[of_original]);
    made_.sources.push_back(of_original);
  }
  return entry->second;
}

uint32_t Maker::scratch(uint32_t which, Type type, uint64_t count) {
  made_.program.parameters.push_back({next_slot_++, type, count, line_});
  made_.sources.push_back(kScratch + which);
  return static_cast<uint32_t>(made_.program.parameters.size() - 1);
}

uint32_t Maker::reg(Type type, uint64_t count, bool settled) {
  const auto index = static_cast<uint32_t>(made_.program.registers.size());
  made_.program.registers.push_back({index, type, count, line_, settled});
  return index;
}

Operand Maker::variable(std::string name, uint64_t most) {
  const Operand made = value({Type::I32, 1}, 0);
  made_.program.variables.push_back({made.value, Type::I32, std::move(name), 0, static_cast<int64_t>(most)});
  return made;
}

Operand Maker::value(VectorType type, size_t level) {
  made_.program.values.push_back({fmt::format("{}", made_.program.values.size()), type});
  level_.push_back(level);
  return {type, static_cast<uint32_t>(made_.program.values.size() - 1), 0};
}

Operand Maker::loop(Operand extent, Axis axis) {
  Instruction line{.verb = Verb::Loop, .axis = axis, .operand_count = 1, .type = extent.type, .line = line_};
  line.operands[0] = extent;
  const Operand variable = value(line.type, open_.size());
  line.result = variable.value;
  open_.push_back({line, {}});
  return variable;
}

void Maker::begin_if(Operand condition) {
  Instruction line{.verb = Verb::If, .operand_count = 1, .type = {Type::Bool, 1}, .line = line_};
  line.operands[0] = condition;
  open_.push_back({line, {}});
}

void Maker::end() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  Item item{closed.begin, {}};
  item.inside.push_back(std::move(closed.block));
  open_.back().block.items.push_back(std::move(item));
}

Operand Maker::place(Instruction line, VectorType result) {
  line.line = line_;
  size_t level = 0;
  std::string key = fmt::format("{} {} {} {}", static_cast<int>(line.verb), static_cast<int>(line.type.type),
                                line.type.lanes, line.gated);
  const auto consider = [&](const Operand& operand) {
    level = std::max(level, level_of(operand));
    key += operand.is_number() ? fmt::format(" {}:{}", static_cast<int>(operand.type.type), operand.bits)
                               : fmt::format(" %{}", operand.value);
  };
  for (const Operand& operand : line.inputs()) consider(operand);
  if (line.verb == Verb::Load) {
    key += fmt::format(" p{} {}", line.address.index, static_cast<int>(line.address.unit));
    consider(line.address.element);
  }
  // A line that numbers alone make is not worth a register through all loops, but it is rare.
  Block& block = open_[level].block;
  const auto known = block.known.find(key);
  if (known != block.known.end()) return known->second;
  const Operand made = value(result, level);
  line.result = made.value;
  block.known.emplace(std::move(key), made);
  block.items.push_back({line, {}});
  return made;
}

Operand Maker::make(const Instruction& like, std::span<const Operand> operands, VectorType result) {
  Instruction line{.verb = like.verb, .operand_count = static_cast<uint8_t>(operands.size()), .type = like.type};
  std::copy(operands.begin(), operands.end(), line.operands.begin());
  return place(line, result);
}

Operand Maker::make(Verb verb, Type type, std::initializer_list<Operand> operands) {
  Instruction line{.verb = verb, .type = {type, 1}};
  for (const Operand& operand : operands) line.operands[line.operand_count++] = operand;
  const Operand &a = line.operands[0], &b = line.operands[1];
  if (is_integer(type) && operands.size() == 2) {
    const bool both = a.is_number() && b.is_number();
    if (verb == Verb::Add) {
      if (both) return number(type, a.bits + b.bits);
      if (a.is_number() && a.bits == 0) return b;
      if (b.is_number() && b.bits == 0) return a;
    }
    if (verb == Verb::Mul) {
      if (both) return number(type, a.bits * b.bits);
      if (b.is_number() && b.bits == 0) return b;
      if (b.is_number() && b.bits == 1) return a;
    }
  }
  const bool compares = verb == Verb::Cmplt || verb == Verb::Cmpne || verb == Verb::Cmpeq;
  return place(line, {compares ? Type::Bool : type, 1});
}

Operand Maker::mul(Operand a, int64_t factor) {
  if (factor > 0 && (factor & (factor - 1)) == 0 && factor != 1 && !a.is_number()) {
    return make(Verb::Shl, a.type.type, {a, number(__builtin_ctzll(static_cast<uint64_t>(factor)))});
  }
  return make(Verb::Mul, a.type.type, {a, number(a.type.type, static_cast<uint64_t>(factor))});
}

Operand Maker::div(Operand a, uint64_t by) {
  if (by == 1) return a;
  if (a.is_number()) return number(a.type.type, a.bits / by);
  if ((by & (by - 1)) == 0) return make(Verb::Shr, a.type.type, {a, number(__builtin_ctzll(by))});
  return make(Verb::Cdiv, a.type.type, {a, number(a.type.type, by)});
}

Operand Maker::mod(Operand a, uint64_t by) {
  if (by == 1) return number(a.type.type, 0);
  if (a.is_number()) return number(a.type.type, a.bits % by);
  if ((by & (by - 1)) == 0) return make(Verb::And, a.type.type, {a, number(a.type.type, by - 1)});
  return make(Verb::Cmod, a.type.type, {a, number(a.type.type, by)});
}

Operand Maker::both(std::optional<Operand> a, Operand b) {
  if (!a) return b;
  return make(Verb::And, Type::Bool, {*a, b});
}

Operand Maker::cast(Operand a, Type to) {
  if (a.type.type == to) return a;
  if (a.is_number() && is_integer(to) && is_integer(a.type.type)) return number(to, static_cast<uint64_t>(value_of(a)));
  return make(Verb::Cast, to, {a});
}

Operand Maker::load(const Address& address, VectorType type, std::optional<Operand> gate,
                    std::optional<Operand> otherwise) {
  Instruction line{.verb = Verb::Load, .type = type, .address = address};
  if (gate) {
    line.gated = true;
    line.operand_count = 2;
    line.operands[0] = *gate;
    line.operands[1] = otherwise.value_or(Operand{type, kNoValue, 0});
  }
  return place(line, type);
}

Operand Maker::load_here(const Address& address, VectorType type, std::span<const Operand> gate_and_default) {
  Instruction line{.verb = Verb::Load, .type = type, .line = line_, .address = address};
  for (const Operand& operand : gate_and_default) line.operands[line.operand_count++] = operand;
  line.gated = line.operand_count != 0;
  const Operand made = value(line.type, open_.size() - 1);
  line.result = made.value;
  open_.back().block.items.push_back({line, {}});
  return made;
}

void Maker::store(const Address& address, Operand value) {
  Instruction line{.verb = Verb::Store, .operand_count = 1, .type = value.type, .line = line_, .address = address};
  line.operands[0] = value;
  open_.back().block.items.push_back({line, {}});
}

void Maker::flatten(Block& block, std::vector<Instruction>& out) {
  for (Item& item : block.items) {
    out.push_back(item.line);
    if (item.inside.empty()) continue;
    flatten(item.inside[0], out);
    const Verb ends = item.line.verb == Verb::Loop ? Verb::EndLoop : Verb::EndIf;
    out.push_back({.verb = ends, .type = item.line.type, .line = item.line.line});
  }
}

Made Maker::finish() && {
  while (open_.size() > 1) end();
  Program& program = made_.program;
  flatten(open_[0].block, program.body);
  relink(program);
  // Slots ascend.
  std::vector<uint32_t> order(program.parameters.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return program.parameters[a].slot < program.parameters[b].slot; });
  std::vector<uint32_t> place(order.size());
  std::vector<Parameter> parameters;
  std::vector<uint32_t> sources;
  for (const uint32_t k : order) {
    place[k] = static_cast<uint32_t>(parameters.size());
    parameters.push_back(program.parameters[k]);
    sources.push_back(made_.sources[k]);
  }
  program.parameters = std::move(parameters);
  made_.sources = std::move(sources);
  for (Instruction& line : program.body) {
    const bool accesses = line.verb == Verb::Load || line.verb == Verb::Store;
    if (accesses && line.address.space == Address::Space::Parameter) line.address.index = place[line.address.index];
  }
  return std::move(made_);
}

}  // namespace kerr::loops::tiles
