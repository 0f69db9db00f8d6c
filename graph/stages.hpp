// A graph as programs one after the other: each matrix product, sum, maximum, transpose and move of tiles is one, and what is computed
// element by element between two of them is one together, or a product's epilogue.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "graph/graph.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// A matrix that lies in DRAM: an input of the graph or what a stage has made, in one of the formats in which it is there.
struct Place {
  Graph::Node node;
  Format format;
  friend auto operator<=>(const Place&, const Place&) = default;
};
struct Operand {
  Place place;
  Shape shape;
};

struct ProductStage {
  Place result;
  Operand a, b;
  std::shared_ptr<const kernels::MatmulEpilogue> epilogue{};
  std::vector<Operand> operands{};  // of the epilogue
};

/// Operands are of FP32 and INT32, or all of one format. Those of one row, one column or one element are repeated.
struct ElementwiseStage {
  Place result;
  kernels::Expression expression;
  std::vector<Operand> operands;  // by number in the expression
  kernels::ElementwiseFormats formats;
};

struct ReduceStage {
  Place result;
  Operand a;
  kernels::Reduction reduction;
  kernels::Along along;
};

struct TransposeStage {
  Place result;
  Operand a;
};

/// Tiles of `a` at other places.
struct ArrangeStage {
  Place result;
  Operand a;
  kernels::TileMap map;
};

using Stage = std::variant<ProductStage, ElementwiseStage, ReduceStage, TransposeStage, ArrangeStage>;

/// In the order in which they can run; the last one makes the graph's result. `floats`: the format of floats in memory where nothing else is
/// said; FP32 if that is one of integers. Products like `matmul`, but for its formats, have the epilogues that Dst has room for. Throws
/// std::invalid_argument when there is nothing to run, or for formats that nothing can be done with.
std::vector<Stage> stages(const Graph& graph, Format floats, const kernels::MatmulOptions& matmul = {});

}  // namespace kerr::graph
