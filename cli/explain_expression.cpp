#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "cli/explain.hpp"
#include "cli/version.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

std::string hart(const jobs::PlannedProgram::Kernel& kernel) {
  return std::string(arch::kHartNames[static_cast<size_t>(kernel.hart)]);
}

report::Json json_of(const jobs::EvalPlan& plan) {
  report::Json stages = report::Json::array(), programs = report::Json::array();
  for (const graph::StageReport& stage : plan.stages) {
    stages.push_back({{"what", stage.what},
                      {"cores", stage.cores},
                      {"vector_instructions", stage.vector_instructions},
                      {"spills", stage.spills},
                      {"layouts", stage.layouts}});
  }
  for (const jobs::PlannedProgram& program : plan.programs) {
    report::Json kernels = report::Json::array(), buffers = report::Json::array();
    for (const auto& kernel : program.kernels)
      kernels.push_back({{"name", kernel.name}, {"hart", hart(kernel)}, {"bytes", kernel.bytes}});
    for (const auto& buffer : program.circular_buffers)
      buffers.push_back({{"id", buffer.id}, {"pages", buffer.pages}, {"page_bytes", buffer.page_bytes}});
    programs.push_back({{"name", program.name},
                        {"cores", program.cores},
                        {"l1_bytes", program.l1_bytes},
                        {"kernels", std::move(kernels)},
                        {"circular_buffers", std::move(buffers)}});
  }
  return {{"stages", std::move(stages)}, {"programs", std::move(programs)}};
}

void print(const jobs::PlannedProgram& program) {
  fmt::print("  program {} on {} core{}, {:.1f} KiB of L1 each\n", program.name, program.cores,
             program.cores == 1 ? "" : "s", program.l1_bytes / 1024.0);
  for (const auto& kernel : program.kernels)
    fmt::print("    {:<8}{}, {} bytes\n", hart(kernel), kernel.name, kernel.bytes);
  for (const auto& buffer : program.circular_buffers)
    fmt::print("    buffer {:<2}{} pages of {} bytes\n", buffer.id, buffer.pages, buffer.page_bytes);
}

}  // namespace

int explain(const std::string& expression, const jobs::EvalJob& job, bool as_json) {
  const jobs::EvalPlan plan = jobs::explain(job);
  if (as_json) {
    report::Json json = json_of(plan);
    json["expression"] = expression;
    write_json(std::move(json));
    return 0;
  }
  fmt::print("{} on {}: nothing is run\n", expression, job.device.emulator.boards.front().name);
  for (const graph::StageReport& stage : plan.stages) {
    fmt::print("  step          {} on {} core{}", stage.what, stage.cores, stage.cores == 1 ? "" : "s");
    if (stage.vector_instructions != 0)
      fmt::print(", {} vector instructions for 32 elements", stage.vector_instructions);
    if (stage.spills != 0) fmt::print(", {} values kept in Dst", stage.spills);
    if (stage.layouts != 0) fmt::print(", after {} that lay out tiles anew", stage.layouts);
    fmt::print("\n");
  }
  fmt::print("{} programs, in their order:\n", plan.programs.size());
  for (const jobs::PlannedProgram& program : plan.programs) print(program);
  return 0;
}

}  // namespace kerr::cli
