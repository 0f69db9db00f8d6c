#include "loops/tiles/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <ranges>
#include <stdexcept>

#include "kernels/reduce/rows.hpp"
#include "kernels/vector/functions.hpp"
#include "loops/tiles/distance.hpp"
#include "loops/tiles/flat_index.hpp"
#include "loops/tiles/lanes.hpp"
#include "loops/tiles/quick_lanes.hpp"
#include "loops/tiles/ready.hpp"
#include "loops/tiles/vector_code.hpp"

namespace kerr::loops::tiles {

namespace {

namespace vector = kernels::vector;

// Three quarters of what a launch has for code and arguments of all harts (kernels::flat_code_words). The streams of
// the other harts need less than the rest.
constexpr uint32_t kMostCodeWords = 13'000;

// A sentence that ends the search.
struct Refusal {
  std::string why;
};
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) {
  throw Refusal{fmt::format(text, std::forward<Args>(args)...)};
}

struct Nest {
  std::vector<uint32_t> loops;  // lines of the body
  std::vector<uint64_t> extents;
  uint32_t store = 0;
};

// Loops in each other whose sizes are numbers, and inside all of them one store.
Nest perfect_nest(const Program& program) {
  Nest nest;
  bool stored = false, ended = false;
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (i.type.lanes != 1) refuse("line {} computes with vectors", i.line);
    switch (i.verb) {
      case Verb::Loop:
        if (ended || stored) refuse("line {} begins a second loop", i.line);
        if (i.axis == Axis::Reduce) refuse("line {} is a reduction", i.line);
        if (!i.operands[0].is_number()) refuse("line {} has an extent that is no number", i.line);
        if (static_cast<int64_t>(i.operands[0].bits) <= 0 || i.operands[0].bits > 1u << 31)
          refuse("line {} has no iterations, or too many", i.line);
        nest.loops.push_back(at);
        nest.extents.push_back(i.operands[0].bits);
        break;
      case Verb::EndLoop: ended = true; break;
      case Verb::Do:
      case Verb::While:
      case Verb::If:
      case Verb::EndIf: refuse("line {} depends on what is computed", i.line);
      case Verb::Store:
        if (stored) refuse("line {} is a second store", i.line);
        if (ended) refuse("line {} stores outside of the loops", i.line);
        if (i.address.space != Address::Space::Parameter) refuse("line {} stores to a register", i.line);
        stored = true;
        nest.store = at;
        break;
      case Verb::Load:
        if (i.address.space != Address::Space::Parameter) refuse("line {} loads from a register", i.line);
        break;
      default: break;
    }
  }
  if (!stored) refuse("nothing is stored");
  return nest;
}

// The lines that the stored value needs.
std::vector<bool> needed_lines(const Program& program, uint32_t store) {
  std::vector<bool> value_needed(program.values.size()), needed(program.body.size());
  const auto need = [&](const Operand& operand) {
    if (!operand.is_number()) value_needed[operand.value] = true;
  };
  need(program.body[store].operands[0]);
  for (size_t at = program.body.size(); at-- > 0;) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Store || i.verb == Verb::EndLoop || i.result == kNoValue || !value_needed[i.result]) continue;
    needed[at] = true;
    if (i.verb == Verb::Loop) refuse("line {} is a number of an iteration that is computed with", i.line);
    if (i.verb != Verb::Load)
      for (const Operand& input : i.inputs()) need(input);
  }
  for (const Variable& v : program.variables)
    if (value_needed[v.value]) refuse("variable {} is computed with", v.name);
  return needed;
}

// The programs of a plan that differs in places alone, as that for another number of a variable: the latest ones.
std::shared_ptr<FlatPlan::Ready> ready_for(const FlatPlan& plan) {
  constexpr size_t kKept = 16;
  static auto* const mutex = new std::mutex;  // other threads may use it while the process ends
  static auto* const kept = new std::vector<FlatPlan>;
  // Without waiting: in a child of fork() the lock may be taken for good.
  const std::unique_lock lock(*mutex, std::try_to_lock);
  if (!lock) return std::make_shared<FlatPlan::Ready>();
  const auto found = std::ranges::find_if(*kept, [&](const FlatPlan& other) { return like(plan, other); });
  if (found != kept->end()) {
    std::rotate(found, found + 1, kept->end());
    return kept->back().ready;
  }
  if (kept->size() == kKept) kept->erase(kept->begin());
  kept->push_back(plan);
  return kept->back().ready = std::make_shared<FlatPlan::Ready>();
}

class Lowering {
 public:
  /// `columns`: of rows that are reduced.
  Lowering(const Program& program, bool bounded, std::optional<kernels::Reduction> reduction = {}, uint64_t columns = 0)
      : program_(program),
        nest_(perfect_nest(program)),
        needed_(needed_lines(program, nest_.store)),
        reduction_(reduction),
        columns_(columns) {
    if (!bounded) return;
    const auto needs = [&](auto&& what) {
      for (size_t at = 0; at < needed_.size(); ++at)
        if (needed_[at] && what(program_.body[at])) return true;
      return false;
    };
    const auto is_quotient = [](const Instruction& i) { return i.verb == Verb::Fdiv && i.type.type != Type::F64; };
    functions_.quick_quotients = needs(is_quotient) && is_near(true);
    functions_.quick = needs([](const Instruction& i) { return has_quick_form(i.verb); }) &&
                       (functions_.quick_quotients || is_near(false));
  }

  FlatPlan plan() {
    FlatPlan plan;
    find_places(plan);
    kernels::vector::Code code;
    std::vector<Value> halves;
    const uint32_t in_a_word = 4 / plan.shape.element_bytes;
    for (uint32_t half = 0; half < in_a_word; ++half) halves.push_back(value(code, half));
    Value word = in_a_word == 1 ? halves[0] : joined(code, halves[0], halves[1]);
    if (!functions_.beyond.empty()) {
      Value beyond = functions_.beyond[0];
      for (size_t n = 1; n < functions_.beyond.size(); ++n) beyond = code.bit_or(beyond, functions_.beyond[n]);
      word = code.select({kernels::vector::Test::Negative, beyond}, code.constant_bits(kBeyond), word);
      plan.limited = true;
    }
    code.store(0, word, kernels::kFlatMode);
    try {
      plan.code = vector_code(code, plan.shape, reduction_ ? kernels::kMostRowTiles : kernels::kMostFlatOperands);
    } catch (const std::length_error& error) {
      refuse("{}", error.what());
    }
    if (const uint32_t words = kernels::flat_code_words(plan.code, plan.shape); words > kMostCodeWords)
      refuse("its code for the vector unit has {} words, and {} fit", words, kMostCodeWords);
    plan.exact = !functions_.quick && !functions_.quick_quotients;
    plan.quick_quotients = functions_.quick_quotients;
    plan.ready = ready_for(plan);
    return plan;
  }

 private:
  const Instruction& store() const { return program_.body[nest_.store]; }

  Value joined(kernels::vector::Code& code, Value lower, Value upper) const {
    if (!reduction_) return halves_joined(code, lower, upper);
    if (*reduction_ == kernels::Reduction::Maximum) return kernels::vector::maximum(code, lower, upper);
    return is_integer(store().type.type) ? code.integer_add(lower, upper) : code.add(lower, upper);
  }

  // The elements that are counted: of a reduction what it loads.
  Type counted() const {
    if (!reduction_) return store().type.type;
    for (uint32_t at = 0; at < program_.body.size(); ++at)
      if (needed_[at] && program_.body[at].verb == Verb::Load) return program_.body[at].type.type;
    refuse("nothing is loaded");
  }

  bool is_near(bool quotients) const {
    const auto bounds = bounds_with_quick_functions(program_, needed_, quotients);
    const Operand& stored = store().operands[0];
    return bounds && (stored.is_number() || (*bounds)[stored.value] <= kMostUlps);
  }

  // Accessed as what it is declared as.
  LinearIndex index_of(const Instruction& i) {
    const Parameter& p = program_.parameters[i.address.index];
    if (i.address.unit != p.type || i.type.type != p.type) refuse("line {} takes p{} for another type", i.line, p.slot);
    auto index = linear_index(linear_, i.address.element, nest_.loops.size());
    if (!index) refuse("line {} has an index that is no sum of multiples of the loops' variables", i.line);
    return *index;
  }
  uint64_t offset_of(const Instruction& i, const LinearIndex& index, uint64_t elements) const {
    const Parameter& p = program_.parameters[i.address.index];
    if (index.constant < 0 || static_cast<uint64_t>(index.constant) + elements > p.count)
      refuse("line {} leaves p{}", i.line, p.slot);
    return static_cast<uint64_t>(index.constant) * info(p.type).bytes;
  }

  void find_places(FlatPlan& plan) {
    linear_ = linear_values(program_, nest_.loops);
    const LinearIndex stored = index_of(store());
    const auto order = flat_order(stored, nest_.extents);
    if (!order) refuse("line {} does not store elements that are next to each other", store().line);
    const Type type = store().type.type;
    if (!has_lanes(type) || type == Type::Bool) refuse("line {} stores {}", store().line, info(type).name);
    plan.shape.element_bytes = info(counted()).bytes;
    const uint64_t elements = reduction_ ? order->elements / columns_ * padded(plan) : order->elements;
    if (elements > 1u << 31) refuse("line {} has too many elements", store().line);
    plan.shape.elements = static_cast<uint32_t>(elements);
    plan.result = {store().address.index, offset_of(store(), stored, order->elements)};
    if (plan.result.offset % kernels::kFlatAlignment != 0)
      refuse("line {} stores from no multiple of {} bytes on", store().line, kernels::kFlatAlignment);
    operand_of_.assign(program_.body.size(), 0);
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = program_.body[at];
      if (!needed_[at] || i.verb != Verb::Load) continue;
      if (i.gated) refuse("line {} is a load with a condition", i.line);
      if (!has_lanes(i.type.type) || i.type.type == Type::Bool)
        refuse("line {} loads {}", i.line, info(i.type.type).name);
      if (info(i.type.type).bytes != plan.shape.element_bytes)
        refuse("line {} loads {}, and {} is {}", i.line, info(i.type.type).name, info(counted()).name,
               reduction_ ? "loaded, too" : "stored");
      const LinearIndex index = index_of(i);
      const auto repeated = operand_of(plan, index, *order);
      if (!repeated) refuse("line {} loads elements in another order", i.line);
      operand_of_[at] = operand(plan, *repeated, i, offset_of(i, index, elements_of(*repeated, plan, *order)));
    }
  }

  uint64_t padded(const FlatPlan& plan) const {
    const uint64_t unit = 4 * kernels::kRowWords / plan.shape.element_bytes;
    return (columns_ + unit - 1) / unit * unit;
  }
  std::optional<kernels::FlatOperand> operand_of(const FlatPlan& plan, const LinearIndex& index,
                                                 const FlatOrder& order) const {
    if (!reduction_) return flat_operand(index, order);
    if (padded(plan) == columns_)
      if (const auto found = flat_operand(index, order)) return found;
    return padded_operand(index, order, columns_, padded(plan));
  }
  // From the first to the last one that is loaded.
  static uint64_t elements_of(const kernels::FlatOperand& operand, const FlatPlan& plan, const FlatOrder& order) {
    const kernels::FlatRows& rows = operand.rows;
    if (rows.padded == 0) return operand.period ? operand.period : order.elements;
    return (plan.shape.elements / rows.padded - uint64_t{1}) * rows.pitch + rows.columns;
  }

  // Its number; loads of the same elements share one.
  uint32_t operand(FlatPlan& plan, const kernels::FlatOperand& repeated, const Instruction& i, uint64_t offset) {
    for (uint32_t n = 0; n < plan.operands.size(); ++n) {
      if (plan.operands[n].parameter == i.address.index && plan.operands[n].offset == offset &&
          plan.shape.operands[n] == repeated)
        return n;
    }
    const uint32_t most = reduction_ ? kernels::kMostRowTiles : kernels::kMostFlatOperands;
    if (plan.operands.size() == most)
      refuse("line {} loads operand {}; {} fit at once", i.line, plan.operands.size() + 1, most);
    plan.operands.push_back({i.address.index, offset});
    plan.shape.operands.push_back(repeated);
    return static_cast<uint32_t>(plan.operands.size() - 1);
  }

  Value value(kernels::vector::Code& code, uint32_t half) {
    std::vector<Value> values(program_.values.size());
    const auto of = [&](const Operand& operand) {
      return operand.is_number() ? lane_constant(code, operand.type.type, operand.bits) : values[operand.value];
    };
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      if (!needed_[at]) continue;
      const Instruction& i = program_.body[at];
      std::vector<Value> inputs;
      if (i.verb != Verb::Load)
        for (const Operand& input : i.inputs()) inputs.push_back(of(input));
      const auto made = line(code, i, operand_of_[at], half, inputs);
      if (!made) refuse("line {}: the vector unit has no {}", i.line, name_of(i));
      values[i.result] = *made;
    }
    return of(store().operands[0]);
  }

  std::optional<Value> line(kernels::vector::Code& code, const Instruction& i, uint32_t operand, uint32_t half,
                            std::span<const Value> inputs) {
    const Type type = i.type.type;
    switch (i.verb) {
      case Verb::Load: {
        const Value word = code.load(operand, kernels::kFlatMode);
        return info(type).bytes == 4 ? word : lane_of_half(code, word, half == 1);
      }
      case Verb::Cast: return lane_cast(code, type, i.operands[0].type.type, inputs[0]);
      case Verb::Bitcast:
        if (has_lanes(type) && info(type).bytes == 4 && info(i.operands[0].type.type).bytes == 4) return inputs[0];
        return std::nullopt;
      default:
        if (!is_arithmetic(i.verb)) return std::nullopt;
        if (const bool shift = i.verb == Verb::Shl || i.verb == Verb::Shr;
            shift && info(i.operands[1].type.type).bytes != 4)
          return std::nullopt;
        return lane_compute(code, i.verb, type, inputs, functions_);
    }
  }
  static std::string name_of(const Instruction& i) {
    if (i.verb == Verb::Cast)
      return fmt::format("cast from {} to {}", info(i.operands[0].type.type).name, info(i.type.type).name);
    if (!is_arithmetic(i.verb)) return fmt::format("bitcast to {}", info(i.type.type).name);
    return fmt::format("{} of {}", operation(i.verb).name, info(i.type.type).name);
  }

  const Program& program_;
  const Nest nest_;
  const std::vector<bool> needed_;
  const std::optional<kernels::Reduction> reduction_;
  const uint64_t columns_;
  std::vector<std::optional<LinearIndex>> linear_;
  std::vector<uint32_t> operand_of_;  // by line
  Functions functions_;
};

}  // namespace

std::optional<FlatPlan> plan_flat(const Program& program, std::string* why_not, bool bounded) {
  try {
    return Lowering(program, bounded).plan();
  } catch (const Refusal& refusal) {
    if (why_not) *why_not = refusal.why;
    return std::nullopt;
  }
}

std::optional<FlatPlan> plan_reduced(const Program& program, kernels::Reduction reduction, uint64_t columns,
                                     std::string* why_not, bool bounded) {
  try {
    return Lowering(program, bounded, reduction, columns).plan();
  } catch (const Refusal& refusal) {
    if (why_not) *why_not = refusal.why;
    return std::nullopt;
  }
}

bool like(const FlatPlan& a, const FlatPlan& b) {
  const auto words = [](const vector::Emitted& phase) {
    return std::views::transform(phase.words, &vector::Word::word);
  };
  return a.shape.element_bytes == b.shape.element_bytes && a.shape.elements == b.shape.elements &&
         a.shape.operands == b.shape.operands && a.code.groups == b.code.groups &&
         a.code.first_place == b.code.first_place &&
         std::ranges::equal(a.code.phases, b.code.phases,
                            [&](const vector::Emitted& one, const vector::Emitted& other) {
                              return std::ranges::equal(words(one), words(other));
                            });
}

std::string explain(const Program& program, const FlatPlan& plan) {
  std::string text = fmt::format(
      "element-wise on the vector unit: {} elements in {} pages, {} instructions for 32 words{}", plan.shape.elements,
      plan.shape.pages(), plan.code.words(), plan.exact ? "" : "; functions and quotients within an ulp");
  if (plan.limited) text += fmt::format(", sines of up to {}", kMostOfQuickSin);
  for (size_t i = 0; i < plan.operands.size(); ++i) {
    const kernels::FlatOperand& o = plan.shape.operands[i];
    text += fmt::format("\n  p{}: {}", program.parameters[plan.operands[i].parameter].slot,
                        o.period == 0
                            ? "as it lies"
                            : fmt::format("{} elements, each {} times in turn, again and again", o.period, o.run));
  }
  return text + "\n";
}

}  // namespace kerr::loops::tiles
