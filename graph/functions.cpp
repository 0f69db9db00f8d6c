#include "graph/functions.hpp"

#include <initializer_list>

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using kernels::Reduction;
using Node = Graph::Node;

Node apply(Graph& graph, Operation operation, std::initializer_list<Node> sources) {
  return graph.apply(operation, std::span(sources.begin(), sources.size()));
}

Node sum(Graph& graph, Along along, Node x) { return graph.reduce(Reduction::Sum, along, x); }

Node mean(Graph& graph, Along along, Node x) {
  const Shape shape = graph.item(x).shape;
  const uint32_t count = along == Along::Row ? shape.columns : shape.rows;
  Node total = sum(graph, along, x);
  if (graph.item(total).type == NodeType::Integer) total = graph.cast(Format::Fp32, total);
  return apply(graph, Operation::Multiply, {total, graph.constant(1.0f / static_cast<float>(count))});
}

// exp of what is left of the row's largest number, over the row's sum.
Node softmax(Graph& graph, Node x) {
  const Node largest = graph.reduce(Reduction::Maximum, Along::Row, x);
  const Node e = apply(graph, Operation::Exp, {apply(graph, Operation::Subtract, {x, largest})});
  return apply(graph, Operation::Divide, {e, sum(graph, Along::Row, e)});
}

Node layernorm(Graph& graph, Node x) {
  const Node difference = apply(graph, Operation::Subtract, {x, mean(graph, Along::Row, x)});
  const Node variance = mean(graph, Along::Row, apply(graph, Operation::Square, {difference}));
  const Node scale =
      apply(graph, Operation::ReciprocalSquareRoot, {apply(graph, Operation::Add, {variance, graph.constant(1e-5f)})});
  return apply(graph, Operation::Multiply, {difference, scale});
}

Node extreme(Graph& graph, Reduction reduction, Node x) {
  return graph.reduce(reduction, Along::Column, graph.reduce(reduction, Along::Row, x));
}

}  // namespace

Node uniform(Graph& graph, Shape shape, uint64_t key) {
  const Node bits = apply(graph, Operation::ShiftRightLogical, {graph.random(shape, key), graph.constant(8)});
  return apply(graph, Operation::Multiply, {apply(graph, Operation::ToFp32, {bits}), graph.constant(0x1p-24)});
}

std::optional<Node> apply_function(Graph& graph, std::string_view name, Node x) {
  if (name == "rowsum") return sum(graph, Along::Row, x);
  if (name == "colsum") return sum(graph, Along::Column, x);
  if (name == "rowmax") return graph.reduce(Reduction::Maximum, Along::Row, x);
  if (name == "colmax") return graph.reduce(Reduction::Maximum, Along::Column, x);
  if (name == "rowmin") return graph.reduce(Reduction::Minimum, Along::Row, x);
  if (name == "colmin") return graph.reduce(Reduction::Minimum, Along::Column, x);
  if (name == "max") return extreme(graph, Reduction::Maximum, x);
  if (name == "min") return extreme(graph, Reduction::Minimum, x);
  if (name == "rowmean") return mean(graph, Along::Row, x);
  if (name == "colmean") return mean(graph, Along::Column, x);
  if (name == "sum") return sum(graph, Along::Column, sum(graph, Along::Row, x));
  if (name == "mean") return mean(graph, Along::Column, mean(graph, Along::Row, x));
  if (name == "transpose") return graph.transpose(x);
  if (name == "softmax") return softmax(graph, x);
  if (name == "layernorm") return layernorm(graph, x);
  return std::nullopt;
}

}  // namespace kerr::graph
