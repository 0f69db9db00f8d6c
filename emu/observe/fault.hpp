// Faults are values: recorded where they happen, reported when the window ends.
// docs/architecture.md "Faults are values"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/category.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::emu {

class Archive;

using FaultCategory = arch::Category;  // the first six of them

struct Fault {
  FaultCategory category = FaultCategory::UndefinedBehavior;
  Cycle cycle = 0;
  TileId tile;
  Agent agent = Agent::Host;
  uint32_t pc = 0;           // of the hart, or of nothing (coprocessor threads have none)
  uint32_t instruction = 0;  // RV32 word, or Tensix word for a thread
  uint64_t address = 0;      // the offending address, where there is one
  std::string what;          // one sentence: what happened, with the numbers
  std::string advice;        // one sentence: what to do; may be empty

  /// Several lines for a person: "Fault: Misaligned at cycle ...".
  std::string text() const;
  void serialize(Archive& archive);
};

/// Smallest (cycle, tile, agent) first: the order in which faults of one window are reported.
bool operator<(const Fault& a, const Fault& b);

/// The faults of one tile since the last take(). A fault never throws and never stops its reporter's caller by itself:
/// the agent that committed it leaves its loop, the tile finishes the window, the machine stops.
class FaultLog {
 public:
  static constexpr size_t kMost = 64;  // later ones are counted, not kept

  void report(Fault fault);
  bool any() const { return count_ != 0; }
  size_t count() const { return count_; }
  std::vector<Fault> take();
  void serialize(Archive& archive);

 private:
  std::vector<Fault> faults_;
  size_t count_ = 0;
};

}  // namespace kerr::emu
