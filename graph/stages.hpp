// A graph as programs one after the other: each matrix product, sum, maximum and transpose is one, and what is computed element by
// element between two of them is one together, or a product's epilogue.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// A matrix that lies in DRAM: an input of the graph or what a stage has made, repeated to a shape where it is smaller.
struct Operand {
  Graph::Node node;
  Shape shape;
};

struct ProductStage {
  Graph::Node result;
  Operand a, b;
  std::shared_ptr<const kernels::MatmulEpilogue> epilogue{};
  std::vector<Operand> operands{};  // of the epilogue: of the result's shape, or 32 times the same row
};

struct ElementwiseStage {
  Graph::Node result;
  kernels::Expression expression;
  std::vector<Operand> operands;  // by number in the expression; all of the result's shape
};

struct ReduceStage {
  Graph::Node result;
  Operand a;
  kernels::Reduction reduction;
  kernels::Along along;
};

struct TransposeStage {
  Graph::Node result;
  Operand a;
};

using Stage = std::variant<ProductStage, ElementwiseStage, ReduceStage, TransposeStage>;

/// In the order in which they can run; the last one makes the graph's result. No element-wise stage, its product included, takes more than
/// `most_operands` (at least 3); products like `matmul` have the epilogues that Dst has room for. Throws std::invalid_argument when there is
/// nothing to run.
std::vector<Stage> stages(const Graph& graph, std::uint32_t most_operands, const kernels::MatmulOptions& matmul = {});

}  // namespace kerr::graph
