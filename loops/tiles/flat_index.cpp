#include "loops/tiles/flat_index.hpp"

#include <algorithm>
#include <limits>

namespace kerr::loops::tiles {

namespace {

// Beyond this nothing is linear: sums and products of what is below stay inside 64 bits.
constexpr int64_t kLargest = int64_t{1} << 31;

bool fits(const LinearIndex& index, Type type, const std::vector<uint64_t>& extents) {
  int64_t low = index.constant, high = index.constant;
  for (size_t k = 0; k < index.steps.size(); ++k) {
    const int64_t step = index.steps[k];
    if (step > kLargest || step < -kLargest || extents[k] > static_cast<uint64_t>(kLargest)) return false;
    const int64_t last = extents[k] == 0 ? 0 : static_cast<int64_t>(extents[k] - 1);
    if (step != 0 && last > std::numeric_limits<int64_t>::max() / 64 / kLargest) return false;
    (step < 0 ? low : high) += step * last;
    if (low < -(kLargest << 16) || high > kLargest << 16) return false;
  }
  const TypeInfo& t = info(type);
  const int64_t most = t.bytes >= 4 ? (t.is_signed || t.bytes == 8 ? kLargest - 1 : 2 * kLargest - 1)
                                    : (int64_t{1} << (8 * t.bytes - (t.is_signed ? 1 : 0))) - 1;
  const int64_t least = !t.is_signed ? 0 : t.bytes >= 4 ? -kLargest : -(int64_t{1} << (8 * t.bytes - 1));
  return low >= least && high <= most;
}

LinearIndex scaled(LinearIndex index, int64_t factor) {
  index.constant *= factor;
  for (int64_t& step : index.steps) step *= factor;
  return index;
}
LinearIndex sum(LinearIndex a, const LinearIndex& b, int64_t sign) {
  a.constant += sign * b.constant;
  for (size_t k = 0; k < a.steps.size(); ++k) a.steps[k] += sign * b.steps[k];
  return a;
}
bool is_constant(const LinearIndex& index) {
  return std::ranges::all_of(index.steps, [](int64_t step) { return step == 0; });
}

// Of an index that is never negative, the quotient and the rest of a division by a number: where what is no multiple of
// it stays below it.
struct Divided {
  LinearIndex quotient, rest;
};
std::optional<Divided> divided(const LinearIndex& index, int64_t by, const std::vector<uint64_t>& extents) {
  if (by <= 0 || index.constant < 0) return std::nullopt;
  Divided out{index, index};
  out.rest.constant = index.constant % by;
  out.quotient.constant = index.constant / by;
  int64_t most = out.rest.constant;
  for (size_t k = 0; k < extents.size(); ++k) {
    const int64_t step = index.steps[k];
    const bool counts = extents[k] > 1;
    if (counts && step < 0) return std::nullopt;
    const bool whole = !counts || step % by == 0;
    out.rest.steps[k] = whole ? 0 : step;
    out.quotient.steps[k] = whole && counts ? step / by : 0;
    if (!whole) most += step * static_cast<int64_t>(extents[k] - 1);
  }
  if (most >= by) return std::nullopt;
  return out;
}

// The number that a division by shifts or masks divides by; 0: it is none.
int64_t divisor_of(Verb verb, int64_t number) {
  switch (verb) {
    case Verb::Cdiv:
    case Verb::Cmod: return number;
    case Verb::Shr: return number < 0 || number > 30 ? 0 : int64_t{1} << number;
    case Verb::And: return number >= 0 && ((number + 1) & number) == 0 ? number + 1 : 0;
    default: return 0;
  }
}

std::optional<LinearIndex> combined(const Instruction& i, const std::vector<std::optional<LinearIndex>>& inputs,
                                    const std::vector<uint64_t>& extents) {
  const auto& a = inputs[0];
  if (!a) return std::nullopt;
  if (i.verb == Verb::Cast) return is_integer(i.inputs()[0].type.type) ? a : std::nullopt;
  if (i.verb == Verb::Neg) return scaled(*a, -1);
  if (inputs.size() != 2 || !inputs[1]) return std::nullopt;
  const auto& b = inputs[1];
  switch (i.verb) {
    case Verb::Add: return sum(*a, *b, 1);
    case Verb::Sub: return sum(*a, *b, -1);
    case Verb::Mul:
      if (is_constant(*b)) return scaled(*a, b->constant);
      if (is_constant(*a)) return scaled(*b, a->constant);
      return std::nullopt;
    case Verb::Shl:
      if (!is_constant(*b) || b->constant < 0 || b->constant > 30) return std::nullopt;
      return scaled(*a, int64_t{1} << b->constant);
    case Verb::Cdiv:
    case Verb::Cmod:
    case Verb::Shr:
    case Verb::And: {
      if (!is_constant(*b)) return std::nullopt;
      auto parts = divided(*a, divisor_of(i.verb, b->constant), extents);
      if (!parts) return std::nullopt;
      return i.verb == Verb::Cdiv || i.verb == Verb::Shr ? std::move(parts->quotient) : std::move(parts->rest);
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<LinearIndex> linear_index(const std::vector<std::optional<LinearIndex>>& values, const Operand& operand,
                                        size_t loops) {
  if (!operand.is_number()) return values[operand.value];
  const int64_t number = value_of(operand);
  if (!is_integer(operand.type.type) || number < -kLargest || number > kLargest) return std::nullopt;
  return LinearIndex{number, std::vector<int64_t>(loops)};
}

std::vector<std::optional<LinearIndex>> linear_values(const Program& program, const std::vector<uint32_t>& loops) {
  std::vector<std::optional<LinearIndex>> values(program.values.size());
  std::vector<uint64_t> extents;
  for (const uint32_t line : loops) extents.push_back(program.body[line].operands[0].bits);
  for (size_t k = 0; k < loops.size(); ++k) {
    LinearIndex variable{0, std::vector<int64_t>(loops.size())};
    variable.steps[k] = 1;
    values[program.body[loops[k]].result] = std::move(variable);
  }
  for (const Instruction& i : program.body) {
    if (i.verb != Verb::Cast && !is_arithmetic(i.verb)) continue;
    if (i.type.lanes != 1 || !is_integer(i.type.type) || i.operand_count > 2) continue;
    std::vector<std::optional<LinearIndex>> inputs;
    for (const Operand& input : i.inputs()) inputs.push_back(linear_index(values, input, loops.size()));
    auto result = combined(i, inputs, extents);
    if (result && fits(*result, i.type.type, extents)) values[i.result] = std::move(result);
  }
  return values;
}

std::optional<FlatOrder> flat_order(const LinearIndex& stored, const std::vector<uint64_t>& extents) {
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < extents.size(); ++k)
    if (extents[k] != 1) order.push_back(k);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return stored.steps[a] > stored.steps[b]; });
  FlatOrder result;
  result.loops = order;
  for (size_t k = order.size(); k-- > 0;) {
    if (stored.steps[order[k]] != static_cast<int64_t>(result.elements)) return std::nullopt;
    result.elements *= extents[order[k]];
    if (result.elements > static_cast<uint64_t>(kLargest)) return std::nullopt;
  }
  for (const uint32_t k : order) result.extents.push_back(extents[k]);
  return result;
}

std::optional<kernels::FlatOperand> flat_operand(const LinearIndex& index, const FlatOrder& order) {
  uint64_t run = 1, period = 1;
  size_t k = order.loops.size();
  while (k > 0 && index.steps[order.loops[k - 1]] == 0) run *= order.extents[--k];
  while (k > 0 && index.steps[order.loops[k - 1]] == static_cast<int64_t>(period)) period *= order.extents[--k];
  while (k > 0 && index.steps[order.loops[k - 1]] == 0) --k;
  if (k != 0) return std::nullopt;
  if (run == 1 && period == order.elements) return kernels::FlatOperand{};
  return kernels::FlatOperand{static_cast<uint32_t>(run), static_cast<uint32_t>(period)};
}

std::optional<kernels::FlatOperand> padded_operand(const LinearIndex& index, const FlatOrder& order, uint64_t columns,
                                                   uint64_t padded) {
  FlatOrder rows = order;
  uint64_t inner = 1;
  bool dense = true, repeated = true;
  while (inner < columns && !rows.loops.empty()) {
    const int64_t step = index.steps[rows.loops.back()];
    dense = dense && step == static_cast<int64_t>(inner);
    repeated = repeated && step == 0;
    inner *= rows.extents.back();
    rows.loops.pop_back();
    rows.extents.pop_back();
  }
  if (inner != columns || order.elements % columns != 0 || (!dense && !repeated)) return std::nullopt;
  rows.elements = order.elements / columns;
  if (rows.elements * padded > static_cast<uint64_t>(kLargest)) return std::nullopt;
  const auto count = static_cast<uint32_t>(rows.elements);
  const auto width = static_cast<uint32_t>(padded);
  if (repeated && columns != 1) {
    const auto by_row = flat_operand(index, rows);
    if (!by_row) return std::nullopt;
    return kernels::FlatOperand{by_row->run * width, by_row->period == 0 ? count : by_row->period};
  }
  const int64_t pitch = rows.loops.empty() ? static_cast<int64_t>(padded) : index.steps[rows.loops.back()];
  if (pitch < 0 || pitch * static_cast<int64_t>(count) > kLargest) return std::nullopt;
  uint64_t behind = 1;
  for (size_t k = rows.loops.size(); k-- > 0;) {
    if (index.steps[rows.loops[k]] != pitch * static_cast<int64_t>(behind)) return std::nullopt;
    behind *= rows.extents[k];
  }
  kernels::FlatOperand out;
  out.rows = {static_cast<uint32_t>(columns), width, static_cast<uint32_t>(pitch)};
  if (pitch != static_cast<int64_t>(padded)) out.period = count;
  return out;
}

}  // namespace kerr::loops::tiles
