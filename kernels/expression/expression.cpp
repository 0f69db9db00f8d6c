#include "kernels/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace kerr::kernels {

namespace {

constexpr OperationInfo kOperations[] = {
#define X(id, text, types, sources, bf16_ulp, fp32_ulp, zero_below, domain) \
  {Operation::id, text, OperationTypes::types, sources, bf16_ulp, fp32_ulp, zero_below, domain},
#include "kernels/expression/operations.def"
#undef X
};

}  // namespace

std::span<const OperationInfo> operations() { return kOperations; }
const OperationInfo& info(Operation operation) { return kOperations[static_cast<size_t>(operation)]; }

std::optional<Operation> operation_named(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &OperationInfo::name);
  if (found == std::end(kOperations)) return std::nullopt;
  return found->operation;
}

Expression::Node Expression::add(const Item& item) {
  // Equal parts are one node. Constants are compared as bits: -0 is not 0.
  const auto found = std::ranges::find(items_, item);
  result_ = static_cast<Node>(found - items_.begin());
  if (found == items_.end()) items_.push_back(item);
  return result_;
}

Expression::Node Expression::input(uint32_t number, Type type) {
  inputs_ = std::max(inputs_, number + 1);
  return add({.kind = Item::Kind::Input, .type = type, .input = number});
}

Expression::Node Expression::constant(float value) {
  return add({.kind = Item::Kind::Constant, .constant = std::bit_cast<uint32_t>(value)});
}
Expression::Node Expression::integer(int32_t value) {
  return add({.kind = Item::Kind::Constant, .type = Type::Integer, .constant = static_cast<uint32_t>(value)});
}
Expression::Node Expression::index() { return add({.kind = Item::Kind::Index, .type = Type::Integer}); }
Expression::Node Expression::random(uint64_t key) {
  return add({.kind = Item::Kind::Random, .type = Type::Integer, .key = key});
}

Type Expression::type_of_input(uint32_t number) const {
  const auto found = std::ranges::find_if(
      items_, [&](const Item& item) { return item.kind == Item::Kind::Input && item.input == number; });
  return found == items_.end() ? Type::Float : found->type;
}
bool Expression::needs_index() const {
  return std::ranges::any_of(
      items_, [](const Item& item) { return item.kind == Item::Kind::Index || item.kind == Item::Kind::Random; });
}

std::optional<Type> result_type(const OperationInfo& what, std::span<const Type> sources) {
  if (what.types == OperationTypes::ToInteger) return Type::Integer;
  if (what.types == OperationTypes::ToFloat) return Type::Float;
  const auto counted = what.types == OperationTypes::Choice ? sources.subspan(1) : sources;
  const auto all = [&](Type type) { return std::ranges::all_of(counted, [&](Type t) { return t == type; }); };
  if (what.types != OperationTypes::Integer && all(Type::Float)) return Type::Float;
  if (what.types != OperationTypes::Float && all(Type::Integer)) return Type::Integer;
  return std::nullopt;
}

std::string types_text(const OperationInfo& what) {
  switch (what.types) {
    case OperationTypes::Float:
      return fmt::format("{} computes with floats; convert integers with fp32(...)", what.name);
    case OperationTypes::Integer:
      return fmt::format("{} computes with integers; convert floats with int32(...)", what.name);
    default:
      return fmt::format("{} cannot mix floats and integers; convert one with int32(...) or fp32(...)", what.name);
  }
}

Expression::Node Expression::apply(Operation operation, std::span<const Node> sources) {
  const OperationInfo& what = info(operation);
  if (sources.size() != what.sources) {
    throw std::invalid_argument(fmt::format("{} takes {} operand{}, not {}", what.name, what.sources,
                                            what.sources == 1 ? "" : "s", sources.size()));
  }
  std::array<Type, 3> types{};
  for (size_t i = 0; i < sources.size(); ++i) types[i] = type(sources[i]);
  const std::optional<Type> result = result_type(what, std::span(types).first(sources.size()));
  if (!result) throw std::invalid_argument(types_text(what));
  Item item{.kind = Item::Kind::Apply, .type = *result, .operation = operation};
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
      case Item::Kind::Constant:
      case Item::Kind::Index:
      case Item::Kind::Random: made.push_back(add(item)); break;
      case Item::Kind::Apply:
        for (size_t i = 0; i < info(item.operation).sources; ++i) sources[i] = made[item.sources[i]];
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
    case Item::Kind::Constant:
      return item.type == Type::Integer ? fmt::format("{}", static_cast<int32_t>(item.constant))
                                        : fmt::format("{}", std::bit_cast<float>(item.constant));
    case Item::Kind::Index: return "index";
    case Item::Kind::Random: return fmt::format("random({})", item.key);
    case Item::Kind::Apply: break;
  }
  std::string out = fmt::format("{}(", info(item.operation).name);
  for (int i = 0; i < info(item.operation).sources; ++i) {
    if (i != 0) out += ", ";
    out += text(item.sources[static_cast<size_t>(i)]);
    if (out.size() > 200) return out + " ...";
  }
  return out + ")";
}

}  // namespace kerr::kernels
