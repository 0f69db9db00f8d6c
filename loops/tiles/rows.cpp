#include "loops/tiles/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "loops/tiles/flat_index.hpp"
#include "loops/tiles/lanes.hpp"
#include "loops/tiles/reductions.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

struct Refusal {
  std::string why;
};
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) {
  throw Refusal{fmt::format(text, std::forward<Args>(args)...)};
}

// What is made before has at most this part of the elements that are reduced.
constexpr uint64_t kMostOfSmall = 8;
// Padding makes more of shorter rows than it is worth.
constexpr uint64_t kFewestColumns = 8;

bool of_register(const Instruction& i) { return i.address.space == Address::Space::Register; }

// The reduction of one register.
class Finder {
 public:
  Finder(const Program& bound, const std::vector<uint32_t>& made_by, const Reduction& reduction)
      : bound_(bound), made_by_(made_by), reduction_(reduction), type_(bound.registers[reduction.reg].type) {}

  Rows find(bool exact) {
    find_operation();
    find_begin();
    find_loops();
    const std::vector<uint32_t> lines = lines_behind(bound_, made_by_, {value_});
    for (const uint32_t at : lines) {
      const Instruction& i = bound_.body[at];
      if (i.verb != Verb::Load) continue;
      if (of_register(i)) refuse("line {} loads a register for what is reduced", i.line);
      rows_.loaded.push_back(i.address.index);
    }
    std::ranges::sort(rows_.loaded);
    const std::vector<uint32_t> order = order_of_loops(lines);
    std::string why_not;
    const bool bounded = !exact && rows_.reduction == kernels::Reduction::Sum;
    rows_.values = values(order, {});
    auto plan = plan_reduced(rows_.values.program, rows_.reduction, rows_.columns, &why_not, bounded);
    if (!plan) plan = plan_with_what_is_made_before(order, lines, bounded);
    if (!plan) refuse("{}", why_not);
    if (plan->limited) refuse("the sine of line {} may be beyond what it can take", line_of(reduction_.stores));
    rows_.plan = *std::move(plan);
    const uint64_t row_bytes = rows_.columns * rows_.plan.shape.element_bytes;
    if (row_bytes % 4 != 0) refuse("a row has {} bytes, and a multiple of 4 can be", row_bytes);
    if (std::ranges::any_of(order, [&](uint32_t at) { return is_piece(at); })) put_together();
    return std::move(rows_);
  }

 private:
  uint32_t line_of(uint32_t at) const { return bound_.body[at].line; }

  // r = r + V, r = max(r, V).
  void find_operation() {
    const Operand& stored = bound_.body[reduction_.stores].operands[0];
    if (stored.is_number()) refuse("line {} stores a number", line_of(reduction_.stores));
    const Instruction& i = bound_.body[made_by_[stored.value]];
    const auto is_old = [&](const Operand& operand) {
      if (operand.is_number()) return false;
      const Instruction& load = bound_.body[made_by_[operand.value]];
      return load.verb == Verb::Load && of_register(load) && load.address.index == reduction_.reg;
    };
    const bool adds = i.verb == Verb::Add;
    if ((!adds && i.verb != Verb::Max) || i.type.lanes != 1) refuse("line {} neither adds nor compares", i.line);
    const bool swapped = adds && !is_old(i.operands[0]);
    if (!is_old(i.operands[swapped ? 1 : 0])) refuse("line {} does not go on with its register", i.line);
    value_ = i.operands[swapped ? 0 : 1];
    if (value_.is_number()) refuse("line {} counts", i.line);
    rows_.reduction = adds ? kernels::Reduction::Sum : kernels::Reduction::Maximum;
    const bool is_float = type_ == Type::F32 || (!adds && type_ == Type::Bf16);
    if (!is_float && !(adds && (type_ == Type::I32 || type_ == Type::U32)))
      refuse("line {} {} {}", i.line, adds ? "sums up in" : "compares", info(type_).name);
  }

  void find_begin() {
    const Operand& begins = bound_.body[reduction_.begins].operands[0];
    if (!begins.is_number()) refuse("line {} begins with what is computed", line_of(reduction_.begins));
    rows_.begin = static_cast<uint32_t>(type_ == Type::Bf16 ? begins.bits << 16 : begins.bits);
    const bool is_sum = rows_.reduction == kernels::Reduction::Sum;
    if (is_sum && rows_.begin != 0) refuse("line {} begins with another number than 0", line_of(reduction_.begins));
    if (!is_sum && (rows_.begin & 0x7FFFFFFF) > 0x7F800000)
      refuse("line {} begins with NaN", line_of(reduction_.begins));
  }

  // Those round the line that stores, if they do nothing else.
  void find_loops() {
    const uint32_t end = bound_.body[reduction_.loop].partner;
    std::vector<uint32_t> open;
    for (uint32_t at = 0; at < bound_.body.size(); ++at) {
      const Instruction& i = bound_.body[at];
      if (i.verb == Verb::Loop || i.verb == Verb::Do || i.verb == Verb::If) open.push_back(at);
      if (i.verb == Verb::EndLoop || i.verb == Verb::While || i.verb == Verb::EndIf) open.pop_back();
      if (at == reduction_.stores) loops_ = open;
      if (i.verb == Verb::Load && of_register(i) && i.address.index == reduction_.reg && at > reduction_.until)
        refuse("line {} loads the register behind its block", i.line);
      const bool inside = reduction_.loop < at && at < end && i.verb == Verb::Store;
      if (inside && at != reduction_.stores) refuse("line {} stores in the same loop", i.line);
    }
    for (const uint32_t at : loops_) {
      const Instruction& i = bound_.body[at];
      if (i.verb != Verb::Loop || !i.operands[0].is_number()) refuse("line {} is no loop of a known size", i.line);
      const auto extent = static_cast<int64_t>(i.operands[0].bits);
      if (extent <= 0 || extent > int64_t{1} << 31) refuse("line {} has no iterations, or too many", i.line);
    }
  }

  // Loops in the order of the elements of a load that goes through all of them, the columns last: those that are
  // reduced, up to the first that is not. What has no gaps between rows goes before what has.
  std::vector<uint32_t> order_of_loops(const std::vector<uint32_t>& lines) {
    std::vector<uint32_t> nest;
    for (const uint32_t at : loops_)
      if (at >= reduction_.loop || std::ranges::binary_search(lines, at)) nest.push_back(at);
    const auto linear = linear_values(bound_, nest);
    bool has_columns = false, few = false;
    for (const bool gaps : {false, true}) {
      for (const uint32_t at : lines) {
        const Instruction& i = bound_.body[at];
        if (i.verb != Verb::Load) continue;
        const auto index = linear_index(linear, i.address.element, nest.size());
        if (!index || !has_rows(*index, nest, gaps)) continue;
        has_columns = true;
        few = few || rows_.columns > 1;
        if (columns_.empty() || rows_.columns < kFewestColumns) continue;
        return with_loops(lines);
      }
    }
    if (few) refuse("line {} has rows of less than {} elements", line_of(reduction_.stores), kFewestColumns);
    if (has_columns) refuse("line {} has rows that are no rows", line_of(reduction_.stores));
    refuse("nothing is loaded that has one element for each iteration, next to each other");
  }

  bool is_reduced(uint32_t loop) const { return loop >= reduction_.loop; }

  // Whether the elements are rows, in the order of round_ and columns_, all of one distance.
  bool has_rows(const LinearIndex& index, const std::vector<uint32_t>& nest, bool gaps) {
    std::vector<size_t> order;
    round_.clear();
    columns_.clear();
    for (size_t k = 0; k < nest.size(); ++k) {  // those of one iteration have no place
      if (extent(nest[k]) != 1)
        order.push_back(k);
      else
        (is_reduced(nest[k]) ? columns_ : round_).push_back(nest[k]);
    }
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return index.steps[a] > index.steps[b]; });
    rows_.rows = rows_.columns = 1;
    while (!order.empty() && is_reduced(nest[order.back()]) &&
           index.steps[order.back()] == static_cast<int64_t>(rows_.columns)) {
      rows_.columns *= extent(nest[order.back()]);
      columns_.insert(columns_.begin(), nest[order.back()]);
      order.pop_back();
    }
    const int64_t pitch = order.empty() ? static_cast<int64_t>(rows_.columns) : index.steps[order.back()];
    if (pitch < static_cast<int64_t>(rows_.columns) || (!gaps && pitch != static_cast<int64_t>(rows_.columns)))
      return false;
    for (size_t k = order.size(); k-- > 0;) {
      if (index.steps[order[k]] != pitch * static_cast<int64_t>(rows_.rows)) return false;
      rows_.rows *= extent(nest[order[k]]);
    }
    for (const size_t k : order) round_.push_back(nest[k]);
    return true;
  }

  std::vector<uint32_t> with_loops(const std::vector<uint32_t>& lines) {
    rows_.sums.reg = reduction_.reg;
    rows_.sums.begins = reduction_.begins;
    rows_.sums.adds = reduction_.stores;
    for (const uint32_t loop : round_)
      if (!is_reduced(loop)) rows_.sums.m.push_back(loop);
    for (const uint32_t loop : loops_) {
      if (is_reduced(loop))
        rows_.sums.k.push_back(loop);
      else if (!std::ranges::binary_search(lines, loop))
        rows_.sums.others.push_back(loop);
    }
    std::vector<uint32_t> order = round_;
    order.insert(order.end(), columns_.begin(), columns_.end());
    return order;
  }

  bool is_piece(uint32_t loop) const { return is_reduced(loop) && std::ranges::find(round_, loop) != round_.end(); }

  // Numbers of pieces: which number each is a part of, and the code that makes one of them.
  void put_together() {
    std::vector<uint32_t> pieces;
    for (const uint32_t loop : round_)
      if (is_piece(loop)) pieces.push_back(loop);
    uint64_t count = 1;
    for (const uint32_t loop : rows_.sums.m) count *= extent(loop);
    const Type type = is_integer(type_) ? type_ : Type::F32;
    Counted in(bound_);
    in.maker.at_line(line_of(reduction_.stores));
    const uint32_t numbers = in.maker.scratch(0, type, count), from = in.maker.scratch(1, type, rows_.rows);
    const uint32_t sum = in.maker.reg(type, 1);
    const Address whole = element_of(Address::Space::Register, sum, type, number(0));
    std::vector<Operand> variable_of(bound_.body.size());
    const auto number_in = [&](const std::vector<uint32_t>& loops) {
      Operand at = number(0);
      for (const uint32_t loop : loops)
        at = in.maker.add(in.maker.mul(at, static_cast<int64_t>(extent(loop))), variable_of[loop]);
      return at;
    };
    for (const uint32_t loop : rows_.sums.m) variable_of[loop] = in.maker.loop(extent(loop));
    in.maker.store(whole, number(type, rows_.begin));
    for (const uint32_t loop : pieces) variable_of[loop] = in.maker.loop(extent(loop), Type::I32, Axis::Reduce);
    const Operand piece =
        in.maker.load_here(element_of(Address::Space::Parameter, from, type, number_in(round_)), {type, 1});
    const Operand old = in.maker.load_here(whole, {type, 1});
    const Verb verb = rows_.reduction == kernels::Reduction::Sum ? Verb::Add : Verb::Max;
    in.maker.store(whole, in.maker.make(verb, type, {old, piece}));
    for (size_t k = 0; k < pieces.size(); ++k) in.maker.end();
    in.maker.store(element_of(Address::Space::Parameter, numbers, type, number_in(rows_.sums.m)),
                   in.maker.load_here(whole, {type, 1}));
    rows_.whole = std::move(in.maker).finish();
    for (uint64_t row = 0; row < rows_.rows; ++row) {
      uint64_t left = row, stride = 1, of = 0;
      for (const uint32_t loop : std::views::reverse(round_)) {
        if (!is_reduced(loop)) {
          of += left % extent(loop) * stride;
          stride *= extent(loop);
        }
        left /= extent(loop);
      }
      rows_.number_of_piece.push_back(static_cast<uint32_t>(of));
    }
  }

  // A value that depends on some of the loops alone: those from place `first` up to `end` of their order.
  struct Small {
    Operand value;
    size_t first, end;
    uint64_t count;  // of their iterations
    Type stored() const { return value.type.type == Type::Bool ? Type::U32 : value.type.type; }
  };

  std::optional<FlatPlan> plan_with_what_is_made_before(const std::vector<uint32_t>& order,
                                                        const std::vector<uint32_t>& lines, bool bounded) {
    const std::vector<Small> small = small_values(order, lines);
    if (small.empty() || small.size() >= kernels::kMostRowTiles) return std::nullopt;
    Made with = values(order, small);
    auto plan = plan_reduced(with.program, rows_.reduction, rows_.columns, nullptr, bounded);
    if (!plan) return std::nullopt;
    rows_.values = std::move(with);
    for (const Small& one : small) rows_.before.push_back(made_before(order, one));
    return plan;
  }

  // The largest ones, without those that the vector unit loads as they are.
  std::vector<Small> small_values(const std::vector<uint32_t>& order, const std::vector<uint32_t>& lines) const {
    std::vector<std::optional<Small>> of(bound_.values.size());
    for (size_t k = 0; k < order.size(); ++k)
      of[bound_.body[order[k]].result] = small(order, {{}, bound_.body[order[k]].result, 0}, k, k + 1);
    for (const uint32_t at : lines) {
      const Instruction& i = bound_.body[at];
      if (i.verb == Verb::Loop) continue;  // they are above
      size_t first = order.size(), end = 0;
      const auto use = [&](const Operand& operand) {
        if (operand.is_number() || !of[operand.value]) return;
        first = std::min(first, of[operand.value]->first);
        end = std::max(end, of[operand.value]->end);
      };
      for (const Operand& operand : i.inputs()) use(operand);
      if (i.verb == Verb::Load) use(i.address.element);
      of[i.result] = small(order, {bound_.values[i.result].type, i.result, 0}, first, end);
    }
    std::vector<bool> used(bound_.values.size());  // but in addresses
    const auto need = [&](const Operand& operand) {
      if (!operand.is_number()) used[operand.value] = true;
    };
    need(value_);
    for (const uint32_t at : std::views::reverse(lines)) {
      const Instruction& i = bound_.body[at];
      if (!used[i.result] || is_few(of[i.result]->count)) continue;
      for (const Operand& operand : i.inputs()) need(operand);
    }
    std::vector<Small> out;
    const auto linear = linear_values(bound_, order);
    FlatOrder flat;
    for (uint32_t k = 0; k < order.size(); ++k) {
      flat.loops.push_back(k);
      flat.extents.push_back(extent(order[k]));
      flat.elements *= extent(order[k]);
    }
    for (const uint32_t at : lines) {
      const Instruction& i = bound_.body[at];
      if (!used[i.result] || !is_few(of[i.result]->count)) continue;
      if (i.verb == Verb::Load && !i.gated) {
        const auto index = linear_index(linear, i.address.element, order.size());
        if (index && flat_operand(*index, flat)) continue;
      }
      out.push_back(*of[i.result]);
    }
    return out;
  }
  Small small(const std::vector<uint32_t>& order, const Operand& value, size_t first, size_t end) const {
    Small out{value, std::min(first, end), end, 1};
    for (size_t k = out.first; k < end; ++k) out.count *= extent(order[k]);
    return out;
  }
  uint64_t extent(uint32_t loop) const { return bound_.body[loop].operands[0].bits; }
  bool is_few(uint64_t count) const { return count * kMostOfSmall <= rows_.rows * rows_.columns; }

  // Loops of these places of the order, whose number counts the elements of a scratch.
  struct Counted {
    Maker maker;
    Slice slice;
    std::vector<Operand> variables;
    explicit Counted(const Program& bound) : maker(bound), slice(bound, maker) {}
  };
  Operand number_of(Counted& in, const std::vector<uint32_t>& order, size_t first, size_t end, size_t begins) const {
    Operand at = number(0);
    for (size_t k = first; k < end; ++k) {
      at = in.maker.mul(at, static_cast<int64_t>(extent(order[k])));
      at = in.maker.add(at, in.maker.cast(in.variables[k - begins], Type::I32));
    }
    return at;
  }
  void open(Counted& in, const std::vector<uint32_t>& order, size_t first, size_t end) const {
    for (size_t k = first; k < end; ++k) {
      const Instruction& l = bound_.body[order[k]];
      in.variables.push_back(in.maker.loop(l.operands[0].bits, l.type.type));
      in.slice.set(l.result, in.variables.back());
    }
  }

  Made values(const std::vector<uint32_t>& order, const std::vector<Small>& before) const {
    Counted in(bound_);
    in.maker.at_line(line_of(reduction_.stores));
    const uint32_t scratch = in.maker.scratch(0, value_.type.type, rows_.rows * rows_.columns);
    open(in, order, 0, order.size());
    for (uint32_t k = 0; k < before.size(); ++k) {
      const Small& one = before[k];
      const uint32_t made = in.maker.scratch(1 + k, one.stored(), one.count);
      const Operand at = number_of(in, order, one.first, one.end, 0);
      in.slice.set(one.value.value,
                   in.maker.load(element_of(Address::Space::Parameter, made, one.stored(), at), {one.stored(), 1}, {}));
    }
    const Operand value = in.slice.copy(value_);
    in.maker.store(
        element_of(Address::Space::Parameter, scratch, value_.type.type, number_of(in, order, 0, order.size(), 0)),
        value);
    return std::move(in.maker).finish();
  }

  Made made_before(const std::vector<uint32_t>& order, const Small& one) const {
    Counted in(bound_);
    in.maker.at_line(line_of(reduction_.stores));
    const uint32_t scratch = in.maker.scratch(0, one.stored(), one.count);
    open(in, order, one.first, one.end);
    const Operand value = in.maker.cast(in.slice.copy(one.value), one.stored());
    in.maker.store(element_of(Address::Space::Parameter, scratch, one.stored(),
                              number_of(in, order, one.first, one.end, one.first)),
                   value);
    return std::move(in.maker).finish();
  }

  const Program& bound_;
  const std::vector<uint32_t>& made_by_;
  const Reduction& reduction_;
  const Type type_;
  Operand value_;
  std::vector<uint32_t> loops_;
  std::vector<uint32_t> round_, columns_;  // loops of rows, and of what is inside of one, in the order of elements
  Rows rows_;
};

// The registers' reductions, from what loads them.
std::vector<Reduction> reductions_of(const Program& bound) {
  const Reductions reductions(bound);
  std::vector<Reduction> out;
  for (uint32_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& i = bound.body[at];
    if (i.verb != Verb::Load || !of_register(i)) continue;
    const Reduction* found = reductions.behind(at);
    if (found == nullptr) continue;
    const auto is_it = [&](const Reduction& r) { return r.reg == found->reg; };
    if (std::ranges::none_of(out, is_it)) out.push_back(*found);
  }
  return out;
}

}  // namespace

kernels::RowShape Rows::shape() const {
  kernels::RowShape out{
      .reduction = reduction, .begin = begin, .rows = static_cast<uint32_t>(rows), .input = plan.shape};
  out.counted = static_cast<uint32_t>(columns * plan.shape.element_bytes / 4);
  out.words = (out.counted + kernels::kRowWords - 1) / kernels::kRowWords * kernels::kRowWords;
  const Type type = values.program.parameters[plan.result.parameter].type;
  if (is_integer(type)) out.number = kernels::RowNumber::Int32;
  return out;
}

uint64_t Rows::products() const {
  if (reduction != kernels::Reduction::Sum) return 0;
  const std::vector<Instruction>& body = values.program.body;
  const auto store = std::ranges::find(body, Verb::Store, &Instruction::verb);
  const Operand& value = store->operands[0];
  const auto makes_it = [&](const Instruction& i) { return !value.is_number() && i.result == value.value; };
  const auto maker = std::ranges::find_if(body, makes_it);
  const bool is_product = maker != body.end() && maker->verb == Verb::Mul && info(maker->type.type).is_float &&
                          std::ranges::none_of(maker->inputs(), &Operand::is_number);
  return is_product ? rows * columns : 0;
}

Layout Rows::layout() const { return {{{Digit::Of::Row, static_cast<uint32_t>(numbers()), 1}}}; }

FoundRows find_rows(const Program& bound, bool exact) {
  FoundRows out;
  const std::vector<uint32_t> made_by = lines_of_values(bound);
  for (const Instruction& i : bound.body) {
    if (i.verb == Verb::Do) {
      out.why_not = fmt::format("line {} is no loop of a known size", i.line);
      return out;
    }
  }
  for (const Reduction& reduction : reductions_of(bound)) {
    try {
      out.all.push_back(Finder(bound, made_by, reduction).find(exact));
    } catch (const Refusal& refusal) {
      if (out.why_not.empty()) out.why_not = refusal.why;
    }
  }
  if (out.all.empty() && out.why_not.empty()) out.why_not = "no register is a sum or a maximum";
  return out;
}

}  // namespace kerr::loops::tiles
