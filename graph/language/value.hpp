// What an expression's part means: a node, and how NumPy would hold it.
#pragma once

#include <cstdint>

#include "graph/graph.hpp"

namespace kerr::graph {

/// `axes`: as many as NumPy's array has: 2 of a matrix, 1 of a vector, which is a matrix of one row here, 0 of a single
/// number.
struct Value {
  Graph::Node node;
  uint32_t axes;
};

/// a @ b: a vector on the left is one row, a vector on the right one column, and of two of them the result is a number.
/// Throws std::invalid_argument.
Value product(Graph& graph, Value a, Value b);

/// A matrix's transpose; a vector or a number itself, as in NumPy.
Value turned(Graph& graph, Value x);

}  // namespace kerr::graph
