// What somebody who watches a machine is told.   docs/architecture.md "Observing"
#pragma once

#include <cstdint>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::emu {

struct Message;

/// Who does something, and when. The host acts as Agent::Host, packets that arrive as Agent::Inbox.
struct Actor {
  TileId tile;
  Agent agent = Agent::Host;
  Cycle cycle = 0;
  friend bool operator==(const Actor&, const Actor&) = default;
};

enum class AccessKind : std::uint8_t { Load, Store };

/// Told of everything in the order in which it happens in each tile; never calls back. A machine that is observed runs
/// on the calling thread alone, and nothing in it happens otherwise or at another cycle than if nobody looked.
///
/// What a parked hart skips (docs/architecture.md "Nothing spins") is not told: MachineOptions::parking = false makes
/// it spin, and tell. A hart's own local memory is private and not told either.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A hart has executed the instruction `word` at `pc`.
  virtual void retired(const Actor&, [[maybe_unused]] std::uint32_t pc, [[maybe_unused]] std::uint32_t word) {}
  /// A coprocessor thread has issued an instruction.
  virtual void issued(const Actor&, [[maybe_unused]] std::uint32_t word) {}
  /// `bytes` at `address` of the tile, of L1 or of a register (0xFFB00000 and above), are about to be read or written.
  /// An atomic is a load and a store. A load that has to wait is told with every try.
  virtual void accessed(const Actor&, AccessKind, [[maybe_unused]] std::uint32_t address,
                        [[maybe_unused]] std::uint32_t bytes) {}
  /// A packet leaves its source. The answer goes with it as Message::tag: whatever the observer wants to find again
  /// where it arrives. The copies of a multicast are told one by one.
  virtual std::uint64_t packet_left(const Message&) { return 0; }
  /// A packet takes effect, at message.arrival; what it reads and writes is told after this.
  virtual void packet_arrived(const Message&) {}
};

}  // namespace kerr::emu
