#include "loops/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "loops/apply.hpp"

namespace kerr::loops {

namespace {

constexpr size_t kTypeCount = std::size(kTypes);
constexpr uint64_t kLinesBetweenProgress = uint64_t{1} << 24;

// --- arithmetic

template <Verb v, Type t>
const Step* arithmetic(const Step& s, Machine& m) {
  uint64_t* const slots = m.slots;
  slots[s.result] = apply<v, t>(slots[s.a], slots[s.b], slots[s.c]);
  return &s + 1;
}

template <Type to, Type from>
const Step* cast(const Step& s, Machine& m) {
  m.slots[s.result] = apply_cast<to, from>(m.slots[s.a]);
  return &s + 1;
}

const Step* copy(const Step& s, Machine& m) {
  m.slots[s.result] = m.slots[s.a];
  return &s + 1;
}

// --- memory

[[noreturn, gnu::noinline]] void outside(const Step& s, Machine& m, int64_t element) {
  const Instruction& i = m.program.body[s.instruction];
  const bool parameter = i.address.space == Address::Space::Parameter;
  std::string name, size;
  if (parameter) {
    const Parameter& p = m.program.parameters[i.address.index];
    name = fmt::format("p{}", p.slot), size = fmt::format("{} {}", p.count, info(p.type).name);
  } else {
    const Register& r = m.program.registers[i.address.index];
    name = fmt::format("r{}", r.id), size = fmt::format("{} {}", r.count, info(r.type).name);
  }
  const std::string index = i.address.element.type.type == Type::U64 ? fmt::format("{}", static_cast<uint64_t>(element))
                                                                     : fmt::format("{}", element);
  throw RunError(i.line, fmt::format("{} {} {}{} is outside of {}, which has {}",
                                     i.verb == Verb::Load ? "the load of" : "the store to", info(i.type.type).name,
                                     name, fmt::format("[{}]", index), name, size));
}

std::byte* address(const Step& s, Machine& m) {
  const int64_t element = static_cast<int64_t>(m.slots[s.a] << s.index_shift) >> s.index_shift;
  if (static_cast<uint64_t>(element) >= s.limit) outside(s, m, element);
  return s.base + (element << s.unit_shift);
}

template <Type t>
void load_from(const std::byte* from, uint64_t& slot) {
  IntegerOf<t> value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (t == Type::Bool)
    slot = value != 0;
  else
    slot = word_of<t>(value);
}

template <Type t>
const Step* load(const Step& s, Machine& m) {
  load_from<t>(address(s, m), m.slots[s.result]);
  return &s + 1;
}

template <Type t>
const Step* gated_load(const Step& s, Machine& m) {
  if (m.slots[s.b] != 0)
    load_from<t>(address(s, m), m.slots[s.result]);
  else
    m.slots[s.result] = m.slots[s.c];
  return &s + 1;
}

template <Type t>
const Step* store(const Step& s, Machine& m) {
  const auto value = static_cast<IntegerOf<t>>(m.slots[s.b]);
  std::memcpy(address(s, m), &value, sizeof value);
  return &s + 1;
}

// --- blocks

// An extent below 1 is one below 0 or 0.
template <Type t>
const Step* begin_loop(const Step& s, Machine& m) {
  m.count(s);
  m.slots[s.result] = 0;
  return less<t>(0, m.slots[s.a]) ? &s + 1 : &s + s.jump;
}
const Step* end_loop(const Step& s, Machine& m) {
  m.count(s);
  return ++m.slots[s.result] != m.slots[s.a] ? &s + s.jump : &s + 1;
}
const Step* begin_do(const Step& s, Machine& m) {
  m.count(s);
  return &s + 1;
}
const Step* end_do(const Step& s, Machine& m) {
  m.count(s);
  return m.slots[s.a] != 0 ? &s + s.jump : &s + 1;
}
const Step* begin_if(const Step& s, Machine& m) {
  m.count(s);
  return m.slots[s.a] != 0 ? &s + 1 : &s + s.jump;
}
const Step* end_if(const Step& s, Machine& m) {
  m.count(s);
  return &s + 1;
}
const Step* end_program(const Step& s, Machine& m) {
  m.count(s);
  return nullptr;
}

// --- which function executes a line

using Row = std::array<Execute, kTypeCount>;
template <Verb v, Type t>
constexpr Execute arithmetic_or_none() {
  if constexpr (computes(v, t))
    return &arithmetic<v, t>;
  else
    return nullptr;
}
template <Verb v, size_t... t>
constexpr Row arithmetic_row(std::index_sequence<t...>) {
  return {arithmetic_or_none<v, static_cast<Type>(t)>()...};
}
template <size_t to, size_t... from>
constexpr Row cast_row(std::index_sequence<from...>) {
  return {&cast<static_cast<Type>(to), static_cast<Type>(from)>...};
}
template <size_t... to>
constexpr std::array<Row, kTypeCount> cast_rows(std::index_sequence<to...>) {
  return {cast_row<to>(std::make_index_sequence<kTypeCount>())...};
}
struct MemoryRows {
  Row load, gated_load, store;
};
template <size_t... t>
constexpr MemoryRows memory_rows(std::index_sequence<t...>) {
  return {{&load<static_cast<Type>(t)>...}, {&gated_load<static_cast<Type>(t)>...}, {&store<static_cast<Type>(t)>...}};
}
template <Type t>
constexpr Execute loop_or_none() {
  if constexpr (is_integer(t))
    return &begin_loop<t>;
  else
    return nullptr;
}
template <size_t... t>
constexpr Row loop_row(std::index_sequence<t...>) {
  return {loop_or_none<static_cast<Type>(t)>()...};
}

constexpr Row kArithmetic[] = {
#define X(verb, name, operands, kind) arithmetic_row<Verb::verb>(std::make_index_sequence<kTypeCount>()),
#include "loops/operations.def"
};
constexpr auto kCasts = cast_rows(std::make_index_sequence<kTypeCount>());
constexpr MemoryRows kMemory = memory_rows(std::make_index_sequence<kTypeCount>());
constexpr Row kLoops = loop_row(std::make_index_sequence<kTypeCount>());

constexpr size_t index(Type type) { return static_cast<size_t>(type); }

}  // namespace

Machine::Machine(const Program& of, const InterpretOptions& with, uint64_t* at)
    : slots(at), program(of), options(with) {
  stop_at = options.progress ? std::min(options.max_steps, kLinesBetweenProgress) : options.max_steps;
}

void Machine::stop(const Step& step) {
  if (lines > options.max_steps)
    throw RunError(step.instruction < program.body.size() ? program.body[step.instruction].line : 0,
                   fmt::format("more than {} lines were executed", options.max_steps));
  options.progress();
  stop_at = std::min(options.max_steps, lines + kLinesBetweenProgress);
}

Execute execute_of(const Instruction& i) {
  const size_t type = index(i.type.type);
  switch (i.verb) {
    case Verb::Cast: return kCasts[type][index(i.operands[0].type.type)];
    // Any byte but 0 is true.
    case Verb::Bitcast: return i.type.type == Type::Bool ? kCasts[index(Type::Bool)][index(Type::U8)] : &copy;
    case Verb::Pack:
    case Verb::Lane: return &copy;
    default: return kArithmetic[static_cast<size_t>(i.verb) - static_cast<size_t>(Verb::Add)][type];
  }
}

Execute execute_of_access(const Instruction& i) {
  const Row& row = i.verb == Verb::Store ? kMemory.store : i.gated ? kMemory.gated_load : kMemory.load;
  return row[index(i.type.type)];
}

Execute execute_of_block(const Instruction& i) {
  switch (i.verb) {
    case Verb::Loop: return kLoops[index(i.type.type)];
    case Verb::EndLoop: return &end_loop;
    case Verb::Do: return &begin_do;
    case Verb::While: return &end_do;
    case Verb::If: return &begin_if;
    default: return &end_if;
  }
}

Execute execute_of_end() { return &end_program; }

}  // namespace kerr::loops
