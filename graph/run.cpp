#include "graph/run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "graph/programs.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace kerr::graph {

namespace {

// Rows and columns of one element repeated.
Tensor repeated(const Tensor& t, Shape shape) {
  if (t.rows == shape.rows && t.columns == shape.columns) return t;
  Tensor out{shape.rows, shape.columns, t.format, {}};
  out.values.reserve(std::size_t{shape.rows} * shape.columns);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    const float* from = &t.values[t.rows == 1 ? 0 : std::size_t{row} * t.columns];
    for (std::uint32_t column = 0; column < shape.columns; ++column)
      out.values.push_back(from[t.columns == 1 ? 0 : column]);
  }
  return out;
}

class Runner {
 public:
  Runner(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options)
      : graph_(graph),
        inputs_(inputs),
        chip_(chip),
        options_(options),
        target_{chip.layout(), chip.workers(), options.format, options.matmul} {
    if (options.cores != 0 && options.cores < target_.workers.size())
      target_.workers = target_.workers.first(options.cores);
  }

  Tensor run(std::vector<StageReport>* reports) {
    check_inputs();
    const std::vector<Stage> all = stages(graph_, kernels::dst_tiles(options_.format), options_.matmul);
    for (const Stage& stage : all) {  // what would be refused later, before anything runs
      program(graph_, stage, target_, std::vector<std::uint32_t>(operands(stage).size()), 0);
    }
    for (const Stage& stage : all) {
      StageReport report = execute(stage);
      if (reports) reports->push_back(std::move(report));
    }
    return std::move(made_.at(graph_.result()));
  }

 private:
  void check_inputs() const {
    for (Graph::Node node = 0; node < graph_.size(); ++node) {
      const Graph::Item& item = graph_.item(node);
      if (item.kind != Graph::Item::Kind::Input) continue;
      const auto found = inputs_.find(item.name);
      if (found == inputs_.end()) throw std::invalid_argument(fmt::format("no matrix is given for '{}'", item.name));
      const Tensor& t = found->second;
      if (t.rows != item.shape.rows || t.columns != item.shape.columns || t.format != options_.format) {
        throw std::invalid_argument(
            fmt::format("'{}' is not {} of the format that was asked for", item.name, item.shape.text()));
      }
    }
  }

  const Tensor& matrix(Graph::Node node) const {
    const Graph::Item& item = graph_.item(node);
    return item.kind == Graph::Item::Kind::Input ? inputs_.find(item.name)->second : made_.at(node);
  }

  host::Buffer allocate(const TileGrid& grid) {
    const std::uint32_t page = kernels::tile_bytes(grid.format.value_or(options_.format));
    return chip_.allocate(host::Memory::kDram, std::uint64_t{grid.rows} * grid.columns * page, page);
  }

  StageReport execute(const Stage& stage) {
    const StagePlan p = plan(graph_, stage, target_);
    std::vector<host::Buffer> buffers;
    std::vector<std::uint32_t> addresses;
    for (std::size_t i = 0; const Operand& operand : operands(stage)) {
      const TileGrid& grid = p.inputs[i++];
      buffers.push_back(allocate(grid));
      Tensor tensor = repeated(matrix(operand.node), operand.shape);
      tensor.format = grid.format.value_or(tensor.format);
      chip_.write(buffers.back(), to_tiles(tensor, grid.rows, grid.columns, grid.padding));
      addresses.push_back(buffers.back().address());
    }
    const host::Buffer output = allocate(p.output);
    const host::Program made = program(graph_, stage, target_, addresses, output.address());
    options_.launch ? options_.launch(made) : chip_.run(made);

    std::vector<std::byte> tiles(output.bytes());
    chip_.read(output, tiles);
    const Shape shape = graph_.item(result(stage)).shape;
    Tensor tensor{shape.rows, shape.columns, options_.format, {}};
    from_tiles(tiles, p.output.columns, tensor);
    made_.emplace(result(stage), std::move(tensor));

    StageReport report{.what = p.what, .cores = p.cores};
    if (const auto* elementwise = std::get_if<ElementwiseStage>(&stage)) {
      const kernels::vector::Emitted code = kernels::vector_code(elementwise->expression, options_.format);
      report.vector_instructions = static_cast<std::uint32_t>(code.words.size());
      report.spills = code.spills;
    }
    return report;
  }

  const Graph& graph_;
  const Inputs& inputs_;
  host::Chip& chip_;
  const RunOptions& options_;
  Target target_;
  std::map<Graph::Node, Tensor> made_;
};

}  // namespace

Tensor run(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options,
           std::vector<StageReport>* reports) {
  return Runner(graph, inputs, chip, options).run(reports);
}

}  // namespace kerr::graph
