// No class has state that no snapshot holds.
#include <fmt/format.h>

#include <map>
#include <string>

#include "tests/emu/machine/host.hpp"

namespace kerr::emu {
namespace {

TEST(SnapshotCoverage, EveryMemberIsSavedOrKnownNotToBeState) {
  // Bytes of each class that its serialize() does not visit: references, options, what is derived, padding.
  const std::map<std::string, size_t> unvisited = {
      {"Fault", 12}, {"Payload", 8}, {"Message", 20}, {"Agents", 144}, {"L1", 48}, {"ClockForms", 4}, {"PollWatch", 13}, {"InstructionCache", 72},
      {"Hart", 140},
      {"timing::HartTimer::QueuedStore", 4}, {"timing::HartTimer", 13}, {"timing::CoprocessorTimer::Hold", 4},
      {"timing::CoprocessorTimer", 15},
      {"MopExpander", 3}, {"ReplayExpander", 3}, {"Fetch", 3}, {"FrontEnd", 19}, {"FrontEnd::Pushed", 4}, {"PushClock", 14}, {"CoprocessorThread", 5},
      {"Config", 12}, {"Gpr", 8}, {"AdcCounter", 4}, {"Semaphores", 8}, {"Mutexes", 14}, {"SrcRegister", 39}, {"SrcRegister::Unknown", 6},
      {"Dst", 15}, {"PackerSignals", 4}, {"State", 22}, {"UnitHolds", 12}, {"WaitGate", 62}, {"Fpu", 135},
      {"LaneConfig", 44}, {"Scheduled", 3}, {"Sfpu::MadResult", 43}, {"Sfpu", 2843}, {"OutputStream", 3},
      {"Packer", 377}, {"Coprocessor::Parts", 467}, {"Remark", 16}, {"RemarkLog", 16}, {"Coprocessor", 8}, {"Niu", 80}, {"StreamRegisters", 24},
      {"Mailboxes", 8}, {"PcBufs::Channel", 3}, {"PcBufs", 16}, {"TdmaRegisters", 39}, {"Pic", 36},
      {"ResetControl", 48}, {"DebugRegisters", 40}, {"AddressMap", 132}, {"Tile", 3232}, {"TileTable", 3640},
      {"ConfigSpace::BarRegister", 8}, {"TlbWindows::Window", 36}, {"TlbWindows", 16}, {"PciFunction", 8},
      {"SparseMemory", 56}, {"DramBank", 80}, {"PcieTile", 36}, {"Arc", 52}, {"EthernetRegisters", 40},
      {"BareNodes", 16}, {"Chip", 808}, {"Machine::Saved", 72},
  };
  Machine machine{Options{.boards = {arch::kP150}}};
  machine.chip(0).tiles.at_present(machine.chip(0).geometry.tensix().front());
  machine.chip(0).tiles.at_present(NocGeometry::node_of({1, 1}));  // Ethernet
  SurveyArchive survey;
  machine.save(survey);
  for (const SurveyArchive::Class& found : survey.classes()) {
    const auto known = unvisited.find(found.name);
    const size_t allowed = known == unvisited.end() ? 0 : known->second;
    EXPECT_LE(found.unvisited, allowed) << fmt::format(
        "{} has {} bytes that its serialize() does not visit. If you gave it state: visit it there. If it is an option, "
        "a reference or something derived: {{\"{}\", {}}} in this test.",
        found.name, found.unvisited, found.name, found.unvisited);
  }
}

}  // namespace
}  // namespace kerr::emu
