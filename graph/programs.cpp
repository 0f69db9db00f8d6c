#include "graph/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "arch/memory_map.hpp"
#include "graph/encode.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/layout/layout.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/transpose/transpose.hpp"

namespace kerr::graph {

namespace {

kernels::ReduceShape reduce_shape(const ReduceStage& s) {
  return {s.reduction, s.along, grid(s.a.shape).rows, grid(s.a.shape).columns};
}

kernels::MatmulPlan matmul_plan(const ProductStage& s, const Target& t) {
  kernels::MatmulOptions options = t.matmul;
  options.epilogue = s.epilogue;
  options.in = s.a.place.format;
  options.out = s.result.format;
  if (options.int8()) options.fidelity = kernels::Fidelity::HiFi4;  // fewer phases lose bits
  return kernels::plan_matmul({s.a.shape.rows, s.b.shape.columns, s.a.shape.columns},
                              {t.workers, arch::kL1Bytes - t.layout.unreserved}, options);
}

// What a larger matrix repeats of a smaller one.
kernels::Repeat repeat(Shape operand, Shape result) {
  const bool rows = operand.rows != result.rows, columns = operand.columns != result.columns;
  return rows && columns ? kernels::Repeat::Element
         : rows          ? kernels::Repeat::Row
         : columns       ? kernels::Repeat::Column
                         : kernels::Repeat::Nothing;
}

kernels::ElementwiseShape elementwise_shape(const ElementwiseStage& s, Shape result) {
  const TileGrid g = grid(result);
  kernels::ElementwiseShape shape{.tiles = g.tiles(), .tile_columns = g.columns, .columns = result.columns};
  for (const Operand& operand : s.operands) shape.repeats.push_back(repeat(operand.shape, result));
  return shape;
}

// What does not change a sum, a maximum or a minimum.
double identity(kernels::Reduction reduction) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (reduction) {
    case kernels::Reduction::Sum: return 0;
    case kernels::Reduction::Maximum: return -kInfinity;
    case kernels::Reduction::Minimum: return kInfinity;
  }
  return 0;
}

struct Planner {
  const Graph& graph;
  const Target& target;

  uint32_t cores(uint32_t output_tiles) const {
    return std::min(output_tiles, static_cast<uint32_t>(target.workers.size()));
  }

  StagePlan operator()(const ProductStage& s) const {
    const kernels::MatmulPlan p = matmul_plan(s, target);
    StagePlan made{.what = fmt::format("matmul {} @ {}", s.a.shape.text(), s.b.shape.text()),
                   .cores = p.cores(),
                   .inputs = {{{p.m_tiles, p.k_tiles}, 0.0}, {{p.k_tiles, p.n_tiles}, 0.0}},
                   .output = {p.m_tiles, p.n_tiles}};
    if (!s.epilogue) return made;
    made.what += ", then " + s.epilogue->expression.text();
    for (size_t i = 0; i < s.operands.size(); ++i) {
      const bool rows = s.epilogue->operands_have_rows[i];
      Laid laid{.grid = {rows ? p.m_tiles : 1, p.n_tiles}};
      const Shape whole{rows ? p.m : kernels::kTileDim, p.n};
      if (s.operands[i].shape != whole) laid.repeated = whole;
      made.inputs.push_back(laid);
    }
    return made;
  }
  StagePlan operator()(const ElementwiseStage& s) const {
    const TileGrid g = grid(graph.item(s.result.node).shape);
    StagePlan plan{.what = s.expression.text(), .cores = cores(g.tiles()), .inputs = {}, .output = g};
    for (const Operand& operand : s.operands) plan.inputs.push_back({grid(operand.shape)});
    return plan;
  }
  StagePlan operator()(const ReduceStage& s) const {
    static constexpr const char* kNames[] = {"sum", "maximum", "minimum"};
    const bool rows = s.along == kernels::Along::Row;
    const uint32_t outputs = reduce_shape(s).outputs();
    return {.what = fmt::format("{} of each {} of {}", kNames[static_cast<int>(s.reduction)], rows ? "row" : "column",
                                s.a.shape.text()),
            .cores = cores(outputs),
            .inputs = {{grid(s.a.shape), identity(s.reduction)}},
            .output = rows ? TileGrid{outputs, 1} : TileGrid{1, outputs}};
  }
  StagePlan operator()(const TransposeStage& s) const {
    const TileGrid in = grid(s.a.shape);
    return {.what = fmt::format("transpose of {}", s.a.shape.text()),
            .cores = cores(in.tiles()),
            .inputs = {{in}},
            .output = {in.columns, in.rows}};
  }
  StagePlan operator()(const ArrangeStage& s) const {
    const TileGrid out = grid(graph.item(s.result.node).shape);
    return {.what = fmt::format("tiles of {} to other places", s.a.shape.text()),
            .cores = cores(out.tiles()),
            .inputs = {{grid(s.a.shape)}},
            .output = out};
  }
};

struct Programmer {
  const Graph& graph;
  const Target& t;
  const std::vector<uint32_t>& inputs;
  uint32_t output;

  host::Program operator()(const ProductStage& s) const {
    return kernels::matmul_program(matmul_plan(s, t), t.layout, t.workers,
                                   {inputs[0], inputs[1], output, {inputs.begin() + 2, inputs.end()}});
  }
  host::Program operator()(const ElementwiseStage& s) const {
    return kernels::elementwise_program(s.expression, s.formats, elementwise_shape(s, graph.item(s.result.node).shape),
                                        t.layout, t.workers, {.inputs = inputs, .output = output});
  }
  host::Program operator()(const ReduceStage& s) const {
    return kernels::reduce_program(reduce_shape(s), s.a.place.format, t.layout, t.workers, inputs[0], output);
  }
  host::Program operator()(const TransposeStage& s) const {
    const TileGrid in = grid(s.a.shape);
    if (s.a.place.format == Format::Bf16)
      return kernels::transpose_program(in.rows, in.columns, t.layout, t.workers, inputs[0], output);
    const kernels::TileMap map{.sizes = {1, 1, in.columns, in.rows}, .strides = {0, 0, 1, in.columns}};
    return kernels::layout_program({.format = s.a.place.format, .map = map, .transposed = true}, t.layout, t.workers,
                                   inputs[0], output);
  }
  host::Program operator()(const ArrangeStage& s) const {
    return kernels::layout_program({.format = s.a.place.format, .map = s.map}, t.layout, t.workers, inputs[0], output);
  }
};

// The bits of a datum.
uint32_t datum(Format format, double value) {
  std::array<double, 16> row;
  row.fill(value);
  std::vector<std::byte> tile(kernels::tile_bytes(format));
  encode_row(format, row, 0, 0, tile);
  uint32_t bits = 0;
  std::memcpy(&bits, tile.data(), tile.size() / 1024);
  return bits;
}

}  // namespace

StagePlan plan(const Graph& graph, const Stage& stage, const Target& target) {
  return std::visit(Planner{graph, target}, stage);
}

host::Program program(const Graph& graph, const Stage& stage, const Target& target, const std::vector<uint32_t>& inputs,
                      uint32_t output) {
  return std::visit(Programmer{graph, target, inputs, output}, stage);
}

std::vector<Operand> operands(const Stage& stage) {
  return std::visit(
      [](const auto& s) {
        std::vector<Operand> all;
        if constexpr (requires { s.a; }) all.push_back(s.a);
        if constexpr (requires { s.b; }) all.push_back(s.b);
        if constexpr (requires { s.operands; }) all.insert(all.end(), s.operands.begin(), s.operands.end());
        return all;
      },
      stage);
}

Place result(const Stage& stage) {
  return std::visit([](const auto& s) { return s.result; }, stage);
}

host::Program repeat_program(Format format, Shape from, Shape to, const Target& t, uint32_t input, uint32_t output) {
  const Place any{0, format};
  ElementwiseStage copy{.result = any, .expression = {}, .operands = {{any, from}}, .formats = {format, format}};
  copy.expression.input(0);
  return kernels::elementwise_program(copy.expression, copy.formats, elementwise_shape(copy, to), t.layout, t.workers,
                                      {.inputs = {input}, .output = output});
}

host::Program relayout_program(Format format, Shape shape, TileGrid from, const Laid& to, const Target& t,
                               uint32_t input, uint32_t output) {
  kernels::LayoutShape layout{.format = format,
                              .map = kernels::part_of_grid(to.grid.rows, to.grid.columns, from.columns)};
  layout.tile_columns = to.grid.columns;
  layout.rows = shape.rows;
  layout.columns = shape.columns;
  layout.padding = to.padding.value_or(0) == 0 ? 0 : datum(format, *to.padding);
  return kernels::layout_program(layout, t.layout, t.workers, input, output);
}

}  // namespace kerr::graph
