// Sixteen FIFOs through which BRISC and the TRISCs hand each other words.   docs/hardware/tile.md 4.1
#pragma once

#include <array>
#include <cstdint>

#include "arch/sync.hpp"
#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/fifo.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// Indices are BRISC 0, TRISC0..2 1..3 (arch::kMailboxIndex). A FIFO holds four words, and so do the four FIFOs of one
/// writer together.
class Mailboxes {
 public:
  static constexpr int kOwners = 4;

  explicit Mailboxes(WaitBoard& board) : board_(board) {}

  /// The writer went into soft reset: what it wrote is gone.
  void reset(int from);

  /// Waits while there is no room.
  Access push(int from, int to, uint32_t value, BusReply& reply);
  /// Waits while there is nothing.
  Access pop(int from, int to, BusReply& reply);
  bool waiting(int from, int to) const { return !fifos_[from][to].empty(); }
  void serialize(Archive& a) { a(fifos_); }

 private:
  unsigned held_by(int from) const;

  WaitBoard& board_;
  std::array<std::array<Fifo<arch::kMailboxDepth>, kOwners>, kOwners> fifos_{};
};

}  // namespace kerr::emu
