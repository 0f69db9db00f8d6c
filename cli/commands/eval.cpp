// kerr eval: an expression over random or given matrices, on the device and in float64.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/observing.hpp"
#include "cli/operands.hpp"
#include "cli/options.hpp"
#include "cli/result.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "graph/language/functions.hpp"
#include "graph/language/spellings.hpp"
#include "graph/stages.hpp"
#include "isa/disassembler.hpp"
#include "jobs/eval.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/expression/expression.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

Advice advice(const jobs::EvalJob& job) {
  Advice out{.fp32 = job.matmul.fp32_accumulate || job.format == kernels::Format::Fp32,
             .fidelity = job.matmul.fidelity,
             .format = job.format != kernels::Format::Fp32 && !kernels::is_integer(job.format)};
  for (graph::Graph::Node node = 0; node < job.graph.size(); ++node)
    out.product = out.product || job.graph.item(node).kind == graph::Graph::Item::Kind::Matmul;
  for (const auto& [name, operand] : job.operands) {
    if (!operand.range && !operand.own && !job.range_given() && out.range.empty()) out.range = name;
  }
  return out;
}

void print_text(const std::string& expression, const jobs::EvalJob& job, const jobs::EvalOutcome& o) {
  fmt::print("{}\n", expression);
  fmt::print("  result        {} {}\n", graph::Shape{o.result.rows, o.result.columns}.text(),
             kernels::info(o.agreement.format).name);
  for (const graph::StageReport& stage : o.stages) {
    fmt::print("  program       {} on {} core{}", stage.what, stage.cores, stage.cores == 1 ? "" : "s");
    if (stage.vector_instructions != 0)
      fmt::print(", {} vector instructions for 32 elements", stage.vector_instructions);
    if (stage.spills != 0) fmt::print(", {} values kept in Dst", stage.spills);
    if (stage.layouts != 0) fmt::print(", after {} that lay out tiles anew", stage.layouts);
    fmt::print("\n");
  }
  fmt::print("  device        {} cycles in all programs{}\n", o.device_cycles,
             job.device.emulator.exact() || !job.device.is_emulated() ? "" : " (relaxed timing: not a time)");
  fmt::print("  host          {:.2f} s\n", o.run_s);
  const graph::Agreement& a = o.agreement;
  for (const auto& [name, operand] : job.operands)
    if (operand.own) fmt::print("  operand {:<6}{}\n", name, jobs::text(*operand.own));
  for (const auto& [name, range] : o.derived)
    fmt::print("  operand {:<6}from {} to {}, for which the expression is made\n", name, range.low, range.high);
  fmt::print("{}  hash          {:016x}\n{}", agreement_text(a), o.hash,
             text(static_cast<const jobs::Observation&>(o)));
  if (!o.utilisations.empty()) fmt::print("    program by program:\n{}", text_of_programs(o, "    "));
  fmt::print("{}\n", verdict_text(a, advice(job)));
}

report::Json json_of_operands(const jobs::EvalJob& job) {
  report::Json out = report::Json::object();
  for (const auto& [name, operand] : job.operands)
    if (operand.own) out[name] = json(*operand.own);
  return out;
}

void print_json(const std::string& expression, const jobs::EvalJob& job, const jobs::EvalOutcome& o) {
  report::Json programs = report::Json::array();
  for (const graph::StageReport& stage : o.stages) {
    programs.push_back({{"what", stage.what},
                        {"cores", stage.cores},
                        {"vector_instructions", stage.vector_instructions},
                        {"spills", stage.spills},
                        {"layouts", stage.layouts}});
  }
  report::Json json = {{"expression", expression}};
  add_verdict(json, o.agreement);
  json.update({{"hash", fmt::format("{:016x}", o.hash)},
               {"shape", {o.result.rows, o.result.columns}},
               {"format", kernels::info(o.agreement.format).name},
               {"own_operands", json_of_operands(job)},
               {"programs", programs},
               {"device_cycles", o.device_cycles},
               {"launches", json_of_programs(o)},
               {"run_s", o.run_s}});
  add_observation(json, o);
  write_json(json);
}

// --vector-code: what the vector unit executes, program by program.
void print_vector_code(const jobs::EvalJob& job, bool json) {
  report::Json programs = report::Json::array();
  bool any = false;
  for (const graph::Stage& stage : graph::stages(job.graph, job.format, job.matmul)) {
    const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stage);
    if (!elementwise) continue;
    any = true;
    const kernels::vector::Emitted code = kernels::vector_code(elementwise->expression, elementwise->formats);
    if (json) {
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
  if (json) write_json("programs", std::move(programs));
}

// --operations: one line each: how many operands, how accurate.
int print_operations(bool json) {
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
    report::Json calls = report::Json::array(), spellings = report::Json::object();
    for (const graph::FunctionInfo& f : graph::functions())
      if (!f.usage.empty()) calls.push_back(f.usage);
    for (const graph::OperationSpelling& s : graph::operation_spellings())
      spellings[s.name] = kernels::info(s.operation).name;
    write_json({{"operations", list}, {"functions", calls}, {"spellings", spellings}});
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
  std::string calls = "Functions: ",
              spellings = "Other names of operations, which may stand behind np., torch. or ttnn.: ";
  for (const graph::FunctionInfo& f : graph::functions())
    if (!f.usage.empty()) calls += (calls.ends_with(' ') ? "" : ", ") + std::string(f.usage);
  for (const graph::OperationSpelling& o : graph::operation_spellings())
    spellings +=
        fmt::format("{}{} = {}", spellings.ends_with(": ") ? "" : ", ", o.name, kernels::info(o.operation).name);
  for (const std::string& paragraph :
       {std::string("Results of integers, of 32 bits, are exact."), calls,
        std::string(
            "Maxima and minima are exact; of sums and means of up to 200 numbers of one sign the relative error is at "
            "most 0.004 in bf16, 2e-7 in fp32."),
        spellings})
    fmt::print("{}\n", wrapped(paragraph, terminal_columns(), 0, 2));
  return 0;
}

class Eval final : public Command {
  void declare(Syntax& syntax) override {
    syntax.expression(
        "EXPRESSION", expression_, shapes_,
        "as Python and NumPy write it: names, numbers, + - * / // % ** @, & | ^ ~ << >>, comparisons, and, or, "
        "not, a if c else b, x.T, x[0:32], calls: max(x, axis=1), x.mean(), np.exp(x)");
    device_.declare(syntax);
    syntax.group("Matrices and arithmetic");
    add_element_format(syntax, job_.format);
    add_seed(syntax, job_.seed);
    syntax.real("--low", job_.low,
                "least random number (default: -1, or what the expression's logarithms and roots are made for)");
    syntax.real("--high", job_.high, "their end (default 1)");
    add_fidelity(syntax, job_.matmul);
    syntax.group("Plan and launch");
    add_cores(syntax, job_.cores);
    add_slow_dispatch(syntax, job_.slow_dispatch);
    syntax.group("Output");
    syntax.flag("--json", json_, "print the report as JSON");
    result_.declare(syntax);
    observing_.declare(syntax);
    observing_.declare_explain(syntax, {"--out", "--show"});
    syntax.flag("--vector-code", vector_code_, "only print what the vector unit would execute").excludes({"--explain"});
    syntax.flag("--operations", list_operations_, "only list the operations and how accurate they are");
    syntax.footer(
        "Each name gets its shape by an option of that name: --a 512x1024, or --c 768 for one row; perhaps its format: "
        "--n 64x64:int32, and the\nrange of its random numbers: --x 64x64:-4..4.\n"
        "Or it gets your own numbers, from a file that NumPy has saved or a pipe: --a a.npy, --a a.npy:fp32, --a -.\n"
        "An expression may begin with a sign: kerr eval -x --x 64x64, or kerr eval --x 64x64 -- -x.\n"
        "One row, one column or one element fits a larger matrix. bf16(x), int32(x), bfp8(x) ... convert.\n"
        "Examples:\n"
        "  kerr eval \"gelu(a @ b + c)\" --a 512x1024 --b 1024x768 --c 768\n"
        "  kerr eval \"exp(x) / (1 + exp(x))\" --x 333x77 --format fp32 --low -20 --high 20\n"
        "  kerr eval \"softmax(q @ transpose(k) * 0.125) @ v\" --q 128x64 --k 96x64 --v 96x64\n"
        "  kerr eval \"where(x > y, sqrt(x), tanh(y))\" --x 64x64 --y 64x64 --vector-code\n"
        "  kerr eval \"fp32(n % 7 << 2) * random(64, 64, 1) + x\" --n 64x64:int32 --x 64x64 --format fp32\n"
        "  kerr eval \"a @ b\" --a a.npy --b b.npy --out y.npy --show\n"
        "  kerr eval \"softmax(x)\" --x 64x256 --timing exact --utilisation --trace run.json\n"
        "  kerr eval \"softmax(x)\" --x 64x256 --check\n"
        "Exit status: 0 verified, or right as far as it can be told; 1 wrong; 2 could not be run; with --check 3 an "
        "error of the checker.");
  }

  int run() override {
    if (list_operations_) return print_operations(json_);
    check();
    job_.graph = parse_expression(expression_, shapes_, job_.format, &job_.operands);
    if (vector_code_) {
      print_vector_code(job_, json_);
      return 0;
    }
    if (observing_.explain) return explain(expression_, job_, json_);
    Result result(result_);
    ObservedRun watched(observing_, job_.device, fmt::format("kerr eval \"{}\"", expression_));
    const jobs::EvalOutcome outcome = watched([this](jobs::Listener& listener) { return jobs::run(job_, listener); });
    watched.write(outcome);
    json_ ? print_json(expression_, job_, outcome) : print_text(expression_, job_, outcome);
    result.write(outcome.result);
    watched.check_recording(outcome);
    return watched.status(outcome.agreement.good() ? 0 : 1, outcome);
  }

  void check() {
    if (expression_.empty()) throw UsageError("EXPRESSION is required");
    const float low = job_.low.value_or(jobs::kUsualRange.low), high = job_.high.value_or(jobs::kUsualRange.high);
    if (low > high)
      throw UsageError(fmt::format("--low {} is above --high {}{}", low, high,
                                   job_.low && job_.high ? "" : ", of which one is the default"));
    job_.device = device_.spec;
    job_.observing = observing_.observing(device_);
    result_.check();
    std::vector<NamedFile> inputs = files_of(shapes_), outputs;
    observing_.add_inputs(inputs);
    check_standard_input(inputs);
    inputs.push_back({"--library", job_.device.library});
    inputs.push_back({"--timing-parameters", device_.timing_parameters_file});
    result_.add_output(outputs);
    observing_.add_outputs(outputs);
    check_files(inputs, outputs);
  }

  std::string expression_;
  Shapes shapes_;
  jobs::EvalJob job_;
  DeviceOptions device_;
  ObservingOptions observing_;
  ResultOptions result_;
  bool vector_code_ = false, list_operations_ = false;
};

}  // namespace

std::unique_ptr<Command> make_eval() { return std::make_unique<Eval>(); }

}  // namespace kerr::cli
