#include "loops/tiles/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

// Multiples of values, and a number.
struct Half {
  struct Term {
    Operand value;
    int64_t factor;
  };
  std::vector<Term> terms;
  int64_t number = 0;
};
struct Copy {
  uint32_t loop, load, store;  // lines
  Half from, to;               // halves of the elements' numbers in the loop's first turn
};

// Half of an index that is the loop's variable and even numbers that are made outside of the loop.
class Halving {
 public:
  Halving(const Program& program, uint32_t loop) : program_(program), loop_(loop), made_by_(lines_of_values(program)) {}

  std::optional<Half> of(const Operand& index) {
    half_ = {};
    turns_ = 0;
    return add(index) && turns_ == 1 ? std::optional(half_) : std::nullopt;
  }

 private:
  bool add(const Operand& value) {
    if (value.type.type != Type::I32) return false;
    if (value.is_number()) {
      half_.number += value_of(value) / 2;
      return value_of(value) % 2 == 0;
    }
    const uint32_t at = made_by_[value.value];
    if (at == loop_) return ++turns_ == 1;
    if (at == ~0u) return false;
    const Instruction& line = program_.body[at];
    if (line.verb == Verb::Add) return add(line.operands[0]) && add(line.operands[1]);
    const bool multiplies = line.verb == Verb::Shl || line.verb == Verb::Mul;
    if (!multiplies || line.operands[0].is_number() || !line.operands[1].is_number() || !is_outside(line.operands[0]))
      return false;
    const int64_t number = value_of(line.operands[1]);
    if (line.verb == Verb::Shl && (number < 1 || number > 30)) return false;
    const int64_t factor = line.verb == Verb::Shl ? int64_t{1} << number : number;
    half_.terms.push_back({line.operands[0], factor / 2});
    return factor % 2 == 0;
  }
  bool is_outside(const Operand& value) const {
    const uint32_t at = made_by_[value.value];
    return at == ~0u || at < loop_ || at > program_.body[loop_].partner;
  }

  const Program& program_;
  const uint32_t loop_;
  const std::vector<uint32_t> made_by_;
  Half half_;
  int turns_ = 0;
};

bool has_pairs(const Program& program, const Instruction& access) {
  if (access.address.space != Address::Space::Parameter || access.type.lanes != 1) return false;
  const Parameter& p = program.parameters[access.address.index];
  return info(p.type).bytes == 2 && p.count % 2 == 0 && access.address.unit == p.type && access.type.type == p.type;
}

std::optional<Copy> copy_of(const Made& made, uint32_t at_loop) {
  const Program& program = made.program;
  Copy out{at_loop, 0, 0, {}, {}};
  const Instruction& loop = program.body[out.loop];
  if (!loop.operands[0].is_number() || loop.type.type != Type::I32 || loop.operands[0].bits % 2 != 0)
    return std::nullopt;
  for (uint32_t at = out.loop + 1; at < loop.partner; ++at) {
    const Instruction& line = program.body[at];
    if (line.verb == Verb::Load && out.load == 0 && !line.gated)
      out.load = at;
    else if (line.verb == Verb::Store && out.store == 0)
      out.store = at;
    else if (!is_arithmetic(line.verb) || !is_integer(line.type.type))
      return std::nullopt;
  }
  if (out.load == 0 || out.store == 0) return std::nullopt;
  const Instruction &load = program.body[out.load], &store = program.body[out.store];
  if (!has_pairs(program, load) || !has_pairs(program, store) || made.sources[load.address.index] < kScratch ||
      store.operands[0].is_number() || store.operands[0].value != load.result)
    return std::nullopt;
  Halving halving(program, out.loop);
  const std::optional<Half> from = halving.of(load.address.element), to = halving.of(store.address.element);
  if (!from || !to) return std::nullopt;
  out.from = *from;
  out.to = *to;
  return out;
}

class Rewriter {
 public:
  explicit Rewriter(Program& program) : program_(program) {}

  // The loop's lines with pairs for elements.
  void copy(const Copy& c) {
    Instruction loop = program_.body[c.loop];
    loop.operands[0] = number(static_cast<int64_t>(loop.operands[0].bits / 2));
    body_.push_back(loop);
    const Operand from = number_of(c.from, loop), to = number_of(c.to, loop);
    Instruction load = program_.body[c.load], store = program_.body[c.store];
    program_.values[load.result].type = {Type::U32, 1};
    for (Instruction* access : {&load, &store}) {
      access->type = {Type::U32, 1};
      access->address.unit = Type::U32;
    }
    load.address.element = from;
    store.address.element = to;
    store.operands[0].type = {Type::U32, 1};
    body_.push_back(load);
    body_.push_back(store);
  }
  void keep(const Instruction& line) { body_.push_back(line); }

  void finish() {
    program_.body = std::move(body_);
    relink(program_);
  }

 private:
  Operand number_of(const Half& half, const Instruction& loop) {
    Operand sum = number(half.number);
    for (const Half::Term& term : half.terms)
      sum = make(Verb::Add, sum, make(Verb::Mul, term.value, number(term.factor), loop.line), loop.line);
    return make(Verb::Add, sum, {{Type::I32, 1}, loop.result, 0}, loop.line);
  }
  Operand make(Verb verb, const Operand& a, const Operand& b, uint32_t line) {
    Instruction made;
    made.verb = verb;
    made.type = {Type::I32, 1};
    made.operands[0] = a;
    made.operands[1] = b;
    made.operand_count = 2;
    made.line = line;
    made.result = static_cast<uint32_t>(program_.values.size());
    program_.values.push_back({fmt::format("{}", made.result), {Type::I32, 1}});
    body_.push_back(made);
    return {{Type::I32, 1}, made.result, 0};
  }

  Program& program_;
  std::vector<Instruction> body_;
};

}  // namespace

void copy_in_pairs(Made& made) {
  std::vector<Copy> copies;
  for (uint32_t at = 0; at < made.program.body.size(); ++at) {
    if (made.program.body[at].verb != Verb::Loop) continue;
    if (const auto copy = copy_of(made, at)) copies.push_back(*copy);
  }
  if (copies.empty()) return;
  Rewriter rewriter(made.program);
  size_t next = 0;
  for (uint32_t at = 0; at < made.program.body.size(); ++at) {
    if (next < copies.size() && at == copies[next].loop) {
      rewriter.copy(copies[next++]);
      at = made.program.body[at].partner;
    }
    rewriter.keep(made.program.body[at]);
  }
  rewriter.finish();
}

}  // namespace kerr::loops::tiles
