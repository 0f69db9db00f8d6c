#include "loops/scalar/move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kerr::loops::scalar {
namespace {

constexpr std::string_view kName = "moved";  // of values, with a number
constexpr VectorType kIndex{Type::I32, 1}, kBool{Type::Bool, 1};

class Mover {
 public:
  Mover(const Places& places, const std::vector<Move>& moves) : places_(places), from_(places.program()), out_(from_) {
    for (const Move& move : moves) {
      at_[move.what.chain[move.place]].push_back(&move);
      gone_.insert(move.what.inits.begin(), move.what.inits.end());
    }
    for (const Value& value : from_.values) {
      uint64_t number = 0;
      if (value.name.starts_with(kName))
        std::from_chars(value.name.data() + kName.size(), value.name.data() + value.name.size(), number);
      values_ = std::max(values_, number);
    }
    for (const Register& reg : from_.registers) next_register_ = std::max(next_register_, reg.id + 1);
  }

  Program run(const std::vector<Move>& moves) {
    out_.body.clear();
    auto next = moves.begin();
    for (uint32_t at = 0; at < from_.body.size(); ++at) {
      if (const auto found = at_.find(at); found != at_.end())
        for (const Move* move : found->second) put_there(*move);
      if (next != moves.end() && at == next->what.begin) {
        put_here(*next);
        at = next->what.end;
        ++next;
      } else if (gone_.count(at) == 0) {
        out_.body.push_back(from_.body[at]);
      }
    }
    relink(out_);
    return std::move(out_);
  }

 private:
  struct Result {
    Places::Element element;
    uint32_t sum;        // a register of its own
    uint32_t table = 0;  // or
    Operand value;       // what it is
  };

  // ---- pieces

  uint32_t new_value(VectorType type) {
    out_.values.push_back({fmt::format("{}{}", kName, ++values_), type});
    return static_cast<uint32_t>(out_.values.size() - 1);
  }
  uint32_t new_register(Type type, uint64_t count) {
    out_.registers.push_back({next_register_++, type, count, line_, true});
    return static_cast<uint32_t>(out_.registers.size() - 1);
  }
  Operand index(uint64_t number) const { return {kIndex, kNoValue, number}; }
  Address element(uint32_t reg, Operand number) const {
    return {Address::Space::Register, reg, number, out_.registers[reg].type};
  }

  Operand put(Verb verb, VectorType type, VectorType made, std::initializer_list<Operand> operands) {
    Instruction i;
    i.verb = verb;
    i.type = type;
    i.line = line_;
    for (const Operand& operand : operands) i.operands[i.operand_count++] = operand;
    i.result = new_value(made);
    out_.body.push_back(i);
    return {made, i.result, 0};
  }
  Operand load(uint32_t reg, Operand number) {
    const Operand made = put(Verb::Load, {out_.registers[reg].type, 1}, {out_.registers[reg].type, 1}, {});
    out_.body.back().address = element(reg, number);
    return made;
  }
  void store(Address address, Operand value) {
    Instruction i;
    i.verb = Verb::Store;
    i.type = value.type;
    i.line = line_;
    i.operands[i.operand_count++] = value;
    i.address = address;
    out_.body.push_back(i);
  }
  Operand open(VectorType type, Operand extent, Axis axis) {
    const Operand variable = put(Verb::Loop, type, type, {extent});
    out_.body.back().axis = axis;
    return variable;
  }
  void close() {
    Instruction i;
    i.verb = Verb::EndLoop;
    i.line = line_;
    out_.body.push_back(i);
  }

  // The number of a table's element.
  template <class VariableOf>
  Operand number_in_table(const Move& move, VariableOf&& variable_of) {
    Operand sum = index(0);
    for (size_t k = 0; k < move.over.size(); ++k) {
      const Instruction& loop = from_.body[move.what.chain[move.over[k]]];
      Operand variable = variable_of(move.over[k]);
      if (loop.type.type != Type::I32) variable = put(Verb::Cast, kIndex, kIndex, {variable});
      if (k == 0) {
        sum = variable;
        continue;
      }
      sum = put(Verb::Mul, kIndex, kIndex, {sum, index(move.most[k])});
      sum = put(Verb::Add, kIndex, kIndex, {sum, variable});
    }
    return sum;
  }

  // ---- where it goes

  // The value at the new place: itself, or made again.
  Operand there(const Operand& operand) {
    if (operand.is_number()) return operand;
    if (const auto known = again_.find(operand.value); known != again_.end()) return known->second;
    const uint32_t at = places_.definition(operand.value);
    // Made in the loop that moves, or early enough.
    if (at == kNowhere || at >= now_->what.begin || needs_->place_of(at) <= now_->place) return operand;
    Operand made;
    if (const std::optional<Operand> stored = places_.stored_for(at)) {
      made = there(*stored);
    } else {
      Instruction i = from_.body[at];
      for (uint32_t k = 0; k < i.operand_count; ++k) i.operands[k] = there(i.operands[k]);
      if (i.verb == Verb::Load) i.address.element = there(i.address.element);
      i.result = new_value(from_.values[operand.value].type);
      out_.body.push_back(i);
      made = {operand.type, i.result, 0};
    }
    again_[operand.value] = made;
    return made;
  }

  void put_there(const Move& move) {
    const Reduction& what = move.what;
    Needs needs(places_, what.chain);
    now_ = &move;
    needs_ = &needs;
    line_ = from_.body[what.begin].line;
    again_.clear();
    std::vector<Result>& results = results_[what.begin];
    for (uint32_t init : what.inits) {
      const Address& address = from_.body[init].address;
      results.push_back({{address.index, address.element.bits}, new_register(from_.body[init].type.type, 1), 0, {}});
    }
    uint64_t count = 1;
    for (uint64_t most : move.most) count *= most;
    if (!move.over.empty())
      for (Result& result : results) result.table = new_register(out_.registers[result.sum].type, count);

    const bool guarded = !move.guards.empty();
    if (guarded) {
      Operand all;
      for (uint32_t k : move.guards) {
        const Instruction& loop = from_.body[what.chain[k]];
        const Operand extent = there(loop.operands[0]);
        const Operand runs = put(Verb::Cmplt, loop.type, kBool, {{loop.type, kNoValue, 0}, extent});
        all = k == move.guards.front() ? runs : put(Verb::And, kBool, kBool, {all, runs});
      }
      open(kIndex, put(Verb::Cast, kIndex, kIndex, {all}), Axis::Reduce);
    }
    for (uint32_t k : move.over) {
      const Instruction& loop = from_.body[what.chain[k]];
      again_[loop.result] = open(loop.type, loop.operands[0], loop.axis);
    }
    copy(move, results);
    if (!move.over.empty()) {
      const Operand number =
          number_in_table(move, [&](uint32_t k) { return again_.at(from_.body[what.chain[k]].result); });
      for (Result& result : results) store(element(result.table, number), load(result.sum, index(0)));
    }
    for (size_t k = move.over.size(); k-- > 0;) close();
    if (guarded) close();
    if (move.over.empty())
      for (Result& result : results) result.value = load(result.sum, index(0));
  }

  void copy(const Move& move, const std::vector<Result>& results) {
    const Reduction& what = move.what;
    std::map<Places::Element, uint32_t> sums;
    for (size_t k = 0; k < results.size(); ++k) {
      sums[results[k].element] = results[k].sum;
      const Instruction& init = from_.body[what.inits[k]];
      const Operand value = there(init.operands[0]);
      store(element(results[k].sum, index(0)), value);
      out_.body.back().line = init.line;
    }
    // Values from outside come first: the lines of the loop may need them in a later turn, too.
    for (uint32_t at = what.begin; at < what.end; ++at) {
      for (const Operand& operand : from_.body[at].inputs()) there(operand);
      if (from_.body[at].verb == Verb::Load || from_.body[at].verb == Verb::Store)
        there(from_.body[at].address.element);
    }
    for (uint32_t at = what.begin; at <= what.end; ++at) {
      Instruction i = from_.body[at];
      for (uint32_t k = 0; k < i.operand_count; ++k) i.operands[k] = there(i.operands[k]);
      if (i.verb == Verb::Load || i.verb == Verb::Store) {
        i.address.element = there(i.address.element);
        if (i.address.space == Address::Space::Register && is_plain(from_, i))
          if (const auto sum = sums.find({i.address.index, i.address.element.bits}); sum != sums.end())
            i.address = element(sum->second, index(0));
      }
      out_.body.push_back(i);
    }
  }

  // ---- where it was: elements are what they would be

  void put_here(const Move& move) {
    line_ = from_.body[move.what.begin].line;
    std::vector<Result>& results = results_[move.what.begin];
    if (!move.over.empty()) {
      const Operand number = number_in_table(move, [&](uint32_t k) {
        const Instruction& loop = from_.body[move.what.chain[k]];
        return Operand{loop.type, loop.result, 0};
      });
      for (Result& result : results) result.value = load(result.table, number);
    }
    for (const Result& result : results)
      store(element(result.element.first, index(result.element.second)), result.value);
  }

  const Places& places_;
  const Program& from_;
  Program out_;
  std::map<uint32_t, std::vector<const Move*>> at_;  // lines that moves go before
  std::set<uint32_t> gone_;
  std::map<uint32_t, std::vector<Result>> results_;  // of the move whose loop begins there
  uint64_t values_ = 0;                              // the largest number in the name of one
  uint32_t next_register_ = 0, line_ = 0;
  // The move that is being put.
  const Move* now_ = nullptr;
  const Needs* needs_ = nullptr;
  std::unordered_map<uint32_t, Operand> again_;
};

}  // namespace

Program moved(const Places& places, const std::vector<Move>& moves) { return Mover(places, moves).run(moves); }

}  // namespace kerr::loops::scalar
