// A graph as programs one after the other: each matrix product is one, and what is computed element by element between two of them
// is one together.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.hpp"

namespace kerr::graph {

/// A matrix that lies in DRAM: an input of the graph or what a stage has made, repeated to a shape where it is smaller.
struct Operand {
  Graph::Node node;
  Shape shape;
};

struct ProductStage {
  Graph::Node result;
  Operand a, b;
};

struct ElementwiseStage {
  Graph::Node result;
  kernels::Expression expression;
  std::vector<Operand> operands;  // by number in the expression; all of the result's shape
};

using Stage = std::variant<ProductStage, ElementwiseStage>;

/// In the order in which they can run; the last one makes the graph's result. Throws std::invalid_argument when there is nothing to run.
std::vector<Stage> stages(const Graph& graph);

}  // namespace kerr::graph
