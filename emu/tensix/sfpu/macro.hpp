// What SFPLOADMACRO remembers: its configuration, and the instructions that are still to come.
// docs/hardware/tensix-math.md 11
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "emu/snapshot/archive.hpp"
#include "emu/tensix/sfpu/lanes.hpp"
#include "emu/tensix/sfpu/operands.hpp"

namespace kerr::emu::tensix {

enum class SubUnit : uint8_t { Simple, Mad, Round, Store, Load };
inline constexpr unsigned kMacroUnits = 4;  // all but Load

/// The macro configuration of one column of lanes.
struct MacroConfig {
  std::array<uint32_t, 4> templates{};  // instruction words
  std::array<uint32_t, 4> sequences{};  // one byte a sub-unit
  uint32_t misc = 0;                    // StoreMod0 [3:0], UsesLoadMod0ForStore [7:4], UnitDelayKind [11:8]
  friend bool operator==(const MacroConfig&, const MacroConfig&) = default;
  void serialize(Archive& a) { a(templates, sequences, misc); }
};

/// An instruction that waits for its cycle.
struct Scheduled {
  uint32_t word = 0;
  Operands operands;
  bool counts_instructions = false;  // its delay goes down with vector instructions, not with cycles
  uint8_t mode = 0;                  // of a store, and where it goes
  uint16_t address = 0;
  int8_t thread = 0;
  void serialize(Archive& a) {
    a(word, operands, counts_instructions, mode, address);
    a.below(kThreads, thread);
  }
};

/// Instructions of each sub-unit by the cycles that they have still to wait.
class MacroQueue {
 public:
  static constexpr unsigned kDelays = 8;

  bool empty() const { return (present_[0] | present_[1] | present_[2] | present_[3]) == 0; }
  bool has(unsigned unit, unsigned delay) const { return present_[unit] >> delay & 1; }
  void cancel(unsigned unit, unsigned delay) { present_[unit] &= static_cast<uint8_t>(~(1u << delay)); }
  void schedule(unsigned unit, unsigned delay, const Scheduled& s) {
    slots_[unit][delay] = s;
    present_[unit] |= static_cast<uint8_t>(1u << delay);
  }

  /// What executes in this cycle; the rest comes nearer. If one that stays counts instructions, all that stay come
  /// nearer only when an instruction issues.
  struct Due {
    std::array<Scheduled, kMacroUnits> instruction;
    uint8_t units = 0;  // one bit a unit
    bool uses(SubUnit u) const { return units >> static_cast<unsigned>(u) & 1; }
  };
  Due next_cycle(bool issues) {
    Due due;
    bool nearer = issues;
    if (!nearer) nearer = !any_counts_instructions();
    for (unsigned unit = 0; unit < kMacroUnits; ++unit) {
      if (has(unit, 0)) {
        due.instruction[unit] = slots_[unit][0];
        due.units |= static_cast<uint8_t>(1u << unit);
        cancel(unit, 0);
      }
      if (!nearer) continue;
      for (unsigned delay = 1; delay < kDelays; ++delay) slots_[unit][delay - 1] = slots_[unit][delay];
      present_[unit] >>= 1;
    }
    return due;
  }
  /// Something happens without a vector instruction being issued.
  bool moves_by_itself() const {
    return ((present_[0] | present_[1] | present_[2] | present_[3]) & 1) != 0 || !any_counts_instructions();
  }

  void serialize(Archive& a) { a(present_, slots_); }

 private:
  bool any_counts_instructions() const {
    for (unsigned unit = 0; unit < kMacroUnits; ++unit) {
      for (unsigned delay = 1; delay < kDelays; ++delay) {
        if (has(unit, delay) && slots_[unit][delay].counts_instructions) return true;
      }
    }
    return false;
  }

  std::array<uint8_t, kMacroUnits> present_{};  // one bit a delay
  std::array<std::array<Scheduled, kDelays>, kMacroUnits> slots_;
};

}  // namespace kerr::emu::tensix
