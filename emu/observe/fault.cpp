#include "emu/observe/fault.hpp"

#include <fmt/format.h>

#include <array>
#include <tuple>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/observe/agent_names.hpp"
#include "emu/observe/fault_text.hpp"
#include "emu/snapshot/archive.hpp"
#include "isa/disassembler.hpp"

namespace kerr::emu {

std::string disassembly(const Fault& fault) {
  if (fault.agent >= Agent::Thread0 && fault.agent <= Agent::Thread2) return isa::disassemble_tensix(fault.instruction);
  const bool hart = fault.agent >= Agent::Brisc && fault.agent <= Agent::Trisc2;
  const bool in_l1 = fault.pc % 4 == 0 && fault.pc < arch::kL1Bytes;  // elsewhere there is none
  return hart && in_l1 ? isa::disassemble(fault.instruction) : "";
}

std::string Fault::text() const {
  const bool hart = agent >= Agent::Brisc && agent <= Agent::Trisc2;
  const std::string chip = tile.chip == 0 ? "" : fmt::format("chip {} ", tile.chip);  // most machines have one
  std::string out = fmt::format("Fault: {} at cycle {}\n  {}tile raw ({},{}) {}", category_name(category), cycle, chip,
                                tile.x(), tile.y(), name(tile, agent));
  if (hart) out += fmt::format(" pc {:#010x}", pc);
  if (const std::string instruction_text = disassembly(*this); !instruction_text.empty())
    out += "  " + instruction_text;
  out += fmt::format("\n  {}", what);
  if (!advice.empty()) out += fmt::format("\n  {}", advice);
  return out + "\n";
}

bool operator<(const Fault& a, const Fault& b) {
  return std::tie(a.cycle, a.tile, a.agent) < std::tie(b.cycle, b.tile, b.agent);
}

void FaultLog::report(Fault fault) {
  if (count_++ < kMost) faults_.push_back(std::move(fault));
}

std::vector<Fault> FaultLog::take() {
  count_ = 0;
  return std::exchange(faults_, {});
}

void Fault::serialize(Archive& a) {
  a.below(static_cast<uint64_t>(FaultCategory::HostError) + 1, category);
  a(cycle, tile);
  a.below(static_cast<uint64_t>(Agent::Host) + 1, agent);
  a(pc, instruction, address, what, advice);
}

void FaultLog::serialize(Archive& a) {
  a.list(faults_, kMost);
  a(count_);
  a.require(count_ >= faults_.size(), "a log has fewer faults than it holds");
}

}  // namespace kerr::emu
