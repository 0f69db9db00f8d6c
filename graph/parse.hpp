// Graphs as people write them: "gelu(a @ b + c) * 0.5".
#pragma once

#include <functional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// Numbers, names, calls of the operations (kernels/expression/operations.def) and of functions (functions.hpp), parentheses, and, binding ever more loosely:
/// ** (to the right), - in front, @ and * and /, + and -, comparisons (which make 1 or 0). `shape_of` says what shape a name has. Throws
/// std::invalid_argument that shows the place.
Graph parse(std::string_view text, const std::function<Shape(std::string_view)>& shape_of);

}  // namespace kerr::graph
