#include "graph/run.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "graph/programs.hpp"
#include "graph/transfer.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace kerr::graph {

namespace {

// A matrix in DRAM, as tiles.
struct Resident {
  host::Buffer buffer;
  Laid laid;
};

Shape all_of(TileGrid tiles) { return {kTileDim * tiles.rows, kTileDim * tiles.columns}; }

class Runner {
 public:
  Runner(const Graph& graph, const Inputs& inputs, const DeviceInputs& on_device, host::Chip& chip,
         const RunOptions& options)
      : graph_(graph),
        inputs_(inputs),
        on_device_(on_device),
        chip_(chip),
        options_(options),
        target_{chip.layout(), chip.workers(), options.matmul},
        floats_(kernels::is_integer(options.format) ? Format::Fp32 : options.format) {
    if (options.cores != 0 && options.cores < target_.workers.size())
      target_.workers = target_.workers.first(options.cores);
  }

  Tensor run(std::vector<StageReport>* reports) {
    const Place last = execute_all(reports);
    const Resident& there = resident_.at(last).front();
    const Shape shape = graph_.item(last.node).shape;
    Tensor tensor{shape.rows, shape.columns, last.format, {}};
    if (options_.without_numbers) return tensor;
    return graph::download(chip_, there.buffer, std::move(tensor), there.laid.grid.columns);
  }

  DeviceMatrix run_on_device(std::vector<StageReport>* reports) {
    const Place last = execute_all(reports);
    const Shape shape = graph_.item(last.node).shape;
    StageReport moved;
    address(last, {grid(shape)}, moved);
    if (reports) reports->back().layouts += moved.layouts;
    const Resident& there = *find(last, {grid(shape)});
    return {shape.rows, shape.columns, last.format, there.buffer, there.laid.padding};
  }

 private:
  Place execute_all(std::vector<StageReport>* reports) {
    check_inputs();
    const std::vector<Stage> all = stages(graph_, options_.format, options_.matmul);
    for (const Stage& stage : all) {  // what would be refused later, before anything runs
      program(graph_, stage, target_, std::vector<uint32_t>(operands(stage).size()), 0);
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (options_.progress) options_.progress(i, all.size());
      StageReport report = execute(all[i]);
      if (reports) reports->push_back(std::move(report));
      forget_all_but(std::span(all).subspan(i + 1), result(all.back()));
    }
    return result(all.back());
  }

  void check_inputs() {
    for (Graph::Node node = 0; node < graph_.size(); ++node) {
      const Graph::Item& item = graph_.item(node);
      if (item.kind != Graph::Item::Kind::Input) continue;
      if (const auto there = on_device_.find(item.name); there != on_device_.end()) {
        const DeviceMatrix& m = there->second;
        check_input(item, {m.rows, m.columns}, m.format);
        keep({node, m.format}, {m.buffer, {.grid = grid(item.shape), .padding = m.padding}});
        continue;
      }
      const auto found = inputs_.find(item.name);
      if (found == inputs_.end()) throw std::invalid_argument(fmt::format("no matrix is given for '{}'", item.name));
      check_input(item, {found->second.rows, found->second.columns}, found->second.format);
    }
  }

  void check_input(const Graph::Item& item, Shape given, Format format) const {
    const Format wanted = item.format.value_or(floats_);
    if (given == item.shape && format == wanted) return;
    throw std::invalid_argument(fmt::format("'{}' is {} in {}, but {} in {} was asked for", item.name, given.text(),
                                            kernels::info(format).name, item.shape.text(), kernels::info(wanted).name));
  }

  const Tensor* on_host(const Graph::Item& item, Format format) const {
    const auto found = item.kind == Graph::Item::Kind::Input ? inputs_.find(item.name) : inputs_.end();
    return found != inputs_.end() && found->second.format == format ? &found->second : nullptr;
  }

  host::Buffer allocate(Format format, TileGrid tiles) { return graph::allocate(chip_, format, tiles.tiles()); }

  void launch(const host::Program& made) { options_.launch ? options_.launch(made) : chip_.run(made); }

  // ---- where matrices are

  const Resident* find(const Place& place, const Laid& wanted) const {
    const auto found = resident_.find(place);
    if (found == resident_.end()) return nullptr;
    const Shape shape = graph_.item(place.node).shape;
    for (const Resident& there : found->second) {
      const bool padded = !wanted.padding || there.laid.padding == wanted.padding || shape == all_of(wanted.grid);
      if (there.laid.grid == wanted.grid && there.laid.repeated == wanted.repeated && padded) return &there;
    }
    return nullptr;
  }

  // The buffer's name, for whoever watches the device.
  void name(const Resident& made, Graph::Node node) {
    const std::string& given = graph_.item(node).name;
    chip_.name(made.buffer, given.empty() ? fmt::format("result {}", node) : given);
  }

  const Resident& keep(const Place& place, Resident made) {
    std::vector<Resident>& all = resident_[place];
    all.push_back(std::move(made));
    return all.back();
  }

  // The address of the matrix laid out as wanted: inputs come from the host, all else is brought there on the device.
  uint32_t address(const Place& place, const Laid& wanted, StageReport& report) {
    if (const Resident* there = find(place, wanted)) return there->buffer.address();
    const Graph::Item& item = graph_.item(place.node);
    Resident made{allocate(place.format, wanted.grid), wanted};
    name(made, place.node);
    if (wanted.repeated && wanted.grid == grid(*wanted.repeated)) {
      launch(repeat_program(place.format, item.shape, *wanted.repeated, target_,
                            address(place, {grid(item.shape)}, report), made.buffer.address()));
      ++report.layouts;
      return keep(place, std::move(made)).buffer.address();
    }
    made.laid.padding = wanted.padding.value_or(0);
    if (wanted.repeated) {
      const Laid bare{.grid = grid(*wanted.repeated), .repeated = wanted.repeated};
      launch(relayout_program(place.format, *wanted.repeated, bare.grid, wanted, target_, address(place, bare, report),
                              made.buffer.address()));
      ++report.layouts;
    } else if (const Tensor* tensor = on_host(item, place.format)) {
      if (!options_.without_numbers)
        chip_.write(made.buffer,
                    to_tiles(*tensor, wanted.grid.rows, wanted.grid.columns, static_cast<float>(*made.laid.padding)));
    } else {
      const Resident& from = resident_.find(place)->second.front();
      const Shape known =  // of blocks whole tiles are, which make_blocks() has filled
          kernels::shares_exponents(place.format) ? all_of(grid(item.shape)) : item.shape;
      launch(relayout_program(place.format, known, from.laid.grid, wanted, target_, from.buffer.address(),
                              made.buffer.address()));
      ++report.layouts;
    }
    return keep(place, std::move(made)).buffer.address();
  }

  void forget_all_but(std::span<const Stage> to_come, const Place& last) {
    std::set<Place> used{last};
    for (const Stage& stage : to_come) {
      for (const Operand& operand : operands(stage)) used.insert(operand.place);
    }
    std::erase_if(resident_, [&](const auto& entry) { return !used.contains(entry.first); });
  }

  // ---- stages

  StageReport execute(const Stage& stage) {
    const StagePlan p = plan(graph_, stage, target_);
    StageReport report{.what = p.what, .cores = p.cores};
    std::vector<uint32_t> addresses;
    for (size_t i = 0; const Operand& operand : operands(stage))
      addresses.push_back(address(operand.place, p.inputs[i++], report));
    const Place place = result(stage);
    const auto* elementwise = std::get_if<ElementwiseStage>(&stage);
    if (elementwise && kernels::shares_exponents(place.format) && graph_.item(place.node).shape != all_of(p.output)) {
      make_blocks(*elementwise, p, addresses, report);
    } else {
      Resident made{allocate(place.format, p.output), {p.output}};
      name(made, place.node);
      launch(program(graph_, stage, target_, addresses, made.buffer.address()));
      keep(place, std::move(made));
    }
    if (elementwise) {
      const kernels::vector::Emitted code =
          kernels::vector_code(elementwise->expression, elementwise->formats, graph_.item(place.node).shape.columns);
      report.vector_instructions = static_cast<uint32_t>(code.words.size());
      report.spills = code.spills;
    }
    return report;
  }

  // What lies beside the matrix would share exponents with it: so it is made 0 in FP32 first.
  void make_blocks(const ElementwiseStage& stage, const StagePlan& p, const std::vector<uint32_t>& addresses,
                   StageReport& report) {
    ElementwiseStage in_fp32 = stage;
    in_fp32.formats.out = in_fp32.result.format = Format::Fp32;
    const host::Buffer raw = allocate(Format::Fp32, p.output), clean = allocate(Format::Fp32, p.output);
    launch(program(graph_, in_fp32, target_, addresses, raw.address()));
    launch(relayout_program(Format::Fp32, graph_.item(stage.result.node).shape, p.output, {p.output, 0.0}, target_,
                            raw.address(), clean.address()));
    ElementwiseStage to_blocks{.result = stage.result,
                               .expression = {},
                               .operands = {{{stage.result.node, Format::Fp32}, graph_.item(stage.result.node).shape}},
                               .formats = {Format::Fp32, stage.result.format}};
    to_blocks.expression.input(0);
    Resident made{allocate(stage.result.format, p.output), {p.output, 0.0}};
    name(made, stage.result.node);
    launch(program(graph_, to_blocks, target_, {clean.address()}, made.buffer.address()));
    keep(stage.result, std::move(made));
    report.layouts += 2;
  }

  const Graph& graph_;
  const Inputs& inputs_;
  const DeviceInputs& on_device_;
  host::Chip& chip_;
  const RunOptions& options_;
  Target target_;
  const Format floats_;
  std::map<Place, std::vector<Resident>> resident_;
};

}  // namespace

Tensor run(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options,
           std::vector<StageReport>* reports) {
  static const DeviceInputs kNone;
  return Runner(graph, inputs, kNone, chip, options).run(reports);
}

DeviceMatrix run_on_device(const Graph& graph, const Inputs& inputs, const DeviceInputs& on_device, host::Chip& chip,
                           const RunOptions& options, std::vector<StageReport>* reports) {
  return Runner(graph, inputs, on_device, chip, options).run_on_device(reports);
}

}  // namespace kerr::graph
