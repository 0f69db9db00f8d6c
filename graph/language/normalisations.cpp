// Softmax and layer normalisation.
#include "graph/language/functions.hpp"

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using kernels::Reduction;
using Node = Graph::Node;

Node less_the_largest(Graph& graph, Node x) {
  return made_of(graph, Operation::Subtract, {x, graph.reduce(Reduction::Maximum, Along::Row, x)});
}

// exp of what is left of the row's largest number, over the row's sum.
Node softmax(Graph& graph, Node x) {
  const Node e = made_of(graph, Operation::Exp, {less_the_largest(graph, x)});
  return made_of(graph, Operation::Divide, {e, graph.reduce(Reduction::Sum, Along::Row, e)});
}

Node log_softmax(Graph& graph, Node x) {
  const Node shifted = less_the_largest(graph, x);
  const Node sum = graph.reduce(Reduction::Sum, Along::Row, made_of(graph, Operation::Exp, {shifted}));
  return made_of(graph, Operation::Subtract, {shifted, made_of(graph, Operation::Log, {sum})});
}

// Normalises each row, or each column if the call says axis 0.
Node of_axis(Call& call, Node (*of_rows)(Graph&, Node)) {
  const Node x = call.matrix(0);
  if (call.axis(1).value_or(Along::Row) == Along::Row) return of_rows(call.graph, x);
  return call.graph.transpose(of_rows(call.graph, call.graph.transpose(x)));
}

}  // namespace

Node make_softmax(Call& call) { return of_axis(call, softmax); }
Node make_log_softmax(Call& call) { return of_axis(call, log_softmax); }

Node make_layernorm(Call& call) {
  Graph& graph = call.graph;
  const Node x = call.matrix(0);
  const Node difference = made_of(graph, Operation::Subtract, {x, mean(graph, Along::Row, x)});
  const Node variance = mean(graph, Along::Row, made_of(graph, Operation::Square, {difference}));
  const Node scale = made_of(graph, Operation::ReciprocalSquareRoot,
                             {made_of(graph, Operation::Add, {variance, graph.constant(1e-5f)})});
  return made_of(graph, Operation::Multiply, {difference, scale});
}

}  // namespace kerr::graph
