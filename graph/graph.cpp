#include "graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace kerr::graph {

namespace {

void check(Shape shape, std::string_view what) {
  if (shape.rows >= 1 && shape.columns >= 1 && shape.rows <= kLargestSize && shape.columns <= kLargestSize) return;
  throw std::invalid_argument(
      fmt::format("{} is {}: rows and columns must be from 1 to {}", what, shape.text(), kLargestSize));
}

std::uint32_t common(std::uint32_t a, std::uint32_t b, bool& fits) {
  if (a == b || b == 1) return a;
  if (a != 1) fits = false;
  return b;
}

}  // namespace

std::string Shape::text() const { return fmt::format("{}x{}", rows, columns); }

std::size_t Graph::Item::source_count() const {
  return kind == Kind::Apply                               ? kernels::info(operation).sources
         : kind == Kind::Matmul                            ? 2
         : kind == Kind::Reduce || kind == Kind::Transpose ? 1
                                                           : 0;
}

Graph::Node Graph::add(Item item) {
  items_.push_back(std::move(item));
  return result_ = size() - 1;
}

Graph::Node Graph::input(std::string_view name, Shape shape) {
  check(shape, name);
  for (Node node = 0; node < size(); ++node) {
    const Item& item = items_[node];
    if (item.kind != Item::Kind::Input || item.name != name) continue;
    if (item.shape == shape) return result_ = node;
    throw std::invalid_argument(
        fmt::format("{} is {} in one place and {} in another", name, item.shape.text(), shape.text()));
  }
  return add({.kind = Item::Kind::Input, .shape = shape, .name = std::string(name)});
}

Graph::Node Graph::constant(float value) { return add({.kind = Item::Kind::Constant, .constant = value}); }

Graph::Node Graph::apply(kernels::Operation operation, std::span<const Node> sources) {
  const kernels::OperationInfo& what = kernels::info(operation);
  if (sources.size() != what.sources) {
    throw std::invalid_argument(fmt::format("{} takes {} operand{}, not {}", what.name, what.sources,
                                            what.sources == 1 ? "" : "s", sources.size()));
  }
  Shape shape;
  bool fits = true;
  for (const Node source : sources) {
    const Shape other = item(source).shape;
    shape = {common(shape.rows, other.rows, fits), common(shape.columns, other.columns, fits)};
    if (!fits) {
      throw std::invalid_argument(fmt::format("{}: {} does not fit {}; rows and columns must be equal or 1", what.name,
                                              other.text(), item(sources[0]).shape.text()));
    }
  }
  Item made{.kind = Item::Kind::Apply, .shape = shape, .operation = operation};
  std::ranges::copy(sources, made.sources.begin());
  return add(std::move(made));
}

Graph::Node Graph::matmul(Node a, Node b) {
  const Shape left = item(a).shape, right = item(b).shape;
  if (left.columns != right.rows) {
    throw std::invalid_argument(fmt::format("{} @ {}: the {} columns of the left matrix meet {} rows of the right one",
                                            left.text(), right.text(), left.columns, right.rows));
  }
  return add({.kind = Item::Kind::Matmul, .shape = {left.rows, right.columns}, .sources = {a, b}});
}

Graph::Node Graph::reduce(kernels::Reduction reduction, kernels::Along along, Node a) {
  const Shape shape = item(a).shape;
  return add({.kind = Item::Kind::Reduce,
              .shape = along == kernels::Along::Row ? Shape{shape.rows, 1} : Shape{1, shape.columns},
              .sources = {a},
              .reduction = reduction,
              .along = along});
}

Graph::Node Graph::transpose(Node a) {
  const Shape shape = item(a).shape;
  return add({.kind = Item::Kind::Transpose, .shape = {shape.columns, shape.rows}, .sources = {a}});
}

}  // namespace kerr::graph
