#include "host/program/running.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace kerr::host {
namespace {

const PlacedKernel* kernel_at(const RunningProgram::Group& group, int hart, uint32_t pc) {
  for (const PlacedKernel& kernel : group.kernels) {
    if (static_cast<int>(kernel.hart) == hart && pc - kernel.text_address < kernel.image->segments[0].memory_bytes) {
      return &kernel;
    }
  }
  return nullptr;
}

// The line of one agent, or nothing if it is idle firmware.
std::string line_of(const RunningProgram::Group& group, const DeviceStatus::Waiting& waiting) {
  if (waiting.hart < 0) return fmt::format("    {:<7} {}\n", waiting.agent, waiting.text);
  const PlacedKernel* kernel = kernel_at(group, waiting.hart, waiting.pc);
  if (kernel == nullptr) return {};
  std::string line = fmt::format("    {:<7} kernel '{}' {}", waiting.agent, kernel->image->name, waiting.text);
  const std::string place =
      kernel->image->describe(waiting.pc - kernel->text_address + kernel->image->segments[0].address);
  if (!place.empty()) line += "\n            at " + place;
  return line + "\n";
}

}  // namespace

RunningProgram::RunningProgram(const Program& program, const LaunchPlan& plan) : name(program.name()) {
  for (const KernelGroup& group : plan.groups) groups.push_back({group.cores, group.kernels});
}

std::string explain(const RunningProgram& program, const std::function<bool(arch::NocCoord)>& is_done,
                    const DeviceStatus& status) {
  std::map<arch::NocCoord, std::vector<const DeviceStatus::Waiting*>> by_tile;
  for (const DeviceStatus::Waiting& waiting : status.waiting) by_tile[waiting.tile].push_back(&waiting);
  std::vector<std::pair<std::string, std::vector<arch::NocCoord>>> alike;  // lines, and the cores they are true of
  for (const RunningProgram::Group& group : program.groups) {
    for (arch::NocCoord core : group.cores) {
      if (is_done(core)) continue;
      std::string lines;
      for (const DeviceStatus::Waiting* waiting : by_tile[core]) lines += line_of(group, *waiting);
      if (lines.empty()) continue;
      auto same = std::find_if(alike.begin(), alike.end(), [&](const auto& a) { return a.first == lines; });
      if (same == alike.end()) same = alike.insert(alike.end(), {lines, {}});
      same->second.push_back(core);
    }
  }
  std::string out;
  for (const auto& [lines, cores] : alike) {
    out += fmt::format("  core ({},{})", cores[0].x, cores[0].y);
    if (cores.size() > 1) out += fmt::format(" and {} more alike", cores.size() - 1);
    out += "\n" + lines;
  }
  return out.empty() ? out : fmt::format("program '{}' is stuck:\n{}", program.name, out);
}

}  // namespace kerr::host
