// x[0:32, 5]: parts of a matrix by Python's slices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "graph/language/value.hpp"

namespace kerr::graph {

/// What is written for one axis. Negative numbers count from the end.
struct Subscript {
  size_t at = 0;  // where it begins
  bool is_range = false;
  bool is_rest = false;  // ..., which is a range too
  bool is_new = false;   // None: an axis more
  std::optional<int64_t> first,
      last;  // of a range [first, last), each of which may be missing; or the one that is chosen
};

/// Rows by the first subscript, columns by the second one, if there is one; of a vector its elements. A range begins at
/// a multiple of 32; a single row or column may be anywhere, and is a vector, as in NumPy. Of vectors only: v[:, None]
/// is a column, v[None, :] a matrix of one row. Throws Mistake.
Value subscripted(Graph& graph, Value x, std::vector<Subscript> subscripts);

}  // namespace kerr::graph
