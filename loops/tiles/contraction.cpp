#include "loops/tiles/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "loops/tiles/maker.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr size_t kMostFactors = 8;
constexpr size_t kMostLines = 2000;  // in the body
constexpr uint64_t kLargestExtent = 1u << 30;

using Loops = uint64_t;  // a bit for each loop round the line that adds

struct NoContraction {
  std::string why;
};
template <class... Args>
[[noreturn]] void no(fmt::format_string<Args...> format, Args&&... args) {
  throw NoContraction{fmt::format(format, std::forward<Args>(args)...)};
}

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program), made_by_(lines_of_values(program)) {}

  Contraction find() {
    find_sum();
    find_loops();
    const Operand value = added_value();
    check_uses_of_sum();
    factors_of(value);
    depend();
    part();
    return std::move(out_);
  }

 private:
  const Instruction& line(uint32_t at) const { return program_.body[at]; }
  bool is_register(const Instruction& i, Verb verb) const {
    return i.verb == verb && i.address.space == Address::Space::Register;
  }

  // The one register that is loaded, added to and stored in a loop.
  void find_sum() {
    if (program_.body.size() > kMostLines) no("it has more than {} lines", kMostLines);
    std::vector<uint32_t> adds;
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = line(at);
      if (i.verb == Verb::Do) no("line {} is a do loop", i.line);
      if (!is_register(i, Verb::Store) || i.operands[0].is_number()) continue;
      const uint32_t by = made_by_[i.operands[0].value];
      if (by == ~0u) continue;
      for (const uint32_t from : lines_behind(program_, made_by_, {i.operands[0]}))
        if (is_register(line(from), Verb::Load) && line(from).address.index == i.address.index) {
          adds.push_back(at);
          break;
        }
    }
    if (adds.empty()) no("it sums up nothing");
    if (adds.size() > 1) no("it has several sums: lines {} and {}", line(adds[0]).line, line(adds[1]).line);
    out_.adds = adds[0];
    const Instruction& i = line(out_.adds);
    out_.reg = i.address.index;
    const Register& reg = program_.registers[out_.reg];
    if (reg.type != Type::F32) no("line {} sums up in {}", i.line, info(reg.type).name);
    if (!plain(i)) no("line {} sums up in one of several elements", i.line);
  }
  bool plain(const Instruction& i) const {
    return program_.registers[out_.reg].count == 1 && i.address.element.is_number() && i.address.element.bits == 0 &&
           i.address.unit == Type::F32 && i.type == VectorType{Type::F32, 1} && !i.gated;
  }

  void find_loops() {
    std::vector<uint32_t> open, of_begin;
    bool begun = false;
    for (uint32_t at = 0; at < out_.adds; ++at) {
      const Instruction& i = line(at);
      if (i.verb == Verb::Loop || i.verb == Verb::If) open.push_back(at);
      if (i.verb == Verb::EndLoop || i.verb == Verb::EndIf) open.pop_back();
      if (!is_register(i, Verb::Store) || i.address.index != out_.reg) continue;
      if (begun) no("lines {} and {} both set the sum", line(out_.begins).line, i.line);
      begun = true;
      out_.begins = at;
      of_begin = open;
    }
    if (!begun) no("the sum of line {} does not begin at 0", line(out_.adds).line);
    const Instruction& begin = line(out_.begins);
    if (!begin.operands[0].is_number() || begin.operands[0].bits != 0 || !plain(begin))
      no("line {} begins the sum with something else than 0", begin.line);
    for (const uint32_t at : open)
      if (line(at).verb != Verb::Loop) no("line {} sums up under a condition", line(out_.adds).line);
    if (of_begin.size() >= open.size() || !std::equal(of_begin.begin(), of_begin.end(), open.begin()))
      no("line {} begins the sum elsewhere than right before its loops", begin.line);
    for (const uint32_t at : open) {
      if (!line(at).operands[0].is_number())
        no("how long the loop of line {} is depends on what it computes", line(at).line);
      const int64_t extent = value_of(line(at).operands[0]);
      if (extent < 1) no("the loop of line {} is empty", line(at).line);
      if (static_cast<uint64_t>(extent) > kLargestExtent) no("the loop of line {} is too long", line(at).line);
    }
    outer_ = of_begin;
    out_.k.assign(open.begin() + static_cast<ptrdiff_t>(of_begin.size()), open.end());
    loops_ = open;
    for (uint32_t at = out_.k[0]; at < line(out_.k[0]).partner; ++at) {
      const Instruction& i = line(at);
      if (i.verb == Verb::If || (i.verb == Verb::Loop && std::ranges::find(out_.k, at) == out_.k.end()))
        no("line {} is a block inside of the sum", i.line);
      if (i.verb == Verb::Store && at != out_.adds) no("line {} stores inside of the sum", i.line);
    }
  }

  // r + value, or value + r.
  Operand added_value() {
    const uint32_t by = made_by_[line(out_.adds).operands[0].value];
    const Instruction& add = line(by);
    if (add.verb != Verb::Add || add.type != VectorType{Type::F32, 1})
      no("line {} does not add to what it sums up", line(out_.adds).line);
    for (uint32_t k = 0; k < 2; ++k) {
      const Operand& operand = add.operands[k];
      if (operand.is_number() || made_by_[operand.value] == ~0u) continue;
      const uint32_t at = made_by_[operand.value];
      if (!is_register(line(at), Verb::Load) || line(at).address.index != out_.reg || !plain(line(at))) continue;
      if (at < out_.k.back()) no("line {} loads the sum outside of its loop", line(at).line);
      loads_ = at;
      sums_ = by;
      return add.operands[1 - k];
    }
    no("line {} does not add to what it sums up", line(out_.adds).line);
  }

  // Nothing else sees the sum before it is complete.
  void check_uses_of_sum() {
    const uint32_t end = line(out_.k[0]).partner;
    const uint32_t block_end =
        outer_.empty() ? static_cast<uint32_t>(program_.body.size()) : line(outer_.back()).partner;
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = line(at);
      if (!is_register(i, Verb::Load) || i.address.index != out_.reg || at == loads_) continue;
      if (!plain(i)) no("line {} loads a part of the sum", i.line);
      if (at < end || at >= block_end)
        no("line {} loads the sum before it is complete, or of another iteration", i.line);
    }
    for (uint32_t at = out_.adds + 1; at < program_.body.size(); ++at)
      if (is_register(line(at), Verb::Store) && line(at).address.index == out_.reg)
        no("line {} stores to the sum's register", line(at).line);
    const uint32_t load = line(loads_).result, sum = line(sums_).result;
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const auto uses = [&](const Operand& o) { return !o.is_number() && (o.value == load || o.value == sum); };
      const Instruction& i = line(at);
      bool used = std::ranges::any_of(i.inputs(), uses);
      if (i.verb == Verb::Load || i.verb == Verb::Store) used = used || uses(i.address.element);
      if (used && at != sums_ && at != out_.adds) no("line {} uses the sum before it is complete", i.line);
    }
  }

  static bool is_narrow(Type type) { return type == Type::Bf16; }

  void factors_of(const Operand& value) {
    Operand root = value;
    Type type = Type::F32;
    while (!root.is_number() && line(made_by_[root.value]).verb == Verb::Cast) {
      const Operand& from = line(made_by_[root.value]).operands[0];
      const Type small = from.type.type;
      if (from.is_number() || from.type.lanes != 1 || type != Type::F32) break;
      if (small != Type::F32 && small != Type::Bf16 && small != Type::F16) break;
      type = small;
      root = from;
    }
    out_.products = type;
    std::vector<Operand> left{root};
    while (!left.empty()) {
      const Operand top = left.back();
      left.pop_back();
      const Instruction* i = top.is_number() ? nullptr : &line(made_by_[top.value]);
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
    std::vector<Loops> of(program_.values.size());
    for (size_t k = 0; k < loops_.size(); ++k) of[line(loops_[k]).result] = Loops{1} << k;
    for (const uint32_t at : lines_behind(program_, made_by_, factors_)) {
      const Instruction& i = line(at);
      if (i.type.lanes != 1) no("line {} computes with vectors", i.line);
      if (i.verb == Verb::Loop) {
        if (std::ranges::find(loops_, at) == loops_.end())
          no("a factor depends on the loop of line {}, which has ended", i.line);
        continue;
      }
      if (is_register(i, Verb::Load)) no("line {}: a factor depends on a register", i.line);
      const auto use = [&](const Operand& operand) {
        if (!operand.is_number()) of[i.result] |= of[operand.value];
      };
      for (const Operand& operand : i.inputs()) use(operand);
      if (i.verb == Verb::Load) {
        use(i.address.element);
        out_.loaded.push_back(i.address.index);
      }
    }
    for (const Operand& factor : factors_) depends_.push_back(factor.is_number() ? 0 : of[factor.value]);
    std::ranges::sort(out_.loaded);
    out_.loaded.erase(std::unique(out_.loaded.begin(), out_.loaded.end()), out_.loaded.end());
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
    const Loops k_loops = ~Loops{0} << outer_.size();
    double best = 0;
    uint32_t chosen = 0;
    for (uint32_t set = 1; set < (1u << (count - 1)); ++set) {  // the last factor is never among them
      Loops in[2] = {0, 0};
      for (size_t f = 0; f < count; ++f) in[set >> f & 1] |= depends_[f];
      const double elements = size(in[0] | k_loops_of(k_loops)) + size(in[1] | k_loops_of(k_loops));
      if (chosen != 0 && elements >= best) continue;
      best = elements;
      chosen = set;
    }
    Loops in[2] = {0, 0};
    for (size_t f = 0; f < count; ++f) in[chosen >> f & 1] |= depends_[f];
    // The innermost loop of one alone goes along the columns of the result.
    int b = 0;
    for (size_t k = 0; k < outer_.size(); ++k) {
      const Loops bit = Loops{1} << k;
      if (((in[0] ^ in[1]) & bit) != 0) b = (in[1] & bit) != 0 ? 1 : 0;
    }
    for (size_t f = 0; f < count; ++f)
      (static_cast<int>(chosen >> f & 1) == b ? out_.b : out_.a).push_back(factors_[f]);
    for (size_t k = 0; k < outer_.size(); ++k) {
      const bool of_a = (in[1 - b] >> k & 1) != 0, of_b = (in[b] >> k & 1) != 0;
      (of_a && of_b ? out_.batch : of_a ? out_.m : of_b ? out_.n : out_.others).push_back(outer_[k]);
    }
    out_.narrow = std::ranges::all_of(factors_, [&](const Operand& factor) { return exact_in_bf16(factor); }) &&
                  out_.a.size() == 1 && out_.b.size() == 1;
  }
  Loops k_loops_of(Loops all) const {
    return all & (loops_.size() == 64 ? ~Loops{0} : (Loops{1} << loops_.size()) - 1);
  }

  bool exact_in_bf16(const Operand& factor) const {
    if (is_narrow(factor.type.type)) return true;
    if (factor.is_number()) return false;
    const Instruction& i = line(made_by_[factor.value]);
    return i.verb == Verb::Cast && is_narrow(i.operands[0].type.type);
  }

  const Program& program_;
  std::vector<uint32_t> made_by_;
  Contraction out_;
  std::vector<uint32_t> outer_, loops_;  // round the sum; and those inside behind them
  uint32_t loads_ = 0, sums_ = 0;        // lines
  std::vector<Operand> factors_;
  std::vector<Loops> depends_;
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

std::variant<Contraction, std::string> find_contraction(const Program& bound) {
  try {
    return Finder(bound).find();
  } catch (NoContraction& no) {
    return std::move(no.why);
  }
}

}  // namespace kerr::loops::tiles
