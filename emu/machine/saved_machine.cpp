#include "emu/machine/saved_machine.hpp"

#include <fmt/format.h>

#include <array>

namespace kerr::emu {

SavedBoard SavedBoard::of(const arch::Board& board) {
  const arch::Harvesting& h = board.harvesting;
  return {board.name, h.tensix_columns, h.ethernet, h.dram_banks, h.pcie_instance, board.board_id};
}

const arch::Board& SavedBoard::board() const {
  for (const arch::Board& board : arch::kBoards) {
    if (of(board) == *this) return board;
  }
  throw SnapshotError(fmt::format("this Kerr has no board like the '{}' of the file", name));
}

SavedMachine SavedMachine::of(const Machine& machine) {
  SavedMachine saved;
  for (const arch::Board& board : machine.options().boards) saved.boards.push_back(SavedBoard::of(board));
  saved.exact = machine.options().timing == Timing::Exact;
  saved.parameters = machine.options().parameters;
  saved.window_cycles = machine.options().window();
  saved.fp16_accumulation_fault = machine.options().fp16_accumulation_fault;
  saved.strict = machine.options().strict;
  saved.icache = machine.options().icache;
  saved.reordered = machine.options().noc_reorder.has_value();
  saved.reorder_seed = machine.options().noc_reorder.value_or(0);
  return saved;
}

Options SavedMachine::options() const {
  Options options;
  options.boards.clear();
  for (const SavedBoard& board : boards) options.boards.push_back(board.board());
  options.timing = exact ? Timing::Exact : Timing::Relaxed;
  options.parameters = parameters;
  options.window_cycles = window_cycles;
  options.fp16_accumulation_fault = fp16_accumulation_fault;
  options.strict = strict;
  options.icache = icache;
  if (reordered) options.noc_reorder = reorder_seed;
  return options;
}

void SavedMachine::require_like(const Machine& machine, std::string_view what) const {
  const SavedMachine other = of(machine);
  const auto require = [&](bool same, const std::string& ours, const std::string& theirs) {
    if (!same) throw SnapshotError(fmt::format("the {} is of a machine with {}, this one has {}", what, ours, theirs));
  };
  require(boards == other.boards, board_names(), other.board_names());
  const std::vector<std::string> ours = features(), theirs = other.features();
  for (size_t i = 0; i < ours.size(); ++i) require(ours[i] == theirs[i], ours[i], theirs[i]);
}

std::vector<std::string> SavedMachine::features() const {
  constexpr std::array kCaching{"coherent", "exact", "checked"};
  std::vector<std::string> all{exact ? "exact timing" : "relaxed timing"};
  for (const timing::ParameterRow& row : timing::parameter_rows())
    all.push_back(fmt::format("timing parameter {} = {}", row.name, parameters.*row.member));
  all.push_back(fmt::format("windows of {} cycles", window_cycles));
  all.push_back(fmt::format("silicon's fault of FP16 accumulation {}", fp16_accumulation_fault ? "on" : "off"));
  all.push_back(fmt::format("remarks that are {}faults", strict ? "" : "not "));
  all.push_back(fmt::format("{} instruction caches", kCaching[static_cast<size_t>(icache)]));
  all.push_back(reordered ? fmt::format("a NoC reordered by seed {}", reorder_seed) : "an orderly NoC");
  return all;
}

std::string SavedMachine::board_names() const {
  std::string names;
  for (const SavedBoard& board : boards) names += (names.empty() ? "" : ", ") + board.name;
  return names;
}

void SavedMachine::serialize(Archive& a) {
  a.list(boards, 32);
  a(exact);
#define X(name, ...) a(parameters.name);
#include "emu/timing/parameters.def"
  a(window_cycles, fp16_accumulation_fault, strict, reordered, reorder_seed);
  a.below(3, icache);
}

}  // namespace kerr::emu
