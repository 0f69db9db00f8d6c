// Graphs as people write them: "gelu(a @ b + c) * 0.5".
#pragma once

#include <functional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// Python's grammar of expressions, with the meaning that NumPy gives it for matrices; docs/guide/expressions.md has
/// both. Names are
/// those of operations (kernels/expression/operations.def), formats, functions (graph/language/functions.cpp) and what
/// NumPy,
/// torch and ttnn call them (graph/language/spellings.cpp).
/// Operators, the tightest first: x.T, x.sum(), x[0:32]; ** (to the right); - + ~ in front; @ * / // %; + -; << >>; &;
/// ^; |;
/// comparisons (1 or 0; a < b < c is a < b and b < c); not; and; or; a if c else b.
/// `matrix_of` gives the matrix that a name means, or throws std::invalid_argument if it means none. Throws
/// std::invalid_argument
/// that shows the place.
Graph parse(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of);

}  // namespace kerr::graph
