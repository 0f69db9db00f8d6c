// Which parts of an expression are programs of their own because one program has not room for all operands.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.hpp"

namespace kerr::graph {

/// What is known of each node of a graph: in which format its result lies in memory, whether it is made of numbers
/// alone, and
/// whether it has to lie in memory.
struct NodesInMemory {
  std::vector<Format> formats;
  std::vector<bool> constant, needed;
};

/// Whether operands have different formats: then a program takes all of them in 32 bits.
bool are_mixed(std::span<const Format> operands);
/// How many operands, of which these are the formats, a program that makes `out` takes.
size_t room_for_operands(std::span<const Format> operands, Format out);

/// Sets `needed` of parts until no program has too many operands. Of the ways to do so it looks for one with little
/// traffic:
/// operands read and results written.
void fit_operands(const Graph& graph, NodesInMemory& nodes);

}  // namespace kerr::graph
