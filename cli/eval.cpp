#include "cli/eval.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "cli/progress.hpp"
#include "cli/remarks.hpp"
#include "graph/functions.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "graph/stages.hpp"
#include "host/chip.hpp"
#include "host/cq/command_queue.hpp"
#include "isa/disassembler.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace kerr::cli {

namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;  // of one matrix

std::optional<std::uint32_t> whole(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "512x1024", or "768": one row; perhaps ":int32" behind it.
graph::Matrix matrix_of(std::string_view name, std::string_view text) {
  std::optional<kernels::Format> format;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view word = text.substr(colon + 1);
    format = kernels::format_named(word);
    if (!format) {
      std::string all;
      for (const kernels::FormatInfo& known : kernels::kFormats) all += fmt::format(" {}", known.name);
      throw std::invalid_argument(fmt::format("--{}: no format is named '{}'; there are{}", name, word, all));
    }
    text = text.substr(0, colon);
  }
  const std::size_t x = text.find('x');
  const auto rows = x == std::string_view::npos ? std::optional<std::uint32_t>(1) : whole(text.substr(0, x));
  const auto columns = whole(x == std::string_view::npos ? text : text.substr(x + 1));
  if (!rows || !columns)
    throw std::invalid_argument(fmt::format(
        "--{} {}: a shape is written ROWSxCOLUMNS, or COLUMNS for one row, and perhaps :FORMAT", name, text));
  if (std::uint64_t{*rows} * *columns > kMostElements) {
    throw std::invalid_argument(fmt::format("--{} {}: more than {} elements", name, text, kMostElements));
  }
  return {{*rows, *columns}, format};
}

Shapes read_shapes(const std::vector<std::string>& words) {
  Shapes shapes;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view option = words[i];
    if (!option.starts_with("--") || option.size() < 3)
      throw std::invalid_argument(fmt::format("'{}' is not expected.  Try 'kerr eval --help'.", option));
    if (i + 1 == words.size())
      throw std::invalid_argument(fmt::format("{} needs a shape, as in '{} 512x1024'", option, option));
    shapes.insert_or_assign(std::string(option.substr(2)), matrix_of(option.substr(2), words[i + 1]));
  }
  return shapes;
}

struct Outcome {
  graph::Shape shape;
  graph::Agreement agreement;
  std::vector<graph::StageReport> stages;
  std::uint64_t device_cycles = 0, hash = 0, remarks = 0;
  double run_s = 0;
};

Outcome evaluate(const EvalRequest& request, const graph::Graph& graph, const graph::Inputs& inputs) {
  Progress progress(false);
  progress.step("booting " + request.device.label());
  const OpenDevice device = open_device(request.device);
  host::Chip chip(*device.device, device.chip_options);
  std::optional<host::CommandQueue> queue;
  if (!request.slow_dispatch) queue.emplace(chip);

  Outcome out;
  std::uint64_t cycles = 0;
  const auto launch = [&](const host::Program& program) {
    const std::uint64_t before = device.cycles();
    if (queue) {
      queue->enqueue(program);
      queue->finish();
    } else {
      chip.run(program);
    }
    cycles += device.cycles() - before;
  };
  progress.step("running");
  const Stopwatch run;
  const graph::RunOptions options{
      .format = request.format, .matmul = request.matmul, .cores = request.cores, .launch = launch};
  const graph::Tensor result = graph::run(graph, inputs, chip, options, &out.stages);
  out.run_s = run.seconds();
  out.device_cycles = cycles;
  out.remarks = count_of_remarks(device);
  say_remarks(device);
  out.shape = {result.rows, result.columns};
  out.hash = graph::hash(result);
  progress.step("checking against float64");
  out.agreement = graph::check(graph, inputs, result, options);
  return out;
}

void print_text(const EvalRequest& request, const Outcome& o) {
  fmt::print("{}\n", request.expression);
  fmt::print("  result        {} {}\n", o.shape.text(), kernels::info(o.agreement.format).name);
  for (const graph::StageReport& stage : o.stages) {
    fmt::print("  program       {} on {} core{}", stage.what, stage.cores, stage.cores == 1 ? "" : "s");
    if (stage.vector_instructions != 0)
      fmt::print(", {} vector instructions for 32 elements", stage.vector_instructions);
    if (stage.spills != 0) fmt::print(", {} values kept in Dst", stage.spills);
    if (stage.layouts != 0) fmt::print(", after {} that lay out tiles anew", stage.layouts);
    fmt::print("\n");
  }
  fmt::print("  device        {} cycles in all programs{}\n", o.device_cycles,
             request.device.exact_timing || !request.device.is_emulated() ? "" : " (relaxed timing: not a time)");
  fmt::print("  host          {:.2f} s\n", o.run_s);
  const graph::Agreement& a = o.agreement;
  fmt::print("  against float64: PCC {:.6f}, relative error {:.2e}, max error {:.3g}", a.pcc, a.relative_error,
             a.max_error);
  if (a.checked_rows < a.rows) fmt::print(" ({} of {} rows checked)", a.checked_rows, a.rows);
  fmt::print(
      "\n  bounds        {} of {} elements outside what their operations may be off, {:.2e} of the result in all",
      a.bounds->outside, a.bounds->elements, a.bounds->relative);
  if (a.bounds->unbounded != 0) fmt::print("; {} may be anything", a.bounds->unbounded);
  fmt::print("\n  hash          {:016x}\n", o.hash);
  fmt::print("{}\n", a.good() ? "verified"
                     : a.bounds->outside != 0
                         ? "NOT VERIFIED: the result is further from float64 than its operations explain"
                         : "NOT VERIFIED: its operations explain how far it is from float64, but it is "
                           "too far to tell right from wrong; try --format fp32");
}

void print_json(const EvalRequest& request, const Outcome& o) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const graph::StageReport& stage : o.stages) {
    programs.push_back({{"what", stage.what},
                        {"cores", stage.cores},
                        {"vector_instructions", stage.vector_instructions},
                        {"spills", stage.spills},
                        {"layouts", stage.layouts}});
  }
  const nlohmann::ordered_json json = {{"expression", request.expression},
                                       {"verified", o.agreement.good()},
                                       {"hash", fmt::format("{:016x}", o.hash)},
                                       {"shape", {o.shape.rows, o.shape.columns}},
                                       {"format", kernels::info(o.agreement.format).name},
                                       {"programs", programs},
                                       {"device_cycles", o.device_cycles},
                                       {"run_s", o.run_s},
                                       {"remarks", o.remarks},
                                       {"pcc", o.agreement.pcc},
                                       {"relative_error", o.agreement.relative_error},
                                       {"max_error", o.agreement.max_error},
                                       {"outside", o.agreement.bounds->outside},
                                       {"unbounded", o.agreement.bounds->unbounded},
                                       {"allowed_relative_error", o.agreement.bounds->relative},
                                       {"checked_rows", o.agreement.checked_rows}};
  fmt::print("{}\n", json.dump(2));
}

// What the vector unit executes, program by program.
void show(const graph::Graph& graph, const EvalRequest& request) {
  for (const graph::Stage& stage : graph::stages(graph, request.format, request.matmul)) {
    const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stage);
    if (!elementwise) continue;
    const kernels::vector::Emitted code = kernels::vector_code(elementwise->expression, elementwise->formats);
    fmt::print("{}: {} instructions for 32 elements\n", elementwise->expression.text(), code.words.size());
    for (const kernels::vector::Word& word : code.words) {
      const std::string text = isa::disassemble_tensix(word.word);
      word.remark.empty() ? fmt::print("  {}\n", text) : fmt::print("  {:<70} # {}\n", text, word.remark);
    }
  }
}

}  // namespace

graph::Graph parse_expression(const std::string& text, const std::vector<std::string>& shape_options,
                              kernels::Format format, Shapes* used) {
  Shapes shapes = read_shapes(shape_options);
  for (auto& [name, matrix] : shapes) {
    if (!matrix.format && kernels::is_integer(format)) matrix.format = format;
  }
  Shapes found_shapes;
  graph::Graph graph = graph::parse(text, [&](std::string_view name) {
    const auto found = shapes.find(name);
    if (found == shapes.end())
      throw std::invalid_argument(fmt::format("what shape has '{}'? Say '--{} ROWSxCOLUMNS'", name, name));
    return found_shapes.insert(*found).first->second;
  });
  for (const auto& [name, shape] : shapes) {
    if (!found_shapes.contains(name))
      throw std::invalid_argument(fmt::format("--{}: the expression has no '{}'", name, name));
  }
  if (used) *used = std::move(found_shapes);
  return graph;
}

int eval_command(const EvalRequest& request) {
  Shapes shapes;
  const graph::Graph graph = parse_expression(request.expression, request.shapes, request.format, &shapes);
  if (request.show) {
    show(graph, request);
    return 0;
  }
  graph::Inputs inputs;
  std::uint64_t seed = request.seed;
  for (const auto& [name, matrix] : shapes) {
    const kernels::Format format = matrix.format.value_or(request.format);
    const auto [rows, columns] = matrix.shape;
    // Between -1 and 1 there are too few integers.
    const bool unset = request.low == -1 && request.high == 1 && kernels::is_integer(format);
    inputs.emplace(name, unset ? graph::random_tensor(rows, columns, format, seed)
                               : graph::random_tensor(rows, columns, format, request.low, request.high, seed));
    seed += 0x9E3779B97F4A7C15u;
  }
  const Outcome outcome = evaluate(request, graph, inputs);
  request.json ? print_json(request, outcome) : print_text(request, outcome);
  return outcome.agreement.good() ? 0 : 1;
}

int operations_command() {
  const auto of = [](kernels::OperationTypes types) {
    return types == kernels::OperationTypes::Float     ? "floats"
           : types == kernels::OperationTypes::Integer ? "integers"
                                                       : "both";
  };
  fmt::print("{:<10}{:>10}  {:<14}{:>10}{:>10}  {}\n", "operation", "operands", "of", "bf16 ulp", "fp32 ulp", "where");
  for (const kernels::OperationInfo& o : kernels::operations()) {
    const auto ulps = [](double bound) { return bound == 0 ? std::string("exact") : fmt::format("{}", bound); };
    std::string where(o.domain);
    if (o.zero_below != -126)
      where += fmt::format("{}results below 2^{} may be 0", where.empty() ? "" : ", ", o.zero_below);
    fmt::print("{:<10}{:>10}  {:<14}{:>10}{:>10}  {}\n", o.name, o.sources, of(o.types), ulps(o.bf16_ulp),
               ulps(o.fp32_ulp), where);
  }
  fmt::print(
      "Results of integers, of 32 bits, are exact.\nOf whole matrices: {}\n  maxima and minima are exact; of sums and "
      "means of up to 200 numbers of one sign the relative error is at most 0.004 in bf16, 2e-7 in fp32\nOthers: {}\n",
      graph::kFunctions, graph::kOtherFunctions);
  return 0;
}

}  // namespace kerr::cli
