// Who is told what programs print (Options::prints).   docs/architecture.md "Observing"
#pragma once

#include <cstdint>
#include <span>

#include "arch/host_notes.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::emu {

/// A word of a print: a hart has executed addi into x0 (isa/hints.hpp).
struct PrintWord {
  TileId tile;
  Agent agent = Agent::Brisc;  // a hart
  Cycle cycle = 0;
  uint32_t pc = 0;
  uint32_t instruction = 0;
  uint32_t value = 0;  // of its register
};

/// Told of prints and of writes to some words of L1, and of nothing else: what it is not told of runs as fast as
/// without it. Neither states nor cycles depend on whether there is one, or on what it does.
///
/// Tiles of one window tell at the same time, each from one thread; between windows there is one thread. Not told:
/// turns that a parked hart skips (docs/architecture.md "Nothing spins").
class PrintListener {
 public:
  struct Range {
    uint32_t address = 0, bytes = 0;
  };

  virtual ~PrintListener() = default;

  /// As Observer's.
  virtual void chip_made(int chip, Cycle now) = 0;
  virtual void tile_made(const TileView& tile) = 0;
  virtual void noted(const arch::note::Note& note, Cycle now) = 0;
  /// A hart has executed a word of a print. What it points to is still there.
  virtual void printed(const PrintWord& word) = 0;
  /// The bytes of L1 of each Tensix tile whose writes it is told of: asked when a tile is made.
  virtual std::span<const Range> watched() const = 0;
  /// Some of them, all in this line, are about to be written. `by`: Agent::Inbox is a packet.
  virtual void before_write(TileId tile, Agent by, Cycle cycle, uint32_t line, L1::LineBytes written) = 0;
  /// Every tile has reached `now`.
  virtual void window_ended(Cycle now) = 0;
};

}  // namespace kerr::emu
