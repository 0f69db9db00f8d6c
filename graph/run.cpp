#include "graph/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "graph/stages.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/transpose/transpose.hpp"

namespace kerr::graph {

namespace {

// Rows and columns of one element repeated.
Tensor repeated(const Tensor& t, Shape shape) {
  if (t.rows == shape.rows && t.columns == shape.columns) return t;
  Tensor out{shape.rows, shape.columns, t.format, {}};
  out.values.reserve(std::size_t{shape.rows} * shape.columns);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    const float* from = &t.values[t.rows == 1 ? 0 : std::size_t{row} * t.columns];
    for (std::uint32_t column = 0; column < shape.columns; ++column) out.values.push_back(from[t.columns == 1 ? 0 : column]);
  }
  return out;
}

class Runner {
 public:
  Runner(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options)
      : graph_(graph), inputs_(inputs), chip_(chip), options_(options), workers_(chip.workers()) {
    if (options.cores != 0 && options.cores < workers_.size()) workers_ = workers_.first(options.cores);
  }

  Tensor run(std::vector<StageReport>* reports) {
    const std::vector<Stage> all = stages(graph_, kernels::dst_tiles(options_.format));
    for (const Stage& stage : all) check(stage);
    for (const Stage& stage : all) {
      StageReport report = std::visit([&](const auto& s) { return execute(s); }, stage);
      if (reports) reports->push_back(std::move(report));
    }
    return std::move(made_.at(graph_.result()));
  }

 private:
  // What would be refused later, before anything runs.
  void check(const Stage& stage) const {
    for (Graph::Node node = 0; node < graph_.size(); ++node) {
      const Graph::Item& item = graph_.item(node);
      if (item.kind != Graph::Item::Kind::Input) continue;
      const auto found = inputs_.find(item.name);
      if (found == inputs_.end()) throw std::invalid_argument(fmt::format("no matrix is given for '{}'", item.name));
      const Tensor& t = found->second;
      if (t.rows != item.shape.rows || t.columns != item.shape.columns || t.format != options_.format) {
        throw std::invalid_argument(fmt::format("'{}' is not {} of the format that was asked for", item.name, item.shape.text()));
      }
    }
    if (std::holds_alternative<ProductStage>(stage)) {
      if (options_.format != Format::Bf16) throw std::invalid_argument("'@' multiplies BF16 matrices only: use bf16");
      return;
    }
    if (std::holds_alternative<ReduceStage>(stage)) return;
    if (std::holds_alternative<TransposeStage>(stage)) {
      if (options_.format != Format::Bf16) throw std::invalid_argument("the unpackers transpose BF16 matrices only: use bf16");
      return;
    }
    const auto& elementwise = std::get<ElementwiseStage>(stage);
    kernels::vector_code(elementwise.expression, options_.format);
  }

  const Tensor& matrix(Graph::Node node) const {
    const Graph::Item& item = graph_.item(node);
    return item.kind == Graph::Item::Kind::Input ? inputs_.find(item.name)->second : made_.at(node);
  }

  host::Buffer allocate(std::uint64_t tiles) {
    const std::uint32_t page = kernels::tile_bytes(options_.format);
    return chip_.allocate(host::Memory::kDram, tiles * page, page);
  }
  host::Buffer upload(const Tensor& tensor, std::uint32_t tile_rows, std::uint32_t tile_columns, float padding = 0) {
    host::Buffer buffer = allocate(std::uint64_t{tile_rows} * tile_columns);
    chip_.write(buffer, to_tiles(tensor, tile_rows, tile_columns, padding));
    return buffer;
  }
  void download(const host::Buffer& buffer, Graph::Node node, std::uint32_t tile_columns) {
    const Shape shape = graph_.item(node).shape;
    std::vector<std::byte> tiles(buffer.bytes());
    chip_.read(buffer, tiles);
    Tensor result{shape.rows, shape.columns, options_.format, {}};
    from_tiles(tiles, tile_columns, result);
    made_.emplace(node, std::move(result));
  }
  void launch(const host::Program& program) { options_.launch ? options_.launch(program) : chip_.run(program); }

  StageReport execute(const ProductStage& s) {
    const kernels::MatmulPlan plan = kernels::plan_matmul(s.a.shape.rows, s.b.shape.columns, s.a.shape.columns,
                                                          static_cast<std::uint32_t>(workers_.size()), options_.matmul);
    const host::Buffer a = upload(matrix(s.a.node), plan.m_tiles, plan.k_tiles);
    const host::Buffer b = upload(matrix(s.b.node), plan.k_tiles, plan.n_tiles);
    const host::Buffer c = allocate(std::uint64_t{plan.m_tiles} * plan.n_tiles);
    launch(kernels::matmul_program(plan, chip_.layout(), workers_, {a.address(), b.address(), c.address()}));
    download(c, s.result, plan.n_tiles);
    return {.what = fmt::format("matmul {} @ {}", s.a.shape.text(), s.b.shape.text()), .cores = plan.cores()};
  }

  StageReport execute(const ElementwiseStage& s) {
    kernels::ElementwiseBuffers addresses;
    std::vector<host::Buffer> buffers;
    const Shape shape = graph_.item(s.result).shape;
    const Tensor frame{shape.rows, shape.columns, options_.format, {}};
    for (const Operand& operand : s.operands) {
      buffers.push_back(upload(repeated(matrix(operand.node), operand.shape), frame.tile_rows(), frame.tile_columns()));
      addresses.inputs.push_back(buffers.back().address());
    }
    const host::Buffer output = allocate(frame.tiles());
    addresses.output = output.address();
    launch(kernels::elementwise_program(s.expression, options_.format, frame.tiles(), chip_.layout(), workers_, addresses));
    download(output, s.result, frame.tile_columns());
    const kernels::vector::Emitted code = kernels::vector_code(s.expression, options_.format);
    return {.what = s.expression.text(),
            .cores = std::min(frame.tiles(), static_cast<std::uint32_t>(workers_.size())),
            .vector_instructions = static_cast<std::uint32_t>(code.words.size()),
            .spills = code.spills};
  }

  StageReport execute(const ReduceStage& s) {
    const Tensor& a = matrix(s.a.node);
    const kernels::ReduceShape shape{s.reduction, s.along, a.tile_rows(), a.tile_columns()};
    const bool maximum = s.reduction == kernels::Reduction::Maximum;
    const host::Buffer input =
        upload(a, a.tile_rows(), a.tile_columns(), maximum ? -std::numeric_limits<float>::infinity() : 0.0f);
    const host::Buffer output = allocate(shape.outputs());
    launch(kernels::reduce_program(shape, options_.format, chip_.layout(), workers_, static_cast<std::uint32_t>(input.address()),
                                   static_cast<std::uint32_t>(output.address())));
    const bool rows = s.along == kernels::Along::Row;
    download(output, s.result, rows ? 1 : shape.tile_columns);
    return {.what = fmt::format("{} of each {} of {}", maximum ? "maximum" : "sum", rows ? "row" : "column", s.a.shape.text()),
            .cores = std::min(shape.outputs(), static_cast<std::uint32_t>(workers_.size()))};
  }

  StageReport execute(const TransposeStage& s) {
    const Tensor& a = matrix(s.a.node);
    const host::Buffer input = upload(a, a.tile_rows(), a.tile_columns());
    const host::Buffer output = allocate(a.tiles());
    launch(kernels::transpose_program(a.tile_rows(), a.tile_columns(), chip_.layout(), workers_, static_cast<std::uint32_t>(input.address()),
                                      static_cast<std::uint32_t>(output.address())));
    download(output, s.result, a.tile_rows());
    return {.what = fmt::format("transpose of {}", s.a.shape.text()), .cores = std::min(a.tiles(), static_cast<std::uint32_t>(workers_.size()))};
  }

  const Graph& graph_;
  const Inputs& inputs_;
  host::Chip& chip_;
  const RunOptions& options_;
  std::span<const arch::NocCoord> workers_;
  std::map<Graph::Node, Tensor> made_;
};

}  // namespace

Tensor run(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options, std::vector<StageReport>* reports) {
  return Runner(graph, inputs, chip, options).run(reports);
}

}  // namespace kerr::graph
