#include "cli/eval.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "cli/messages.hpp"
#include "cli/operands.hpp"
#include "cli/progress.hpp"
#include "cli/remarks.hpp"
#include "cli/verdict.hpp"
#include "cli/version.hpp"
#include "graph/stages.hpp"
#include "isa/disassembler.hpp"
#include "kernels/elementwise/elementwise.hpp"
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
    if (!operand.range && !job.range_given() && out.range.empty()) out.range = name;
  }
  return out;
}

void print_text(const EvalRequest& request, const jobs::EvalOutcome& o) {
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
             request.job.device.emulator.exact_timing || !request.job.device.is_emulated()
                 ? ""
                 : " (relaxed timing: not a time)");
  fmt::print("  host          {:.2f} s\n", o.run_s);
  const graph::Agreement& a = o.agreement;
  for (const auto& [name, range] : o.derived)
    fmt::print("  operand {:<6}from {} to {}, for which the expression is made\n", name, range.low, range.high);
  fmt::print("{}  hash          {:016x}\n{}\n", agreement_text(a), o.hash, verdict_text(a, advice(request.job)));
}

void print_json(const EvalRequest& request, const jobs::EvalOutcome& o) {
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
               {"remarks", o.remarks.kinds.size()}});
  write_json(json);
}

// What the vector unit executes, program by program.
void show(const EvalRequest& request) {
  const jobs::EvalJob& job = request.job;
  report::Json programs = report::Json::array();
  bool any = false;
  for (const graph::Stage& stage : graph::stages(job.graph, job.format, job.matmul)) {
    const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stage);
    if (!elementwise) continue;
    any = true;
    const kernels::vector::Emitted code = kernels::vector_code(elementwise->expression, elementwise->formats);
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

int eval_command(EvalRequest request) {
  jobs::EvalJob& job = request.job;
  job.graph = parse_expression(request.expression, request.shapes, job.format, &job.operands);
  if (request.show) {
    show(request);
    return 0;
  }
  job.device = request.device.spec;
  if (request.device.observe) job.watch = jobs::Watch::Events;
  const jobs::EvalOutcome outcome = [&] {
    Progress progress;
    return jobs::run(job, progress);
  }();
  say_remarks(outcome.remarks);
  request.json ? print_json(request, outcome) : print_text(request, outcome);
  return outcome.agreement.good() ? 0 : 1;
}

}  // namespace kerr::cli
