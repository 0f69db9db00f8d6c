// Truth values: what comparisons make, 1 or 0, as floats of floats and as integers of integers.
#pragma once

#include "graph/graph.hpp"

namespace kerr::graph {

/// Whether the node is nothing but 1 or 0 in each element: a comparison, what is made of such by the functions below,
/// or one of these two numbers.
bool is_truth(const Graph& graph, Graph::Node node);

/// Whether each element is anything but 0, unless it is a truth value already. NaN is not 0.
Graph::Node truth_of(Graph& graph, Graph::Node a);

/// a and b, a or b, a exclusive or b, of truth values. One may be floats and the other integers.
Graph::Node both(Graph& graph, Graph::Node a, Graph::Node b);
Graph::Node any_of_both(Graph& graph, Graph::Node a, Graph::Node b);
Graph::Node one_of_both(Graph& graph, Graph::Node a, Graph::Node b);
/// 1 where `a`, which may be any number, is 0; else 0.
Graph::Node negated(Graph& graph, Graph::Node a);

}  // namespace kerr::graph
