#include "loops/tiles/reductions.hpp"

#include <algorithm>

#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

bool of_register(const Instruction& i) {
  return (i.verb == Verb::Load || i.verb == Verb::Store) && i.address.space == Address::Space::Register;
}

}  // namespace

Reductions::Reductions(const Program& program)
    : program_(program), made_by_(lines_of_values(program)), of_register_(program.registers.size()) {
  std::vector<uint32_t> open{~0u};
  std::vector<std::vector<uint32_t>> stores(of_register_.size()), loads(of_register_.size());
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::EndLoop || i.verb == Verb::EndIf || i.verb == Verb::While) open.pop_back();
    block_.push_back(open.back());
    if (i.verb == Verb::Loop || i.verb == Verb::If || i.verb == Verb::Do) open.push_back(at);
    if (of_register(i)) (i.verb == Verb::Store ? stores : loads)[i.address.index].push_back(at);
  }
  for (uint32_t reg = 0; reg < of_register_.size(); ++reg) of_register_[reg] = find(reg, stores[reg], loads[reg]);
}

bool Reductions::is_whole(const Instruction& i) const {
  const Register& reg = program_.registers[i.address.index];
  return reg.count == 1 && i.address.element.is_number() && i.address.element.bits == 0 && i.type.lanes == 1 &&
         i.type.type == reg.type && i.address.unit == reg.type && !i.gated;
}

std::optional<Reduction> Reductions::find(uint32_t reg, const std::vector<uint32_t>& stores,
                                          const std::vector<uint32_t>& loads) const {
  const std::vector<Instruction>& body = program_.body;
  const auto whole = [&](uint32_t at) { return is_whole(body[at]); };
  if (stores.size() != 2 || !std::ranges::all_of(stores, whole) || !std::ranges::all_of(loads, whole))
    return std::nullopt;
  Reduction out{.reg = reg, .begins = stores[0], .stores = stores[1]};
  const uint32_t block = block_[out.begins];
  out.until = block == ~0u ? static_cast<uint32_t>(body.size()) : body[block].partner;
  if (block != ~0u && body[block].verb != Verb::Loop) return std::nullopt;
  out.loop = out.stores;
  while (block_[out.loop] != block) {
    out.loop = block_[out.loop];
    if (out.loop == ~0u || out.loop < out.begins) return std::nullopt;
  }
  if (body[out.loop].verb != Verb::Loop) return std::nullopt;
  const uint32_t end = body[out.loop].partner;
  for (uint32_t at = out.loop; at < end; ++at) {
    const Instruction& i = body[at];
    if (i.verb == Verb::If || i.verb == Verb::Do) return std::nullopt;
    if (i.verb == Verb::Loop && (!i.operands[0].is_number() || value_of(i.operands[0]) < 1)) return std::nullopt;
    if (i.verb == Verb::Store && !of_register(i)) return std::nullopt;
  }
  // It is looked at before it is complete only where the next one is made.
  const bool apart = std::ranges::all_of(
      loads, [&](uint32_t at) { return at > end || (block_[at] == block_[out.stores] && at < out.stores); });
  return apart ? std::optional(out) : std::nullopt;
}

const Reduction* Reductions::behind(uint32_t load) const {
  const std::optional<Reduction>& found = of_register_[program_.body[load].address.index];
  if (!found || load < program_.body[found->loop].partner || load > found->until) return nullptr;
  return &*found;
}

Behind Reductions::behind(const std::vector<Operand>& values) const {
  Behind out;
  // Takes the results that are loaded for these operands. In its own loop a result may be loaded before it is complete,
  // but for itself alone.
  const auto look = [&](const std::vector<Operand>& operands, std::optional<uint32_t> own) {
    for (const uint32_t at : lines_behind(program_, made_by_, operands)) {
      const Instruction& line = program_.body[at];
      if (!of_register(line) || line.address.index == own) continue;
      const Reduction* found = behind(at);
      if (found == nullptr) {
        out.other_load = at;
        return;
      }
      const auto is_it = [&](const Reduction& r) { return r.reg == found->reg; };
      if (std::ranges::none_of(out.reductions, is_it)) out.reductions.push_back(*found);
    }
  };
  std::vector<Operand> all = values;
  look(values, {});
  for (size_t k = 0; k < out.reductions.size() && !out.other_load; ++k) {
    const Reduction reduction = out.reductions[k];
    const std::vector<Operand> made_of{program_.body[reduction.begins].operands[0],
                                       program_.body[reduction.stores].operands[0]};
    all.insert(all.end(), made_of.begin(), made_of.end());
    look(made_of, reduction.reg);
  }
  out.lines = lines_behind(program_, made_by_, all);
  return out;
}

}  // namespace kerr::loops::tiles
