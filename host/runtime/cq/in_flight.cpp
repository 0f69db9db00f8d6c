#include "host/runtime/cq/in_flight.hpp"

#include <utility>

#include "host/runtime/cq/completions.hpp"

namespace kerr::host::cq {

std::vector<uint64_t> InFlight::retire(uint32_t reached) {
  std::vector<uint64_t> said;
  for (; !entries_.empty() && has_passed(entries_.front().before, reached); entries_.pop_front()) {
    const std::vector<uint64_t>& of = entries_.front().said;
    said.insert(said.end(), of.begin(), of.end());
  }
  return said;
}

std::optional<ProgramFault> InFlight::find_fault(const DeviceStatus& status) const {
  std::optional<ProgramFault> found;
  for (const Entry& entry : entries_) {
    for (const RunningProgram& program : *entry.programs) {
      std::optional<ProgramFault> fault = explain_fault(program, status);
      if (fault && (!found || (fault->certain && !found->certain))) found = std::move(fault);
    }
  }
  return found;
}

InFlight::Stuck InFlight::explain(PcieDevice& device, const std::function<bool(arch::NocCoord)>& is_idle,
                                  const DeviceStatus& status) const {
  for (const Entry& entry : entries_) {
    for (const RunningProgram& program : *entry.programs) {
      std::string text = why_nothing_moves(device, program, is_idle);
      if (text.empty()) text = host::explain(program, is_idle, status);
      if (!text.empty()) return {program.name, std::move(text)};
    }
  }
  return {};
}

}  // namespace kerr::host::cq
