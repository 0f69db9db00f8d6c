#include "loops/tiles/epilogue.hpp"

#include <algorithm>

#include "loops/tiles/digits.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

// The program's lines one after the other; what computes only is moved out of loops that it does not need.
class Copier {
 public:
  Copier(const Program& bound, const Contraction& contraction, const Layout& sums, const Chunk& chunk, bool alone,
         Type type)
      : bound_(bound),
        contraction_(contraction),
        sums_(sums),
        chunk_(chunk),
        alone_(alone),
        type_(type),
        maker_(bound),
        is_(bound.values.size()),
        needed_(bound.body.size()) {}

  Made copy() {
    find_needed();
    matrix_ = maker_.scratch(kMatrix - kScratch, type_, sums_.elements());
    for (size_t r = 0; r < bound_.registers.size(); ++r)
      maker_.reg(bound_.registers[r].type, bound_.registers[r].count);
    if (chunk_.loop != ~0u) first_ = maker_.variable("first", extent_of(bound_, chunk_.loop));
    for (uint32_t at = 0; at < bound_.body.size(); ++at) {
      const Instruction& line = bound_.body[at];
      if (!needed_[at]) continue;
      maker_.at_line(line.line);
      copy_line(at);
      if (alone_ && at == bound_.body[contraction_.k[0]].partner) store_sum();
    }
    return std::move(maker_).finish();
  }

 private:
  bool in_sum(uint32_t at) const { return contraction_.k[0] <= at && at <= bound_.body[contraction_.k[0]].partner; }

  // Takes stores to memory, or those of the sum, and all that leads there.
  void find_needed() {
    const std::vector<uint32_t> made_by = lines_of_values(bound_);
    std::vector<uint32_t> round(bound_.body.size(), ~0u), open{~0u}, left;
    std::vector<std::vector<uint32_t>> stores(bound_.registers.size());
    const auto need = [&](uint32_t at) {
      if (at == ~0u || needed_[at]) return;
      needed_[at] = true;
      left.push_back(at);
    };
    for (uint32_t at = 0; at < bound_.body.size(); ++at) {
      const Instruction& line = bound_.body[at];
      if (line.verb == Verb::EndLoop || line.verb == Verb::EndIf) open.pop_back();
      round[at] = open.back();
      if (line.verb == Verb::Loop || line.verb == Verb::If) open.push_back(at);
      if (line.verb != Verb::Store) continue;
      const bool in_register = line.address.space == Address::Space::Register;
      if (!alone_ && (in_sum(at) || at == contraction_.begins)) continue;
      if (in_register) stores[line.address.index].push_back(at);
      if (alone_ ? at == contraction_.begins || at == contraction_.adds : !in_register) need(at);
    }
    if (alone_)
      for (const Gate& gate : contraction_.sum_gates) need(made_by[gate.condition.value]);
    while (!left.empty()) {
      const uint32_t at = left.back();
      left.pop_back();
      const Instruction& line = bound_.body[at];
      if (line.verb == Verb::Store || line.verb == Verb::Loop || line.verb == Verb::If) need(round[at]);
      const auto use = [&](const Operand& operand) {
        if (!operand.is_number()) need(made_by[operand.value]);
      };
      for (const Operand& operand : line.inputs()) use(operand);
      if (line.verb == Verb::Loop || line.verb == Verb::If) need(line.partner);
      if (line.verb == Verb::Store || line.verb == Verb::Load) use(line.address.element);
      if (line.verb == Verb::Load && line.address.space == Address::Space::Register)
        for (const uint32_t store : stores[line.address.index]) need(store);
      if (is_sum(line))
        for (const Gate& gate : contraction_.sum_gates) use(gate.condition);
    }
  }

  Operand there(const Operand& operand) const { return operand.is_number() ? operand : is_[operand.value]; }

  void copy_line(uint32_t at) {
    const Instruction& line = bound_.body[at];
    std::vector<Operand> operands;
    for (const Operand& operand : line.inputs()) operands.push_back(there(operand));
    Address address = line.address;
    const bool accesses = line.verb == Verb::Load || line.verb == Verb::Store;
    if (accesses) {
      address.element = there(address.element);
      if (address.space == Address::Space::Parameter) address.index = maker_.parameter(address.index);
    }
    switch (line.verb) {
      case Verb::Loop:
        if (const uint64_t run = run_of_places(at); run != 0) {
          in_runs_ = Runs{maker_.loop(extent_of(bound_, at, chunk_) / run, line.type.type, line.axis),
                          maker_.loop(run, line.type.type, line.axis), run};
          const Operand variable = maker_.add(maker_.mul(in_runs_->run, static_cast<int64_t>(run)), in_runs_->in_run);
          if (at == chunk_.loop) local_ = variable;
          is_[line.result] = at == chunk_.loop ? maker_.add(variable, maker_.cast(*first_, line.type.type)) : variable;
        } else if (at == chunk_.loop) {
          const Operand variable = maker_.loop(chunk_.size, line.type.type, line.axis);
          local_ = variable;
          is_[line.result] = maker_.add(variable, maker_.cast(*first_, line.type.type));
        } else {
          is_[line.result] = maker_.loop(operands[0], line.axis);
        }
        break;
      case Verb::If: maker_.begin_if(operands[0]); break;
      case Verb::EndLoop:
        if (run_of_places(line.partner) != 0) maker_.end();
        [[fallthrough]];
      case Verb::EndIf: maker_.end(); break;
      case Verb::Store: maker_.store(address, operands[0]); break;
      case Verb::Load: is_[line.result] = is_sum(line) ? load_sum() : load(at, address, operands); break;
      case Verb::Cast:
        if (operands[0].type == line.type) {  // sums that are rounded
          is_[line.result] = operands[0];
          break;
        }
        [[fallthrough]];
      default: is_[line.result] = maker_.make(line, operands, bound_.values[line.result].type);
    }
  }

  // Conditions of the whole sum are used behind its loops, so their loads are moved out of these: nothing stores there.
  Operand load(uint32_t at, const Address& address, const std::vector<Operand>& operands) {
    const VectorType type = bound_.body[at].type;
    if (!alone_ || !in_sum(at) || address.space != Address::Space::Parameter)
      return maker_.load_here(address, type, operands);
    if (operands.empty()) return maker_.load(address, type, {});
    return maker_.load(address, type, operands[0], operands[1]);
  }

  bool is_sum(const Instruction& line) const {
    return !alone_ && line.verb == Verb::Load && line.address.space == Address::Space::Register &&
           line.address.index == contraction_.reg;
  }
  Operand load_sum() {
    const Operand out = maker_.load(element_of(Address::Space::Parameter, matrix_, type_, place()), {type_, 1}, {});
    if (type_ == Type::Bf16) return out;
    return maker_.cast(gated(out, number(Type::F32, 0)), bound_.registers[contraction_.reg].type);
  }
  Operand gated(Operand sum, const Operand& otherwise) {
    for (const Gate& gate : contraction_.sum_gates) {
      const Operand condition = there(gate.condition);
      sum = maker_.make(Verb::Where, Type::F32, {condition, gate.when ? sum : otherwise, gate.when ? otherwise : sum});
    }
    return sum;
  }

  // The innermost loop through columns is two: places go on by the same step within so many columns, which needs no
  // division in the inner loop. 0: it is one, as all others.
  uint64_t run_of_places(uint32_t loop) const {
    if (alone_ || contraction_.n.empty() || loop != contraction_.n.back()) return 0;
    const auto in_order = [](const Digit& d) { return d.of == Digit::Of::Column && d.stride == 1 && !d.from; };
    const auto digit = std::ranges::find_if(sums_.digits, in_order);
    if (digit == sums_.digits.end() || digit->extent == 1) return 0;
    const uint64_t extent = extent_of(bound_, loop, chunk_);
    return extent > digit->extent && extent % digit->extent == 0 ? digit->extent : 0;
  }

  // Where the matrix has the sum of this iteration.
  Operand place() {
    Terms numbers[3] = {numbers_of(contraction_.batch), numbers_of(contraction_.m), numbers_of(contraction_.n)};
    std::vector<Operand> values;
    for (const Digit& digit : sums_.digits) {
      const Terms quotient = divide(maker_, numbers[static_cast<size_t>(digit.of)], digit.stride).first;
      values.push_back(sum_of(maker_, divide(maker_, quotient, digit.extent).second));
    }
    Operand out = number(0);
    uint64_t stride = sums_.elements();
    for (size_t k = 0; k < values.size(); ++k) {
      const Digit& digit = sums_.digits[k];
      const Operand value =
          digit.from ? maker_.mod(maker_.make(Verb::Sub, Type::I32, {values[*digit.from], values[k]}), digit.extent)
                     : values[k];
      out = maker_.add(out, maker_.mul(value, static_cast<int64_t>(stride /= digit.extent)));
    }
    return out;
  }
  Terms numbers_of(const std::vector<uint32_t>& loops) {
    Terms out;
    uint64_t stride = extent_of(bound_, loops, chunk_);
    for (const uint32_t loop : loops) {
      const uint64_t extent = extent_of(bound_, loop, chunk_);
      stride /= extent;
      if (run_of_places(loop) != 0) {
        out.push_back({maker_.cast(in_runs_->run, Type::I32), stride * in_runs_->size, extent / in_runs_->size});
        out.push_back({maker_.cast(in_runs_->in_run, Type::I32), stride, in_runs_->size});
        continue;
      }
      const Operand variable = loop == chunk_.loop ? *local_ : is_[bound_.body[loop].result];
      out.push_back({maker_.cast(variable, Type::I32), stride, extent});
    }
    return out;
  }

  void store_sum() {
    const Type own = bound_.registers[contraction_.reg].type;
    const Operand made =
        maker_.load_here(element_of(Address::Space::Register, contraction_.reg, own, number(0)), {own, 1});
    const Operand value = gated(maker_.cast(made, type_), number(Type::F32, kClosed));
    maker_.store(element_of(Address::Space::Parameter, matrix_, type_, place()), value);
  }

  const Program& bound_;
  const Contraction& contraction_;
  const Layout& sums_;
  const Chunk& chunk_;
  const bool alone_;
  const Type type_;  // of the matrix
  Maker maker_;
  std::vector<Operand> is_;  // of each value
  std::vector<bool> needed_;
  uint32_t matrix_ = 0;
  std::optional<Operand> first_, local_;
  struct Runs {
    Operand run, in_run;  // numbers
    uint64_t size;
  };
  std::optional<Runs> in_runs_;
};

}  // namespace

Type type_of_sums(const Program& bound, const Contraction& contraction) {
  const Type type = bound.registers[contraction.reg].type;
  return is_integer(type) ? type : Type::F32;
}

bool only_rounds_to_bf16(const Program& bound, const Contraction& contraction) {
  if (bound.registers[contraction.reg].type != Type::F32 || !contraction.sum_gates.empty()) return false;
  const uint32_t begin = contraction.k[0], end = bound.body[begin].partner;
  std::vector<bool> is_sum(bound.values.size());
  for (uint32_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& line = bound.body[at];
    if (begin <= at && at <= end) continue;
    const auto uses = [&](const Operand& operand) { return !operand.is_number() && is_sum[operand.value]; };
    const bool is_cast = line.verb == Verb::Cast && line.type == VectorType{Type::Bf16, 1};
    if (!is_cast && std::ranges::any_of(line.inputs(), uses)) return false;
    if (line.verb == Verb::Load && line.address.space == Address::Space::Register &&
        line.address.index == contraction.reg) {
      if (line.gated || line.type.lanes != 1) return false;
      is_sum[line.result] = true;
    }
  }
  return true;
}

Made epilogue(const Program& bound, const Contraction& contraction, const Layout& sums, const Chunk& chunk,
              std::optional<Type> type) {
  return Copier(bound, contraction, sums, chunk, false, type.value_or(type_of_sums(bound, contraction))).copy();
}

Made sums_alone(const Program& bound, const Contraction& contraction, const Layout& sums, const Chunk& chunk) {
  return Copier(bound, contraction, sums, chunk, true, type_of_sums(bound, contraction)).copy();
}

}  // namespace kerr::loops::tiles
