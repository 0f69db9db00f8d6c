#include "host/program/running.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "arch/stream_registers.hpp"

namespace kerr::host {
namespace {

// "circular buffer 3 (pages received)" for the address of a stream register that counts pages, or nothing.
std::string circular_buffer_of(const RunningProgram& program, uint32_t address) {
  const uint32_t offset = address - arch::kOverlayBase;
  const uint32_t stream = offset / arch::kStreamStride;
  const uint32_t buffer = stream - program.first_cb_stream;
  if (address < arch::kOverlayBase || buffer >= program.circular_buffers) return {};
  const auto index = static_cast<int>(offset % arch::kStreamStride / 4);
  if (index == arch::stream::kRemoteDestBufSize) return fmt::format("circular buffer {} (pages pushed)", buffer);
  if (index == arch::stream::kRemoteDestBufStart) return fmt::format("circular buffer {} (pages popped)", buffer);
  return {};
}

const PlacedKernel* kernel_at(const RunningProgram::Group& group, int hart, uint32_t pc) {
  for (const PlacedKernel& kernel : group.kernels) {
    if (static_cast<int>(kernel.hart) == hart && pc - kernel.text_address < kernel.image->segments[0].memory_bytes) {
      return &kernel;
    }
  }
  return nullptr;
}

// The line of one agent, or nothing if it is idle firmware.
std::string line_of(const RunningProgram& program, const RunningProgram::Group& group,
                    const DeviceStatus::Waiting& waiting) {
  if (waiting.hart < 0) return fmt::format("    {:<7} {}\n", waiting.agent, waiting.text);
  const PlacedKernel* kernel = kernel_at(group, waiting.hart, waiting.pc);
  if (kernel == nullptr) return {};
  std::string line = fmt::format("    {:<7} kernel '{}' {}", waiting.agent, kernel->image->name, waiting.text);
  const std::string buffer = circular_buffer_of(program, waiting.address);
  if (!buffer.empty()) line += "; waits for " + buffer;
  const std::string place =
      kernel->image->describe(waiting.pc - kernel->text_address + kernel->image->segments[0].address);
  if (!place.empty()) line += "\n            at " + place;
  return line + "\n";
}

}  // namespace

RunningProgram::RunningProgram(const Program& program, const LaunchPlan& plan)
    : name(program.name()),
      first_cb_stream(program.layout().first_cb_stream),
      circular_buffers(program.layout().circular_buffers) {
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
      for (const DeviceStatus::Waiting* waiting : by_tile[core]) lines += line_of(program, group, *waiting);
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
