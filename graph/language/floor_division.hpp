// a // b and a % b as Python has them: the quotient is rounded down, and the remainder has the sign of b.
#pragma once

#include "graph/graph.hpp"

namespace kerr::graph {

/// floor(a / b). The quotient of floats is rounded to FP32 first: 1 // 0.1 is 10. That of integers is exact; x // 0 is
/// -1 or -2.
Graph::Node floor_divide(Graph& graph, Graph::Node a, Graph::Node b);

/// a - floor(a / b) * b. It is exact for integers; x % 0 is x.
Graph::Node floor_modulo(Graph& graph, Graph::Node a, Graph::Node b);

}  // namespace kerr::graph
