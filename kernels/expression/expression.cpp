#include "kernels/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace kerr::kernels {

namespace {

constexpr OperationInfo kOperations[] = {
#define X(id, text, sources, bf16_ulp, fp32_ulp, zero_below, domain) \
  {Operation::id, text, sources, bf16_ulp, fp32_ulp, zero_below, domain},
#include "kernels/expression/operations.def"
#undef X
};

}  // namespace

std::span<const OperationInfo> operations() { return kOperations; }
const OperationInfo& info(Operation operation) { return kOperations[static_cast<std::size_t>(operation)]; }

std::optional<Operation> operation_named(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &OperationInfo::name);
  if (found == std::end(kOperations)) return std::nullopt;
  return found->operation;
}

Expression::Node Expression::add(const Item& item) {
  // Equal parts are one node. Constants are compared as bits: -0 is not 0.
  const auto same = [&](const Item& other) {
    return other.kind == item.kind && other.operation == item.operation && other.input == item.input &&
           other.sources == item.sources &&
           std::bit_cast<std::uint32_t>(other.constant) == std::bit_cast<std::uint32_t>(item.constant);
  };
  const auto found = std::ranges::find_if(items_, same);
  result_ = static_cast<Node>(found - items_.begin());
  if (found == items_.end()) items_.push_back(item);
  return result_;
}

Expression::Node Expression::input(std::uint32_t number) {
  inputs_ = std::max(inputs_, number + 1);
  return add({.kind = Item::Kind::Input, .input = number});
}

Expression::Node Expression::constant(float value) { return add({.kind = Item::Kind::Constant, .constant = value}); }

Expression::Node Expression::apply(Operation operation, std::span<const Node> sources) {
  const OperationInfo& what = info(operation);
  if (sources.size() != what.sources) {
    throw std::invalid_argument(fmt::format("{} takes {} operand{}, not {}", what.name, what.sources,
                                            what.sources == 1 ? "" : "s", sources.size()));
  }
  Item item{.kind = Item::Kind::Apply, .operation = operation};
  std::ranges::copy(sources, item.sources.begin());
  return add(item);
}

Expression::Node Expression::insert(const Expression& other, std::span<const Node> inputs) {
  if (inputs.size() < other.inputs())
    throw std::invalid_argument(fmt::format("{} has {} inputs, not {}", other.text(), other.inputs(), inputs.size()));
  std::vector<Node> made;
  for (const Item& item : other.items_) {
    Node sources[3] = {};
    switch (item.kind) {
      case Item::Kind::Input: made.push_back(inputs[item.input]); break;
      case Item::Kind::Constant: made.push_back(constant(item.constant)); break;
      case Item::Kind::Apply:
        for (std::size_t i = 0; i < info(item.operation).sources; ++i) sources[i] = made[item.sources[i]];
        made.push_back(apply(item.operation, {sources, info(item.operation).sources}));
        break;
    }
  }
  return made.at(other.result());
}

std::string Expression::text(Node node) const {
  const Item& item = items_.at(node);
  switch (item.kind) {
    case Item::Kind::Input: return fmt::format("${}", item.input);
    case Item::Kind::Constant: return fmt::format("{}", item.constant);
    case Item::Kind::Apply: break;
  }
  std::string out = fmt::format("{}(", info(item.operation).name);
  for (int i = 0; i < info(item.operation).sources; ++i) {
    if (i != 0) out += ", ";
    out += text(item.sources[static_cast<std::size_t>(i)]);
    if (out.size() > 200) return out + " ...";
  }
  return out + ")";
}

}  // namespace kerr::kernels
