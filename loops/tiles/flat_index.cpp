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

std::optional<LinearIndex> combined(const Instruction& i, const std::vector<std::optional<LinearIndex>>& inputs) {
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
    auto result = combined(i, inputs);
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

}  // namespace kerr::loops::tiles
