// Ranges of random operands.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "graph/graph.hpp"

namespace kerr::graph {

struct Range {
  float low = -1, high = 1;  // uniform between them, `high` left out
  friend bool operator==(Range, Range) = default;
};

/// Ranges of operands that have to be other than -1 to 1, for the operations that are made of them to have a result:
/// what logarithms, roots and powers that are not whole are taken of is positive. Derived through signs, products,
/// sums, casts and transposes; an operand of which that is not known, or of which two things are wanted, is left out.
/// What 'where' chooses among is taken to be chosen where it has a result.
std::map<std::string, Range, std::less<>> domains(const Graph& graph);

}  // namespace kerr::graph
