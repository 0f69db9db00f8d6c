#include "loops/scalar/nest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerr::loops::scalar {
namespace {

bool stores_parameter(const Instruction& i) { return i.verb == Verb::Store && i.address.space == Address::Space::Parameter; }
bool may_be_shared(Axis axis) { return axis == Axis::Weak || axis == Axis::Loop || axis == Axis::Global; }

// The largest an extent can be; 0: not known.
uint64_t largest_extent(const Program& program, const Operand& extent) {
  if (extent.is_number()) {
    const uint32_t bits = 8 * info(extent.type.type).bytes;
    if (info(extent.type.type).is_signed && (extent.bits >> (bits - 1) & 1) != 0) return 1;
    return std::max<uint64_t>(extent.bits, 1);
  }
  for (const Variable& variable : program.variables)
    if (variable.value == extent.value) return static_cast<uint64_t>(std::max<int64_t>(variable.max, 1));
  return 0;
}

}  // namespace

bool Nest::holds(uint32_t line) const { return std::find(loops.begin(), loops.end(), line) != loops.end(); }

Nest find_nest(const Program& program) {
  const std::vector<Instruction>& body = program.body;
  const auto none = [](std::string why) { return Nest{{}, std::move(why)}; };
  uint32_t outer = ~0u;
  for (uint32_t at = 0; at < body.size(); ++at) {
    const Instruction& i = body[at];
    if (i.verb == Verb::Do) return none(fmt::format("line {} is a do loop", i.line));
    if (stores_parameter(i)) return none(fmt::format("line {} stores outside of all loops", i.line));
    if (i.verb != Verb::Loop && i.verb != Verb::If) continue;
    bool stores = false;
    for (uint32_t k = at; k < i.partner; ++k) {
      if (body[k].verb == Verb::Do) return none(fmt::format("line {} is a do loop", body[k].line));
      stores |= stores_parameter(body[k]);
    }
    if (stores) {
      if (outer != ~0u) return none(fmt::format("lines {} and {} both begin what stores", body[outer].line, i.line));
      if (i.verb == Verb::If) return none(fmt::format("line {} stores outside of all loops", i.line));
      outer = at;
    }
    at = i.partner;
  }
  if (outer == ~0u) return none("it stores nothing");
  Nest nest;
  uint64_t iterations = 1;
  for (uint32_t at = outer;;) {
    const Instruction& loop = body[at];
    const uint64_t most = largest_extent(program, loop.operands[0]);
    if (!may_be_shared(loop.axis)) {
      if (nest.loops.empty()) return none(fmt::format("the loop of line {} is no parallel axis", loop.line));
      break;
    }
    if (most == 0 || most > 0x7FFFFFFF / iterations) {
      if (nest.loops.empty()) return none(fmt::format("the loop of line {} may be too long", loop.line));
      break;
    }
    iterations *= most;
    nest.loops.push_back(at);
    // The loop inside, if nothing but numbers is made around it.
    uint32_t next = at + 1;
    while (next < loop.partner && body[next].verb != Verb::Loop && body[next].verb != Verb::If && body[next].verb != Verb::Store)
      ++next;
    if (next == loop.partner || body[next].verb != Verb::Loop) break;
    bool alone = true;
    for (uint32_t k = body[next].partner + 1; k < loop.partner; ++k)
      alone &= body[k].verb != Verb::Loop && body[k].verb != Verb::If && body[k].verb != Verb::Store;
    if (!alone) break;
    at = next;
  }
  return nest;
}

}  // namespace kerr::loops::scalar
