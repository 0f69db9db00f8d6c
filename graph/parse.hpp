// Graphs as people write them: "gelu(a @ b + c) * 0.5".
#pragma once

#include <functional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// Numbers (also 0x1f), names, calls of the operations (kernels/expression/operations.def), of formats and of functions (functions.hpp), parentheses, and,
/// binding ever more loosely: ** (to the right), - and ~ in front, @ and * and / and %, + and -, << and >>, &, ^, |, comparisons (which make 1 or 0).
/// `matrix_of` says what a name stands for. Throws std::invalid_argument that shows the place.
Graph parse(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of);

}  // namespace kerr::graph
