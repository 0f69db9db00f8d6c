#include "loops/tiles/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "loops/tiles/reductions.hpp"
#include "loops/tiles/sums.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr size_t kMostFactors = 8;
constexpr size_t kMostSums = 8;  // of a program, that are looked at

using Loops = uint64_t;  // a bit for each loop round the line that adds

template <class... Args>
[[noreturn]] void no(fmt::format_string<Args...> format, Args&&... args) {
  throw NoSum(fmt::format(format, std::forward<Args>(args)...));
}

class Finder {
 public:
  Finder(const Program& program, const Sums& sums, const Reductions& reductions)
      : program_(program), sums_(sums), reductions_(reductions), made_by_(sums.made_by()) {}

  // `deep`: sums that are added up are parts of the sum; else they are factors.
  Contraction find(uint32_t adds, bool deep) {
    const Sum sum = sums_.at(adds);
    out_.reg = sum.reg;
    out_.begins = sum.begins;
    out_.adds = adds;
    outer_ = sum.outer;
    loops_ = sum.outer;
    deep_ = deep;
    take(sum);
    factors_of(sum.value);
    depend();
    check_inside();
    part();
    return std::move(out_);
  }

 private:
  const Instruction& line(uint32_t at) const { return program_.body[at]; }
  const Instruction* maker_of(const Operand& value) const {
    return value.is_number() ? nullptr : &line(made_by_[value.value]);
  }

  void take(const Sum& sum) {
    out_.k.insert(out_.k.end(), sum.loops.begin(), sum.loops.end());
    loops_.insert(loops_.end(), sum.loops.begin(), sum.loops.end());
    stores_.push_back(sum.begins);
    stores_.push_back(sum.adds);
    if (!sum.gate) return;
    conditions_.push_back(*sum.gate);
    if (const Operand& condition = line(*sum.gate).operands[0]; !condition.is_number())
      out_.gates.push_back({condition, true});
    else if (condition.bits == 0)
      no("line {} is never executed", line(sum.adds).line);
  }

  // The sum that is complete in the innermost loop of those that were taken, and is loaded there.
  std::optional<Sum> part_behind(const Instruction& load) const {
    if (!deep_ || !accesses_register(load, Verb::Load) || !is_whole_f32(program_, load)) return std::nullopt;
    for (uint32_t at = out_.k.back(); at < line(out_.k.back()).partner; ++at) {
      const Instruction& i = line(at);
      if (!accesses_register(i, Verb::Store) || i.address.index != load.address.index || i.operands[0].is_number())
        continue;
      try {
        Sum sum = sums_.at(at);
        if (sum.outer == loops_) return sum;
      } catch (const NoSum&) {
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  static bool is_zero(const Operand& operand) { return operand.is_number() && operand.bits == 0; }

  // The product of factors in what is added: without choices of 0 elsewhere, roundings, and sums that are round it.
  Operand product_in(const Operand& added) {
    Operand root = added;
    for (const Instruction* i = maker_of(root); i != nullptr && i->type.lanes == 1; i = maker_of(root)) {
      if (i->verb == Verb::Where && !i->operands[0].is_number() &&
          (is_zero(i->operands[1]) || is_zero(i->operands[2]))) {
        const bool when = is_zero(i->operands[2]);
        out_.gates.push_back({i->operands[0], when});
        root = i->operands[when ? 1 : 2];
      } else if (i->verb == Verb::Cast) {
        const Operand& from = i->operands[0];
        const Type small = from.type.type;
        if (from.is_number() || from.type.lanes != 1 || out_.products != Type::F32) break;
        if (small != Type::F32 && small != Type::Bf16 && small != Type::F16) break;
        out_.products = small;
        root = from;
      } else if (const auto part = out_.products == Type::F32 ? part_behind(*i) : std::nullopt) {
        take(*part);
        out_.parts.push_back(part->adds);
        root = part->value;
      } else {
        break;
      }
    }
    return root;
  }

  void factors_of(const Operand& added) {
    const Operand root = product_in(added);
    const Type type = out_.products;
    std::vector<Operand> left{root};
    while (!left.empty()) {
      const Operand top = left.back();
      left.pop_back();
      const Instruction* i = maker_of(top);
      const bool splits = i != nullptr && i->verb == Verb::Mul && i->type == VectorType{type, 1} &&
                          (type == Type::F32 || top.value == root.value);  // others are rounded
      if (splits) {
        left.push_back(i->operands[1]);
        left.push_back(i->operands[0]);
      } else {
        factors_.push_back(top);
      }
    }
    if (factors_.size() < 2) no("what line {} adds is no product", line(out_.adds).line);
    if (factors_.size() > kMostFactors)
      no("what line {} adds is a product of more than {} factors", line(out_.adds).line, kMostFactors);
  }

  // On which loops each value depends.
  void depend() {
    std::vector<Operand> values = factors_;
    for (const Gate& gate : out_.gates) values.push_back(gate.condition);
    const Behind behind = reductions_.behind(values);
    if (behind.other_load) no("line {}: a factor depends on a register", line(*behind.other_load).line);
    reductions_used_ = behind.reductions;
    for (const Reduction& r : reductions_used_)
      if (std::ranges::find(loops_, r.loop) != loops_.end())
        no("a factor or its condition depends on the sum of line {}, which is a part", line(r.stores).line);
    std::vector<Loops> of(program_.values.size());
    for (size_t k = 0; k < loops_.size(); ++k) of[line(loops_[k]).result] = Loops{1} << k;
    for (const uint32_t at : behind.lines) {
      const Instruction& i = line(at);
      if (i.type.lanes != 1) no("line {} computes with vectors", i.line);
      if (i.verb == Verb::Loop) {
        if (std::ranges::find(loops_, at) == loops_.end() && !in_reduction(at))
          no("a factor depends on the loop of line {}, which has ended", i.line);
        continue;
      }
      const auto use = [&](const Operand& operand) {
        if (!operand.is_number()) of[i.result] |= of[operand.value];
      };
      for (const Operand& operand : i.inputs()) use(operand);
      if (i.verb != Verb::Load) continue;
      use(i.address.element);
      if (i.address.space == Address::Space::Parameter) {
        out_.loaded.push_back(i.address.index);
        continue;
      }
      for (const Reduction& reduction : reductions_used_) {
        if (reduction.reg != i.address.index) continue;
        use(line(reduction.begins).operands[0]);
        if (at > reduction.stores) use(line(reduction.stores).operands[0]);
      }
    }
    const auto loops_of = [&](const Operand& value) { return value.is_number() ? Loops{0} : of[value.value]; };
    for (const Operand& factor : factors_) depends_.push_back(loops_of(factor));
    // Nobody loads a register again, behind the sum, that the program loads inside of it.
    const auto loads_inside = [&](uint32_t at) {
      return accesses_register(line(at), Verb::Load) && out_.k[0] < at && at < line(out_.k[0]).partner;
    };
    const auto changes = [&](const Gate& gate) {
      return (loops_of(gate.condition) & in_sum()) != 0 ||
             std::ranges::any_of(reductions_.behind({gate.condition}).lines, loads_inside);
    };
    const auto of_sum = std::stable_partition(out_.gates.begin(), out_.gates.end(), changes);
    out_.sum_gates.assign(of_sum, out_.gates.end());
    out_.gates.erase(of_sum, out_.gates.end());
    for (const Gate& gate : out_.gates) gated_ |= loops_of(gate.condition);
    std::ranges::sort(out_.loaded);
    out_.loaded.erase(std::unique(out_.loaded.begin(), out_.loaded.end()), out_.loaded.end());
  }

  Loops in_sum() const {
    const Loops all = loops_.size() == 64 ? ~Loops{0} : (Loops{1} << loops_.size()) - 1;
    return all & ~Loops{0} << outer_.size();
  }

  bool in_reduction(uint32_t at) const {
    return std::ranges::any_of(reductions_used_,
                               [&](const Reduction& r) { return r.loop <= at && at <= line(r.loop).partner; });
  }

  // Whatever is made in the sum's loops serves the sum alone.
  void check_inside() const {
    const uint32_t begin = out_.k[0], end = line(begin).partner;
    for (uint32_t at = begin; at < end; ++at) {
      const Instruction& i = line(at);
      const auto& own = i.verb == Verb::If ? conditions_ : out_.k;
      if ((i.verb == Verb::If || i.verb == Verb::Loop) && std::ranges::find(own, at) == own.end() && !in_reduction(at))
        no("line {} is a block inside of the sum", i.line);
      const auto stores = [&](const Reduction& r) { return r.begins == at || r.stores == at; };
      if (i.verb == Verb::Store && std::ranges::find(stores_, at) == stores_.end() &&
          std::ranges::none_of(reductions_used_, stores))
        no("line {} stores inside of the sum", i.line);
    }
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = line(at);
      if (!accesses_register(i, Verb::Load) || (begin < at && at < end)) continue;
      const auto inside = [&](const Reduction& r) {
        return r.reg == i.address.index && r.stores > begin && r.stores < end;
      };
      if (std::ranges::any_of(reductions_used_, inside)) no("line {} loads what is made inside of the sum", i.line);
    }
  }

  double size(Loops loops) const {
    double out = 1;
    for (size_t k = 0; k < loops_.size(); ++k)
      if ((loops >> k & 1) != 0) out *= static_cast<double>(extent_of(program_, loops_[k]));
    return out;
  }

  // Which factors are A and which B: so that both together have the fewest elements.
  void part() {
    const size_t count = factors_.size();
    const Loops both = in_sum() | gated_;
    const auto parted = [&](uint32_t set) {
      std::array<Loops, 2> in{gated_, gated_};
      for (size_t f = 0; f < count; ++f) in[set >> f & 1] |= depends_[f];
      return in;
    };
    double best = 0;
    uint32_t chosen = 0;
    for (uint32_t set = 1; set < (1u << (count - 1)); ++set) {  // the last factor is never among them
      const auto in = parted(set);
      const double elements = size(in[0] | both) + size(in[1] | both);
      if (chosen != 0 && elements >= best) continue;
      best = elements;
      chosen = set;
    }
    const auto in = parted(chosen);
    // The innermost loop of one alone goes along the columns of the result.
    int b = 0;
    for (size_t k = 0; k < outer_.size(); ++k) {
      const Loops bit = Loops{1} << k;
      if (((in[0] ^ in[1]) & bit) != 0) b = (in[1] & bit) != 0 ? 1 : 0;
    }
    for (size_t f = 0; f < count; ++f)
      (static_cast<int>(chosen >> f & 1) == b ? out_.b : out_.a).push_back(factors_[f]);
    for (size_t k = 0; k < outer_.size(); ++k) {
      const bool of_a = (in[static_cast<size_t>(1 - b)] >> k & 1) != 0,
                 of_b = (in[static_cast<size_t>(b)] >> k & 1) != 0;
      (of_a && of_b ? out_.batch : of_a ? out_.m : of_b ? out_.n : out_.others).push_back(outer_[k]);
    }
    out_.narrow = std::ranges::all_of(factors_, [&](const Operand& factor) { return exact_in_bf16(factor); }) &&
                  out_.a.size() == 1 && out_.b.size() == 1;
  }

  static bool is_narrow(Type type) { return type == Type::Bf16; }
  bool exact_in_bf16(const Operand& factor) const {
    if (is_narrow(factor.type.type)) return true;
    const Instruction* i = maker_of(factor);
    return i != nullptr && i->verb == Verb::Cast && is_narrow(i->operands[0].type.type);
  }

  const Program& program_;
  const Sums& sums_;
  const Reductions& reductions_;
  const std::vector<uint32_t>& made_by_;
  Contraction out_;
  bool deep_ = false;
  std::vector<uint32_t> outer_, loops_;  // round the sum; and those inside behind them
  std::vector<uint32_t> stores_;         // lines that make the sum and its parts
  std::vector<uint32_t> conditions_;     // lines round some of these
  std::vector<Operand> factors_;
  std::vector<Reduction> reductions_used_;  // of factors
  std::vector<Loops> depends_;              // of each factor
  Loops gated_ = 0;                         // of gates
};

}  // namespace

uint64_t extent_of(const Program& program, uint32_t loop) {
  return static_cast<uint64_t>(std::max<int64_t>(value_of(program.body[loop].operands[0]), 0));
}

uint64_t extent_of(const Program& program, const std::vector<uint32_t>& loops) {
  uint64_t out = 1;
  for (const uint32_t loop : loops) {
    if (__builtin_mul_overflow(out, extent_of(program, loop), &out)) return ~uint64_t{0};
  }
  return out;
}

FoundContractions find_contractions(const Program& bound) {
  FoundContractions out;
  try {
    const Sums sums(bound);
    const std::vector<uint32_t> lines = sums.lines();
    if (lines.empty()) no("it sums up nothing");
    if (lines.size() > kMostSums)
      no("it has {} sums, more than {}: lines {}, {} and others", lines.size(), kMostSums, bound.body[lines[0]].line,
         bound.body[lines[1]].line);
    const Reductions reductions(bound);
    for (const uint32_t adds : lines) {
      for (const bool deep : {true, false}) {
        try {
          Contraction found = Finder(bound, sums, reductions).find(adds, deep);
          if (!deep && !out.all.empty() && out.all.back().adds == adds && out.all.back().parts.empty()) continue;
          out.all.push_back(std::move(found));
        } catch (const NoSum& why) {
          const bool known = out.why_not.find(why.what()) != std::string::npos;
          if (!known) out.why_not += fmt::format("{}{}", out.why_not.empty() ? "" : "; ", why.what());
        }
      }
    }
  } catch (const NoSum& why) {
    out.why_not = why.what();
  }
  return out;
}

}  // namespace kerr::loops::tiles
