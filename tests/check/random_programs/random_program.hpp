// Random programs of BRISC and NCRISC on a few tiles in which every access is ordered, and what they become when one
// edge is left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "arch/memory_map.hpp"
#include "host/runtime/program/program.hpp"
#include "image/image.hpp"

namespace kerr::random_programs {

/// What orders two accesses of a step, and may be left out.
enum class Edge : uint8_t {
  ConsumersWait,  // the consumer does not wait for the signal, or the page
  ChannelOfFlag,  // the signal takes another virtual channel than the data
  Flush,          // the source of a write is refilled at once
  Barrier,        // of the producer's write, or of the consumer's read
  Reserve,        // the producer does not wait for a free page
};

/// Step `step` without `edge`. Its lines in reports are step + 1.
struct Removed {
  uint32_t step = 0;
  Edge edge{};
};

/// Each step moves a word from one hart to another; the sequence of steps is one that never waits for itself.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, uint32_t steps);

  /// All that can be left out so that two accesses race.
  const std::vector<Removed>& removable() const { return removable_; }
  /// Without one edge, or as it should be.
  host::Program build(std::optional<Removed> removed = {}) const;

  struct Expected {
    arch::NocCoord tile;
    uint32_t address, value;
  };
  /// What lies where when the program has ended. Not of one without an edge. After build().
  const std::vector<Expected>& expected() const { return expected_; }
  const std::vector<arch::NocCoord>& tiles() const { return tiles_; }
  /// "step 3, read: hart 2 to hart 5, slots 1 and 4, signal 2".
  std::string text(uint32_t step) const;

 private:
  enum class Kind : uint8_t {
    Local,   // the producer stores and signals the other hart of its tile
    Write,   // ... writes over the NoC; the signal is behind the data
    Acked,   // ... the signal waits for the acknowledgement
    Read,    // the consumer reads over the NoC when it is signalled
    Buffer,  // through the circular buffer of a tile
  };
  struct Step {
    Kind kind;
    uint32_t producer, consumer;  // numbers of harts: 2 * tile + (0 BRISC, 1 NCRISC)
    uint32_t source, target;      // slots
    uint32_t value;
    uint32_t signal;  // which one it is between these two; of pages: which of the buffer
  };
  struct Layout;
  class Code;

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool add_step();
  /// Leaves out of removable() what something else does too.
  void drop_redundant();
  std::optional<uint32_t> slot_of(uint32_t owner, uint32_t tile);
  void emit(const Step& step, uint32_t number, const Layout& at, std::optional<Edge> removed,
            std::vector<Code>& codes) const;

  std::mt19937 random_;
  std::vector<arch::NocCoord> tiles_;
  std::vector<uint32_t> fills_;                 // of a tile's buffer: which hart
  std::vector<std::vector<uint32_t>> owner_;    // [tile][slot]: who may touch it
  std::vector<std::vector<uint32_t>> signals_;  // [2 * producer + channel][consumer]: so far
  std::vector<uint32_t> pages_;                 // pushed on each tile
  std::vector<Step> steps_;
  std::vector<Removed> removable_;
  mutable std::vector<Expected> expected_;
};

}  // namespace kerr::random_programs
