#include "loops/scalar/reductions.hpp"

#include <algorithm>
#include <set>

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kMostFollowed = 200;  // lines that are made again
constexpr size_t kMostResults = 64;

bool is_number_line(Verb verb) {
  return is_arithmetic(verb) || verb == Verb::Cast || verb == Verb::Bitcast || verb == Verb::Pack || verb == Verb::Lane;
}

// Each element of the register that is loaded in the loop was stored there before, in the same turn or an outer one.
bool is_set_first(const Places& places, uint32_t reg, uint32_t begin, uint32_t end) {
  const Program& program = places.program();
  std::set<uint64_t> stored;
  std::vector<std::vector<uint64_t>> here{{}};  // elements stored first in each block that is open
  for (uint32_t at = begin + 1; at < end; ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Loop || i.verb == Verb::If) here.emplace_back();
    if (i.verb == Verb::EndLoop || i.verb == Verb::EndIf) {
      const std::vector<uint64_t> closed = std::move(here.back());
      here.pop_back();
      if (i.verb == Verb::EndLoop && places.turns(program.body[i.partner].operands[0]).surely)
        here.back().insert(here.back().end(), closed.begin(), closed.end());
      else
        for (uint64_t element : closed) stored.erase(element);
    }
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Register ||
        i.address.index != reg)
      continue;
    const uint64_t element = i.address.element.bits;
    if (i.verb == Verb::Load && stored.count(element) == 0) return false;
    if (i.verb == Verb::Store && stored.insert(element).second) here.back().push_back(element);
  }
  return true;
}

// The store that sets the element for the loop; kNowhere: there is none.
uint32_t init_of(const Places& places, Places::Element element, uint32_t begin) {
  const Places::Accesses& plain = places.of(element);
  const uint32_t init = plain.stores.last_before(begin);
  if (init == kNowhere || places.block(init) != places.block(begin)) return kNowhere;
  if (plain.all.any(init + 1, begin) || places.others_of(element.first).all.any(init + 1, begin)) return kNowhere;
  return init;
}

// Sets the reduction's inits. False: an element may have been set somewhere else.
bool find_inits(const Places& places, Reduction& out) {
  const Program& program = places.program();
  std::set<Places::Element> elements;
  std::set<uint32_t> whole;  // registers that are stored to in other ways
  for (uint32_t at = out.begin; at < out.end; ++at) {
    const Instruction& i = program.body[at];
    if (i.verb != Verb::Store) continue;
    if (is_plain(program, i))
      elements.insert({i.address.index, i.address.element.bits});
    else
      whole.insert(i.address.index);
  }
  std::set<uint32_t> its_own;  // registers that nobody else looks at
  for (uint32_t reg : whole) {
    if (!program.registers[reg].settled || !places.only_in(reg, out.begin, out.end)) return false;
    its_own.insert(reg);
  }
  for (const Places::Element& element : elements) {
    const uint32_t reg = element.first;
    if (its_own.count(reg) != 0) continue;
    const uint32_t init = init_of(places, element, out.begin);
    if (init != kNowhere) {
      if (places.others_of(reg).all.any(out.begin, out.end)) return false;
      out.inits.push_back(init);
      continue;
    }
    if (!places.only_in(reg, out.begin, out.end)) return false;
    if (!program.registers[reg].settled &&
        (places.others_of(reg).all.any(out.begin, out.end) || !is_set_first(places, reg, out.begin, out.end)))
      return false;
    its_own.insert(reg);
  }
  return !out.inits.empty() && out.inits.size() <= kMostResults;
}

}  // namespace

uint32_t Needs::place_of(uint32_t at) const {
  uint32_t place = 0;
  while (place < chain_.size() && chain_[place] < at && at < places_.program().body[chain_[place]].partner) ++place;
  return place;
}

size_t Needs::variable(uint32_t value) const {
  const uint32_t at = places_.definition(value);
  return static_cast<size_t>(std::find(chain_.begin(), chain_.end(), at) - chain_.begin());
}

uint32_t Needs::place_of_memory(const Instruction& load) const {
  for (size_t k = chain_.size(); k-- > 0;)
    if (places_.changes(load, chain_[k], places_.program().body[chain_[k]].partner))
      return static_cast<uint32_t>(k + 1);
  return 0;
}

std::optional<Needs::Need> Needs::of(const Operand& operand) {
  if (operand.is_number()) return Need{};
  const uint32_t at = places_.definition(operand.value);
  if (at == kNowhere) return Need{};
  if (const size_t k = variable(operand.value); k < chain_.size()) return Need{0, uint64_t{1} << k};
  const uint32_t here = place_of(at);
  if (here == 0) return Need{};
  const auto [entry, is_new] = known_.try_emplace(operand.value, Need{here, 0});
  if (!is_new) return entry->second;
  if (++followed_ > kMostFollowed) return std::nullopt;
  const Instruction& i = places_.program().body[at];
  Need need;
  if (const std::optional<Operand> stored = places_.stored_for(at)) {
    const std::optional<Need> other = of(*stored);
    if (!other) return std::nullopt;
    need = *other;
  } else if (is_number_line(i.verb) || i.verb == Verb::Load) {
    for (const Operand& input : i.inputs()) {
      const std::optional<Need> other = of(input);
      if (!other) return std::nullopt;
      need |= *other;
    }
    if (i.verb == Verb::Load) {
      const std::optional<Need> other = of(i.address.element);
      if (!other) return std::nullopt;
      need |= *other;
      need.place = std::max(need.place, place_of_memory(i));
    }
  } else {
    need.place = here;
  }
  // At worst it is where it is made already.
  need.place = std::min(need.place, here);
  return known_[operand.value] = need;
}

std::optional<Reduction> find_reduction(const Places& places, uint32_t begin) {
  const Program& program = places.program();
  Reduction out{begin, program.body[begin].partner, {}, {}, {}};
  if (places.effects().any(out.begin, out.end)) return std::nullopt;
  for (uint32_t at = places.block(begin); at != kNowhere && program.body[at].verb == Verb::Loop;
       at = places.block(at)) {
    if (places.turns(program.body[at].operands[0]).condition) break;
    out.chain.push_back(at);
  }
  if (out.chain.empty()) return std::nullopt;
  std::reverse(out.chain.begin(), out.chain.end());
  if (!find_inits(places, out)) return std::nullopt;

  Needs needs(places, out.chain);
  std::set<Places::Element> results;
  const auto take = [&](const Operand& operand) {
    if (!operand.is_number() && places.definition(operand.value) != kNowhere &&
        places.definition(operand.value) >= out.begin)
      return true;
    const std::optional<Needs::Need> need = needs.of(operand);
    if (need) out.need |= *need;
    return need.has_value();
  };
  for (uint32_t init : out.inits) {
    const Instruction& i = program.body[init];
    results.insert({i.address.index, i.address.element.bits});
    if (!take(i.operands[0])) return std::nullopt;
  }
  for (uint32_t at = out.begin; at < out.end; ++at) {
    const Instruction& i = program.body[at];
    for (const Operand& operand : i.inputs())
      if (!take(operand)) return std::nullopt;
    if (i.verb != Verb::Load && i.verb != Verb::Store) continue;
    if (!take(i.address.element)) return std::nullopt;
    if (i.verb != Verb::Load) continue;
    // Elements that the loop itself stores move with it.
    const bool own = i.address.space == Address::Space::Register &&
                     (places.only_in(i.address.index, out.begin, out.end) ||
                      (is_plain(program, i) && results.count({i.address.index, i.address.element.bits}) != 0));
    if (!own) out.need.place = std::max(out.need.place, needs.place_of_memory(i));
  }
  return out;
}

}  // namespace kerr::loops::scalar
