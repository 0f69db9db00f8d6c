#include "loops/scalar/places.hpp"

#include <algorithm>

namespace kerr::loops::scalar {

bool Lines::any(uint32_t from, uint32_t to) const {
  const auto first = std::lower_bound(lines_.begin(), lines_.end(), from);
  return first != lines_.end() && *first < to;
}

bool Lines::all(uint32_t from, uint32_t to) const {
  return lines_.empty() || (lines_.front() >= from && lines_.back() < to);
}

uint32_t Lines::last_before(uint32_t at) const {
  const auto behind = std::lower_bound(lines_.begin(), lines_.end(), at);
  return behind == lines_.begin() ? kNowhere : *(behind - 1);
}

bool is_plain(const Program& program, const Instruction& i) {
  const Register& reg = program.registers[i.address.index];
  return i.address.element.is_number() && i.address.element.bits < reg.count && i.address.unit == reg.type &&
         i.type == VectorType{reg.type, 1};
}

Places::Places(const Program& program, std::span<const uint32_t> object)
    : program_(program),
      object_(object),
      block_(program.body.size(), kNowhere),
      definition_(program.values.size(), kNowhere),
      others_(program.registers.size()),
      every_(program.registers.size()) {
  for (uint32_t k = 0; k < program.variables.size(); ++k) variables_[program.variables[k].value] = k;
  std::vector<uint32_t> open;
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::EndLoop || i.verb == Verb::While || i.verb == Verb::EndIf) open.pop_back();
    if (!open.empty()) block_[at] = open.back();
    if (i.verb == Verb::Loop || i.verb == Verb::Do || i.verb == Verb::If) open.push_back(at);
    if (i.result != kNoValue) definition_[i.result] = at;
    if (i.verb == Verb::Do) effects_.add(at);
    if (i.verb != Verb::Load && i.verb != Verb::Store) continue;
    const bool stores = i.verb == Verb::Store;
    if (i.address.space == Address::Space::Parameter) {
      if (!stores) continue;
      effects_.add(at);
      parameter_stores_[object_[i.address.index]].add(at);
      continue;
    }
    Accesses& accesses =
        is_plain(program, i) ? plain_[{i.address.index, i.address.element.bits}] : others_[i.address.index];
    for (Accesses* to : {&accesses, &every_[i.address.index]}) {
      to->all.add(at);
      if (stores) to->stores.add(at);
    }
  }
}

const Places::Accesses& Places::of(Element element) const {
  static const Accesses kNone;
  const auto found = plain_.find(element);
  return found == plain_.end() ? kNone : found->second;
}

Places::Turns Places::turns(const Operand& extent) const {
  if (extent.is_number()) {
    const uint32_t bits = 8u * info(extent.type.type).bytes;
    const bool negative = info(extent.type.type).is_signed && (extent.bits >> (bits - 1) & 1) != 0;
    const uint64_t most = negative ? 0 : extent.bits;
    return {most, true, most != 0};
  }
  const auto found = variables_.find(extent.value);
  if (found == variables_.end()) {
    const uint32_t made = definition_[extent.value];
    const bool condition = made != kNowhere && program_.body[made].verb == Verb::Cast &&
                           program_.body[made].operands[0].type.type == Type::Bool;
    return {.condition = condition};
  }
  const Variable& variable = program_.variables[found->second];
  return {static_cast<uint64_t>(std::max<int64_t>(variable.max, 0)), true, variable.min > 0};
}

bool Places::changes(const Instruction& load, uint32_t from, uint32_t to) const {
  if (load.address.space == Address::Space::Parameter) {
    const auto found = parameter_stores_.find(object_[load.address.index]);
    return found != parameter_stores_.end() && found->second.any(from, to);
  }
  const uint32_t reg = load.address.index;
  if (!is_plain(program_, load)) return every_[reg].stores.any(from, to);
  return others_[reg].stores.any(from, to) || of({reg, load.address.element.bits}).stores.any(from, to);
}

std::optional<Operand> Places::stored_for(uint32_t at) const {
  const Instruction& load = program_.body[at];
  if (load.verb != Verb::Load || load.gated || load.address.space != Address::Space::Register ||
      !is_plain(program_, load))
    return std::nullopt;
  const uint32_t store = of({load.address.index, load.address.element.bits}).stores.last_before(at);
  if (store == kNowhere) return std::nullopt;
  // The store's block is the load's, or one round it; then the block inside it that holds the load must not store.
  uint32_t from = at, block = block_[at];
  while (block != block_[store]) {
    if (block == kNowhere) return std::nullopt;
    from = block;
    block = block_[block];
  }
  if (others_[load.address.index].stores.any(store, at)) return std::nullopt;
  if (from != at && changes(load, from, program_.body[from].partner)) return std::nullopt;
  return program_.body[store].operands[0];
}

}  // namespace kerr::loops::scalar
