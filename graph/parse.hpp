// Graphs as people write them: "gelu(a @ b + c) * 0.5".
#pragma once

#include <functional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// Numbers (also 0x1f), names, calls of operations (kernels/expression/operations.def), formats and functions, and parentheses.
/// Operators, the tightest first: ** (to the right); - ~ in front; @ * / %; + -; << >>; &; ^; |; comparisons (1 or 0).
/// `matrix_of` gives the matrix that a name means. Throws std::invalid_argument that shows the place.
Graph parse(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of);

}  // namespace kerr::graph
