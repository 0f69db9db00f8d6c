// What kind of machine a snapshot or an input log is of.   docs/architecture.md "Snapshots"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "emu/cycle.hpp"
#include "emu/machine/machine.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

struct SavedBoard {
  std::string name;
  uint32_t tensix_columns = 0, ethernet = 0, dram_banks = 0, pcie_instance = 0;  // arch::Harvesting
  uint64_t board_id = 0;

  static SavedBoard of(const arch::Board& board);
  /// The board that is meant. Throws SnapshotError if this Kerr has none like it.
  const arch::Board& board() const;
  void serialize(Archive& a) { a(name, tensix_columns, ethernet, dram_banks, pcie_instance, board_id); }
  friend bool operator==(const SavedBoard&, const SavedBoard&) = default;
};

/// All that results depend on, besides the input.
struct SavedMachine {
  std::vector<SavedBoard> boards;
  bool exact = false;
  timing::Parameters parameters{};
  Cycle window_cycles = 0;
  bool fp16_accumulation_fault = true;
  bool strict = false;
  bool reordered = false;  // Options::noc_reorder
  uint64_t reorder_seed = 0;
  InstructionCaching icache = InstructionCaching::Coherent;

  static SavedMachine of(const Machine& machine);
  /// For another machine of this kind. Throws SnapshotError if this Kerr has no such board.
  Options options() const;
  /// Throws SnapshotError if `machine` is of another kind than this, which a file says that is a `what`.
  void require_like(const Machine& machine, std::string_view what) const;
  /// "p100a, p100a"
  std::string board_names() const;
  void serialize(Archive& archive);

 private:
  /// What tells one machine from another, but for the boards, in the words of a refusal.
  std::vector<std::string> features() const;
};

}  // namespace kerr::emu
