#include "graph/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "arch/memory_map.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/transpose/transpose.hpp"

namespace kerr::graph {

namespace {

TileGrid grid(Shape shape) { return {(shape.rows + 31) / 32, (shape.columns + 31) / 32}; }
std::uint32_t tiles(TileGrid g) { return g.rows * g.columns; }

kernels::ReduceShape reduce_shape(const ReduceStage& s) {
  return {s.reduction, s.along, grid(s.a.shape).rows, grid(s.a.shape).columns};
}

kernels::MatmulPlan matmul_plan(const ProductStage& s, const Target& t) {
  kernels::MatmulOptions options = t.matmul;
  options.epilogue = s.epilogue;
  return kernels::plan_matmul(s.a.shape.rows, s.b.shape.columns, s.a.shape.columns,
                              {t.workers, arch::kL1Bytes - t.layout.unreserved}, options);
}

struct Planner {
  const Graph& graph;
  const Target& target;

  std::uint32_t cores(std::uint32_t output_tiles) const {
    return std::min(output_tiles, static_cast<std::uint32_t>(target.workers.size()));
  }

  StagePlan operator()(const ProductStage& s) const {
    const kernels::MatmulPlan p = matmul_plan(s, target);
    StagePlan made{.what = fmt::format("matmul {} @ {}", s.a.shape.text(), s.b.shape.text()),
                   .cores = p.cores(),
                   .inputs = {{p.m_tiles, p.k_tiles}, {p.k_tiles, p.n_tiles}},
                   .output = {p.m_tiles, p.n_tiles}};
    if (!s.epilogue) return made;
    made.what += ", then " + s.epilogue->expression.text();
    for (const bool rows : s.epilogue->operands_have_rows)
      made.inputs.push_back({.rows = rows ? p.m_tiles : 1, .columns = p.n_tiles, .format = *operand_format(p.options)});
    return made;
  }
  StagePlan operator()(const ElementwiseStage& s) const {
    const TileGrid g = grid(graph.item(s.result).shape);
    return {.what = s.expression.text(),
            .cores = cores(tiles(g)),
            .inputs = std::vector(s.operands.size(), g),
            .output = g};
  }
  StagePlan operator()(const ReduceStage& s) const {
    const bool maximum = s.reduction == kernels::Reduction::Maximum, rows = s.along == kernels::Along::Row;
    TileGrid in = grid(s.a.shape);
    in.padding = maximum ? -std::numeric_limits<float>::infinity() : 0.0f;
    const std::uint32_t outputs = reduce_shape(s).outputs();
    return {.what = fmt::format("{} of each {} of {}", maximum ? "maximum" : "sum", rows ? "row" : "column",
                                s.a.shape.text()),
            .cores = cores(outputs),
            .inputs = {in},
            .output = rows ? TileGrid{outputs, 1} : TileGrid{1, outputs}};
  }
  StagePlan operator()(const TransposeStage& s) const {
    const TileGrid in = grid(s.a.shape);
    return {.what = fmt::format("transpose of {}", s.a.shape.text()),
            .cores = cores(tiles(in)),
            .inputs = {in},
            .output = {in.columns, in.rows}};
  }
};

struct Programmer {
  const Graph& graph;
  const Target& t;
  const std::vector<std::uint32_t>& inputs;
  std::uint32_t output;

  void only_bf16(const char* what) const {
    if (t.format != kernels::Format::Bf16)
      throw std::invalid_argument(fmt::format("{} takes BF16 matrices only: use bf16", what));
  }

  host::Program operator()(const ProductStage& s) const {
    only_bf16("'@'");
    return kernels::matmul_program(matmul_plan(s, t), t.layout, t.workers,
                                   {inputs[0], inputs[1], output, {inputs.begin() + 2, inputs.end()}});
  }
  host::Program operator()(const ElementwiseStage& s) const {
    return kernels::elementwise_program(s.expression, t.format, tiles(grid(graph.item(s.result).shape)), t.layout,
                                        t.workers, {.inputs = inputs, .output = output});
  }
  host::Program operator()(const ReduceStage& s) const {
    return kernels::reduce_program(reduce_shape(s), t.format, t.layout, t.workers, inputs[0], output);
  }
  host::Program operator()(const TransposeStage& s) const {
    only_bf16("transpose");
    return kernels::transpose_program(grid(s.a.shape).rows, grid(s.a.shape).columns, t.layout, t.workers, inputs[0],
                                      output);
  }
};

}  // namespace

StagePlan plan(const Graph& graph, const Stage& stage, const Target& target) {
  return std::visit(Planner{graph, target}, stage);
}

host::Program program(const Graph& graph, const Stage& stage, const Target& target,
                      const std::vector<std::uint32_t>& inputs, std::uint32_t output) {
  return std::visit(Programmer{graph, target, inputs, output}, stage);
}

std::vector<Operand> operands(const Stage& stage) {
  if (const auto* s = std::get_if<ProductStage>(&stage)) {
    std::vector<Operand> all{s->a, s->b};
    all.insert(all.end(), s->operands.begin(), s->operands.end());
    return all;
  }
  if (const auto* s = std::get_if<ElementwiseStage>(&stage)) return s->operands;
  if (const auto* s = std::get_if<ReduceStage>(&stage)) return {s->a};
  return {std::get<TransposeStage>(stage).a};
}

Graph::Node result(const Stage& stage) {
  return std::visit([](const auto& s) { return s.result; }, stage);
}

}  // namespace kerr::graph
