// Which parts of an expression are programs of their own because one program has not room for all operands.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.hpp"

namespace kerr::graph {

/// What is known of each node of a graph: in which format its result lies in memory, whether it is made of numbers alone, and
/// whether it has to lie in memory.
struct NodesInMemory {
  std::vector<Format> formats;
  std::vector<bool> constant, needed;
};

/// How many of such operands a program that makes `out` takes. Of different formats they are all brought to 32 bits.
size_t room_for_operands(std::span<const Graph::Node> operands, const std::vector<Format>& formats, Format out);

/// Sets `needed` of parts until no program has too many operands. Of the ways to do so it looks for one with little traffic:
/// operands read and results written.
void fit_operands(const Graph& graph, NodesInMemory& nodes);

}  // namespace kerr::graph
