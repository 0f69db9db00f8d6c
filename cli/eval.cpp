#include "cli/eval.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/messages.hpp"
#include "cli/progress.hpp"
#include "cli/remarks.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "graph/functions.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "graph/stages.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/disassembler.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

constexpr uint64_t kMostElements = uint64_t{1} << 28;  // of one matrix

std::optional<uint32_t> whole(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0.1..4", of numbers as "-1e3" too.
std::optional<graph::Range> range_of(std::string_view name, std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto number = [&](std::string_view digits) {
    float value = 0;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("--{}: a range is written LOW..HIGH, as 0.1..4 or -1e3..1e3, not '{}'", name, text));
    return value;
  };
  const graph::Range range{number(text.substr(0, dots)), number(text.substr(dots + 2))};
  if (range.low > range.high)
    throw std::invalid_argument(fmt::format("--{}: the range {} begins above its end", name, text));
  return range;
}

// "512x1024", or "768": one row; perhaps ":int32" and ":0..9" behind it.
NamedOperand operand_of(std::string_view name, std::string_view text) {
  NamedOperand operand{graph::Matrix(graph::Shape{}), {}};
  while (text.find(':') != std::string_view::npos) {
    const size_t colon = text.rfind(':');
    const std::string_view word = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (const auto range = range_of(name, word)) {
      if (operand.range) throw std::invalid_argument(fmt::format("--{}: a range is given twice", name));
      operand.range = range;
      continue;
    }
    if (const auto format = kernels::format_named(word)) {
      if (operand.matrix.format) throw std::invalid_argument(fmt::format("--{}: a format is given twice", name));
      operand.matrix.format = format;
      continue;
    }
    std::string all;
    for (const kernels::FormatInfo& known : kernels::kFormats) all += fmt::format(" {}", known.name);
    throw std::invalid_argument(
        fmt::format("--{}: no format is named '{}'; there are{}, and ranges are written LOW..HIGH", name, word, all));
  }
  const size_t x = text.find('x');
  const auto rows = x == std::string_view::npos ? std::optional<uint32_t>(1) : whole(text.substr(0, x));
  const auto columns = whole(x == std::string_view::npos ? text : text.substr(x + 1));
  if (!rows || !columns)
    throw std::invalid_argument(fmt::format(
        "--{} {}: a shape is written ROWSxCOLUMNS, or COLUMNS for one row, and perhaps :FORMAT and :LOW..HIGH", name,
        text));
  if (uint64_t{*rows} * *columns > kMostElements) {
    throw std::invalid_argument(fmt::format("--{} {}: more than {} elements", name, text, kMostElements));
  }
  operand.matrix.shape = {*rows, *columns};
  return operand;
}

Shapes read_shapes(const std::vector<std::string>& words) {
  Shapes shapes;
  for (size_t i = 0; i < words.size(); i += 2) {
    const std::string_view option = words[i];
    if (!option.starts_with("--") || option.size() < 3)
      throw std::invalid_argument(fmt::format("'{}' is not expected.  Try 'kerr eval --help'.", option));
    if (i + 1 == words.size())
      throw std::invalid_argument(fmt::format("{} needs a shape, as in '{} 512x1024'", option, option));
    shapes.insert_or_assign(std::string(option.substr(2)), operand_of(option.substr(2), words[i + 1]));
  }
  return shapes;
}

// The format of each operand: its own, that of all, or the one that the expression is made for.
std::map<std::string, graph::Range, std::less<>> ranges(const EvalRequest& request, const graph::Graph& graph,
                                                        const Shapes& shapes) {
  std::map<std::string, graph::Range, std::less<>> all;
  if (!request.low && !request.high) all = graph::domains(graph);
  for (const auto& [name, operand] : shapes) {
    if (operand.range) {
      all.insert_or_assign(name, *operand.range);
    } else if (request.low || request.high) {
      all.insert_or_assign(
          name, graph::Range{request.low.value_or(kUsualRange.low), request.high.value_or(kUsualRange.high)});
    }
  }
  return all;
}

// Whole numbers that a format holds, of which a range must have some and nothing else.
void check_range(std::string_view name, kernels::Format format, const graph::Range& range) {
  const double most = format == kernels::Format::Int8     ? 127
                      : format == kernels::Format::Uint8  ? 255
                      : format == kernels::Format::Int16  ? 32767
                      : format == kernels::Format::Uint16 ? 65535
                                                          : 2147483647;
  const bool is_signed = format != kernels::Format::Uint8 && format != kernels::Format::Uint16;
  const double least = is_signed ? -most : 0;
  if (range.low < least - 1 || range.high > most + 1)
    throw std::invalid_argument(fmt::format("'{}' is to have numbers from {} to {}, and {} holds {:.0f} to {:.0f}",
                                            name, range.low, range.high, kernels::info(format).name, least, most));
  if (std::ceil(range.low) > std::floor(range.high))
    throw std::invalid_argument(fmt::format("'{}' is to have numbers of {} from {} to {}, where there is none", name,
                                            kernels::info(format).name, range.low, range.high));
}

struct Outcome {
  graph::Shape shape;
  graph::Agreement agreement;
  std::vector<graph::StageReport> stages;
  uint64_t device_cycles = 0, hash = 0, remarks = 0;
  double run_s = 0;
  std::map<std::string, graph::Range, std::less<>> derived;  // ranges of operands that nobody has given
  Advice advice;
};

Outcome evaluate(const EvalRequest& request, const graph::Graph& graph, const graph::Inputs& inputs) {
  Progress progress(false);
  progress.step("booting " + request.device.label());
  const OpenDevice device = open_device(request.device);
  host::Chip chip(*device.device, device.chip_options);
  std::optional<host::CommandQueue> queue;
  if (!request.slow_dispatch) queue.emplace(chip);

  Outcome out;
  uint64_t cycles = 0;
  const auto launch = [&](const host::Program& program) {
    const uint64_t before = device.cycles();
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
  for (const auto& [name, range] : o.derived)
    fmt::print("  operand {:<6}from {} to {}, for which the expression is made\n", name, range.low, range.high);
  fmt::print("{}  hash          {:016x}\n{}\n", agreement_text(a), o.hash, verdict_text(a, o.advice));
}

void print_json(const EvalRequest& request, const Outcome& o) {
  report::Json programs = report::Json::array();
  for (const graph::StageReport& stage : o.stages) {
    programs.push_back({{"what", stage.what},
                        {"cores", stage.cores},
                        {"vector_instructions", stage.vector_instructions},
                        {"spills", stage.spills},
                        {"layouts", stage.layouts}});
  }
  report::Json json = {{"expression", request.expression}};
  add_verdict(json, o.agreement);
  json.update({{"hash", fmt::format("{:016x}", o.hash)},
               {"shape", {o.shape.rows, o.shape.columns}},
               {"format", kernels::info(o.agreement.format).name},
               {"programs", programs},
               {"device_cycles", o.device_cycles},
               {"run_s", o.run_s},
               {"remarks", o.remarks}});
  write_json(json);
}

// What the vector unit executes, program by program.
void show(const graph::Graph& graph, const EvalRequest& request) {
  report::Json programs = report::Json::array();
  bool any = false;
  for (const graph::Stage& stage : graph::stages(graph, request.format, request.matmul)) {
    const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stage);
    if (!elementwise) continue;
    const kernels::vector::Emitted code = kernels::vector_code(elementwise->expression, elementwise->formats);
    any = true;
    if (request.json) {
      report::Json words = report::Json::array();
      for (const kernels::vector::Word& word : code.words)
        words.push_back({{"word", word.word}, {"text", isa::disassemble_tensix(word.word)}, {"remark", word.remark}});
      programs.push_back({{"expression", elementwise->expression.text()}, {"words", std::move(words)}});
      continue;
    }
    fmt::print("{}: {} instructions for 32 elements\n", elementwise->expression.text(), code.words.size());
    for (const kernels::vector::Word& word : code.words) {
      const std::string text = isa::disassemble_tensix(word.word);
      word.remark.empty() ? fmt::print("  {}\n", text) : fmt::print("  {:<70} # {}\n", text, word.remark);
    }
  }
  if (!any) say("no program of it computes element by element.  'kerr kernel show' prints the others.");
  if (request.json) write_json("programs", std::move(programs));
}

}  // namespace

graph::Graph parse_expression(const std::string& text, const std::vector<std::string>& shape_options,
                              kernels::Format format, Shapes* used) {
  Shapes shapes = read_shapes(shape_options);
  for (auto& [name, operand] : shapes) {
    if (!operand.matrix.format && kernels::is_integer(format)) operand.matrix.format = format;
  }
  Shapes found_shapes;
  graph::Graph graph = graph::parse(text, [&](std::string_view name) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) {
      if (name == "inf" || name == "nan") throw std::invalid_argument("infinity is written 1/0, and NaN 0/0");
      throw std::invalid_argument(fmt::format("what shape has '{}'? Say '--{} ROWSxCOLUMNS'", name, name));
    }
    return found_shapes.insert(*found).first->second.matrix;
  });
  for (const auto& [name, operand] : shapes) {
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
  (void)graph::stages(graph, request.format, request.matmul);  // what cannot be planned is refused before a chip is booted
  const auto given = ranges(request, graph, shapes);
  graph::Inputs inputs;
  uint64_t seed = request.seed;
  for (const auto& [name, operand] : shapes) {
    const kernels::Format format = operand.matrix.format.value_or(request.format);
    const auto [rows, columns] = operand.matrix.shape;
    const auto range = given.find(name);
    if (operand.range && kernels::is_integer(format)) check_range(name, format, *operand.range);
    // Between -1 and 1, and in other ranges that are derived, there are too few integers.
    const bool wide =
        range == given.end() || (kernels::is_integer(format) && !operand.range && !request.low && !request.high);
    inputs.emplace(name,
                   wide ? graph::random_tensor(rows, columns, format, seed)
                        : graph::random_tensor(rows, columns, format, range->second.low, range->second.high, seed));
    seed += 0x9E3779B97F4A7C15u;
  }
  Outcome outcome = evaluate(request, graph, inputs);
  if (!request.low && !request.high) outcome.derived = graph::domains(graph);
  outcome.advice = {.fp32 = request.matmul.fp32_accumulate || request.format == kernels::Format::Fp32,
                    .fidelity = request.matmul.fidelity,
                    .format = request.format != kernels::Format::Fp32 && !kernels::is_integer(request.format)};
  for (graph::Graph::Node node = 0; node < graph.size(); ++node)
    outcome.advice.product = outcome.advice.product || graph.item(node).kind == graph::Graph::Item::Kind::Matmul;
  for (const auto& [name, operand] : shapes) {
    if (operand.range) outcome.derived.erase(name);
    if (!operand.range && !request.low && !request.high && outcome.advice.range.empty()) outcome.advice.range = name;
  }
  request.json ? print_json(request, outcome) : print_text(request, outcome);
  return outcome.agreement.good() ? 0 : 1;
}

int operations_command(bool json) {
  const auto of = [](kernels::OperationTypes types) {
    return types == kernels::OperationTypes::Float     ? "floats"
           : types == kernels::OperationTypes::Integer ? "integers"
                                                       : "both";
  };
  if (json) {
    report::Json list = report::Json::array();
    for (const kernels::OperationInfo& o : kernels::operations()) {
      list.push_back({{"operation", o.name},
                      {"operands", o.sources},
                      {"of", of(o.types)},
                      {"bf16_ulp", o.bf16_ulp},
                      {"fp32_ulp", o.fp32_ulp},
                      {"domain", o.domain},
                      {"may_be_zero_below_2_to", o.zero_below}});
    }
    write_json({{"operations", list}, {"of_matrices", graph::kFunctions}, {"others", graph::kOtherFunctions}});
    return 0;
  }
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
