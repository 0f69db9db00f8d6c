// x[0:32, 5]: parts of a matrix by Python's slices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace kerr::graph {

/// What is written for one axis. Negative numbers count from the end.
struct Subscript {
  size_t at = 0;  // where it begins
  bool is_range = false;
  std::optional<int64_t> first,
      last;  // of a range [first, last), each of which may be missing; or the one that is chosen
};

/// Rows by the first subscript, columns by the second one, if there is one. A range begins at a multiple of 32; a
/// single row
/// or column may be anywhere, and is one row here, as what NumPy calls a vector is. Throws Mistake.
Graph::Node subscripted(Graph& graph, Graph::Node x, const std::vector<Subscript>& subscripts);

}  // namespace kerr::graph
