#include "graph/language/value.hpp"

#include <stdexcept>

#include "graph/language/functions.hpp"

namespace kerr::graph {

Value product(Graph& graph, Value a, Value b) {
  if (a.axes == 0 || b.axes == 0)
    throw std::invalid_argument("a product of matrices needs vectors or matrices on both sides; with a number write *");
  if (b.axes == 2) return {graph.matmul(a.node, b.node), a.axes};
  const Graph::Node column = graph.matmul(a.node, graph.transpose(b.node));
  return {vector_of(graph, column, false), a.axes - 1};
}

Value turned(Graph& graph, Value x) {
  if (x.axes < 2) return x;
  return {graph.transpose(x.node), 2};
}

}  // namespace kerr::graph
