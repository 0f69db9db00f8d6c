#include "loops/tiles/sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr size_t kMostLines = 2000;  // in the body
constexpr uint64_t kLargestExtent = 1u << 30;

template <class... Args>
[[noreturn]] void no(fmt::format_string<Args...> format, Args&&... args) {
  throw NoSum(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

bool accesses_register(const Instruction& line, Verb verb) {
  return line.verb == verb && line.address.space == Address::Space::Register;
}

bool is_whole_f32(const Program& program, const Instruction& i) {
  const Register& reg = program.registers[i.address.index];
  return reg.type == Type::F32 && reg.count == 1 && i.address.element.is_number() && i.address.element.bits == 0 &&
         i.address.unit == Type::F32 && i.type == VectorType{Type::F32, 1} && !i.gated;
}

Sums::Sums(const Program& program) : program_(program), made_by_(lines_of_values(program)) {}

std::vector<uint32_t> Sums::lines() const {
  if (program_.body.size() > kMostLines) no("it has more than {} lines", kMostLines);
  std::vector<uint32_t> out;
  for (uint32_t at = 0; at < program_.body.size(); ++at) {
    const Instruction& i = line(at);
    if (i.verb == Verb::Do) no("line {} is a do loop", i.line);
    if (!accesses_register(i, Verb::Store) || i.operands[0].is_number()) continue;
    const std::vector<uint32_t> behind = lines_behind(program_, made_by_, {i.operands[0]});
    if (std::ranges::any_of(behind, [&](uint32_t from) {
          return accesses_register(line(from), Verb::Load) && line(from).address.index == i.address.index;
        }))
      out.push_back(at);
  }
  return out;
}

Sum Sums::at(uint32_t adds) const {
  Sum out;
  out.adds = adds;
  out.reg = line(adds).address.index;
  const Register& reg = program_.registers[out.reg];
  if (reg.type != Type::F32) no("line {} sums up in {}", line(adds).line, info(reg.type).name);
  if (!is_whole_f32(program_, line(adds))) no("line {} sums up in one of several elements", line(adds).line);
  find_loops(out);
  find_value(out);
  check_uses(out);
  return out;
}

void Sums::find_loops(Sum& sum) const {
  std::vector<uint32_t> open, of_begin;
  bool begun = false;
  for (uint32_t at = 0; at < sum.adds; ++at) {
    const Instruction& i = line(at);
    if (i.verb == Verb::Loop || i.verb == Verb::If) open.push_back(at);
    if (i.verb == Verb::EndLoop || i.verb == Verb::EndIf) open.pop_back();
    if (!accesses_register(i, Verb::Store) || i.address.index != sum.reg) continue;
    if (begun) no("lines {} and {} both set the sum", line(sum.begins).line, i.line);
    begun = true;
    sum.begins = at;
    of_begin = open;
  }
  if (!begun) no("the sum of line {} does not begin at 0", line(sum.adds).line);
  const Instruction& begin = line(sum.begins);
  if (!begin.operands[0].is_number() || begin.operands[0].bits != 0 || !is_whole_f32(program_, begin))
    no("line {} begins the sum with something else than 0", begin.line);
  if (!open.empty() && line(open.back()).verb == Verb::If) {
    sum.gate = open.back();
    open.pop_back();
  }
  for (const uint32_t at : open)
    if (line(at).verb != Verb::Loop) no("line {} sums up under a condition", line(sum.adds).line);
  if (of_begin.size() >= open.size() || !std::equal(of_begin.begin(), of_begin.end(), open.begin()))
    no("line {} begins the sum elsewhere than right before its loops", begin.line);
  for (const uint32_t at : open) {
    if (!line(at).operands[0].is_number())
      no("how long the loop of line {} is depends on what it computes", line(at).line);
    const int64_t extent = value_of(line(at).operands[0]);
    if (extent < 1) no("the loop of line {} is empty", line(at).line);
    if (static_cast<uint64_t>(extent) > kLargestExtent) no("the loop of line {} is too long", line(at).line);
  }
  sum.outer = of_begin;
  sum.loops.assign(open.begin() + static_cast<ptrdiff_t>(of_begin.size()), open.end());
}

// r + value, or value + r.
void Sums::find_value(Sum& sum) const {
  sum.sums = made_by_[line(sum.adds).operands[0].value];
  const Instruction& add = line(sum.sums);
  if (add.verb != Verb::Add || add.type != VectorType{Type::F32, 1})
    no("line {} does not add to what it sums up", line(sum.adds).line);
  for (uint32_t k = 0; k < 2; ++k) {
    const Operand& operand = add.operands[k];
    if (operand.is_number() || made_by_[operand.value] == ~0u) continue;
    sum.loads = made_by_[operand.value];
    const Instruction& load = line(sum.loads);
    if (!accesses_register(load, Verb::Load) || load.address.index != sum.reg || !is_whole_f32(program_, load))
      continue;
    if (sum.loads < sum.loops.back()) no("line {} loads the sum outside of its loop", load.line);
    sum.value = add.operands[1 - k];
    return;
  }
  no("line {} does not add to what it sums up", line(sum.adds).line);
}

void Sums::check_uses(const Sum& sum) const {
  const uint32_t end = line(sum.loops[0]).partner;
  const uint32_t block_end =
      sum.outer.empty() ? static_cast<uint32_t>(program_.body.size()) : line(sum.outer.back()).partner;
  for (uint32_t at = 0; at < program_.body.size(); ++at) {
    const Instruction& i = line(at);
    if (!accesses_register(i, Verb::Load) || i.address.index != sum.reg || at == sum.loads) continue;
    if (!is_whole_f32(program_, i)) no("line {} loads a part of the sum", i.line);
    if (at < end || at >= block_end) no("line {} loads the sum before it is complete, or of another iteration", i.line);
  }
  for (uint32_t at = sum.adds + 1; at < program_.body.size(); ++at)
    if (accesses_register(line(at), Verb::Store) && line(at).address.index == sum.reg)
      no("line {} stores to the sum's register", line(at).line);
  const uint32_t load = line(sum.loads).result, total = line(sum.sums).result;
  for (uint32_t at = 0; at < program_.body.size(); ++at) {
    const auto uses = [&](const Operand& o) { return !o.is_number() && (o.value == load || o.value == total); };
    const Instruction& i = line(at);
    bool used = std::ranges::any_of(i.inputs(), uses);
    if (i.verb == Verb::Load || i.verb == Verb::Store) used = used || uses(i.address.element);
    if (used && at != sum.sums && at != sum.adds) no("line {} uses the sum before it is complete", i.line);
  }
}

}  // namespace kerr::loops::tiles
