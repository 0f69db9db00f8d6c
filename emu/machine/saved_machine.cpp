#include "emu/machine/saved_machine.hpp"

#include <fmt/format.h>

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
  const auto timing = [](bool is_exact) { return is_exact ? "exact timing" : "relaxed timing"; };
  const auto fault = [](bool on) { return on ? "silicon's fault of FP16 accumulation" : "that fault switched off"; };
  const auto caching = [](InstructionCaching of) {
    return of == InstructionCaching::Coherent ? "coherent instruction caches"
           : of == InstructionCaching::Exact  ? "exact instruction caches"
                                              : "checked instruction caches";
  };
  require(boards == other.boards, board_names(), other.board_names());
  require(exact == other.exact, timing(exact), timing(other.exact));
  for (const timing::ParameterRow& row : timing::parameter_rows()) {
    const Cycle ours = parameters.*row.member, theirs = other.parameters.*row.member;
    require(ours == theirs, fmt::format("timing parameter {} = {}", row.name, ours), std::to_string(theirs));
  }
  require(window_cycles == other.window_cycles, fmt::format("windows of {} cycles", window_cycles),
          std::to_string(other.window_cycles));
  require(fp16_accumulation_fault == other.fp16_accumulation_fault, fault(fp16_accumulation_fault),
          fault(other.fp16_accumulation_fault));
  const auto strictness = [](bool on) { return on ? "remarks that are faults" : "remarks that are not faults"; };
  require(strict == other.strict, strictness(strict), strictness(other.strict));
  require(icache == other.icache, caching(icache), caching(other.icache));
  require(reordered == other.reordered && reorder_seed == other.reorder_seed, noc_order(), other.noc_order());
}

std::string SavedMachine::noc_order() const {
  return reordered ? fmt::format("a NoC reordered by seed {}", reorder_seed) : "an orderly NoC";
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
