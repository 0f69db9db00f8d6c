// What an observer of a machine is told.   docs/architecture.md "Observing"
#pragma once

#include <cstdint>
#include <span>

#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/unit_work.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct Message;

/// Which agent does something, and when. The host is Agent::Host, a packet that arrives is Agent::Inbox.
struct Actor {
  TileId tile;
  Agent agent = Agent::Host;
  Cycle cycle = 0;
  friend bool operator==(const Actor&, const Actor&) = default;
};

/// Why an agent is stalled.
struct Stall {
  WaitMask what = 0;
  bool polls = false;                  // a hart that was found to repeat the same turn of a loop
  std::span<const uint32_t> l1_lines;  // that it polls
};

/// A packet takes a link of a NoC, from the router of `from` on. Exact timing.
struct LinkUse {
  enum class Way : uint8_t { X, Y, Exit };  // NoC 0: east, south; NoC 1: west, north; Exit: into the node's NIU
  uint8_t noc = 0;
  TileId from;
  Way way = Way::X;
  Cycle begin = 0, end = 0;  // when the link is taken
  Cycle waited = 0;          // how long the packet's first flit waited for it
};

/// Told of what happens in a machine (Options::observer); never calls back. What happens, and when, does not
/// depend on whether there is an observer.
///
/// Order: what one agent does is told in the order of its cycles. What agents of one tile do to L1 and registers is
/// told in the order in which it happens; a hart in exact timing may tell earlier of instructions that are private to
/// it. Tiles of one window tell at the same time, each from one thread: an observer keeps what it notes by tile.
///
/// Not told: turns that a parked hart skips (docs/architecture.md "Nothing spins"; Options::parking = false
/// makes it execute and tell them), accesses to a hart's own local memory, instruction fetches.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A hart has executed the instruction `word` at `pc`; what it accessed was told before.
  virtual void retired(const Actor&, [[maybe_unused]] uint32_t pc, [[maybe_unused]] uint32_t word) {}
  /// A coprocessor thread has executed an instruction; what it accessed was told before.
  virtual void issued(const Actor&, [[maybe_unused]] uint32_t word) {}
  /// `bytes` at `address` of the tile's L1 are read or written, or a register (0xFFB00000 and above) has been. A store
  /// to L1 is told before the bytes change, line by line; an atomic is a load of its word and a store (by the NoC: of
  /// the aligned 16 bytes). An access to a register that had to wait is told once, when it is done.
  virtual void accessed(const Actor&, AccessKind, [[maybe_unused]] uint32_t address, [[maybe_unused]] uint32_t bytes) {}
  /// A message leaves its source, at message.sent. Those of one packet (a multicast has one for each receiver) have the
  /// same source and message.packet.
  virtual void packet_left(const Message&) {}
  /// A message takes effect at its destination, at message.arrival; what it reads and writes there is told after this.
  virtual void packet_arrived(const Message&) {}

  /// An agent is stalled at actor.cycle, at the longest until it next retires or issues something. A stalled thread may
  /// be told several times. That a hart polls is noticed after some turns.
  virtual void stalled(const Actor&, const Stall&) {}
  /// `by` does something at actor.cycle, in the same tile, that a stalled agent has waited for.
  virtual void released(const Actor&, [[maybe_unused]] Agent by) {}
  /// When the unit of a coprocessor thread's instruction worked; told behind issued(). Exact timing.
  virtual void worked(const Actor&, const UnitWork&) {}
  /// Told in the order of `begin`, for each link. Exact timing.
  virtual void link_taken(const LinkUse&) {}
};

}  // namespace kerr::emu
