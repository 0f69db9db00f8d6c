// What an observer of a machine is told.   docs/architecture.md "Observing"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/host_notes.hpp"
#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/footprint.hpp"
#include "emu/observe/unit_work.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

struct Message;

/// Which agent does something, and when. The host is Agent::Host, a packet that arrives is Agent::Inbox.
struct Actor {
  static constexpr uint32_t kNoPc = ~0u;

  TileId tile;
  Agent agent = Agent::Host;
  Cycle cycle = 0;
  // Where a hart's instruction lies; of a thread T0 to T2, where the hart pushed the word that the thread issues, or
  // the MOP or REPLAY that it came from. kNoPc: of others, and of words pushed by a debug bus or before a snapshot.
  uint32_t pc = kNoPc;
  uint32_t word = 0;           // a hart's instruction, or a thread's Tensix word; 0: of others
  uint32_t push = 0;           // of a thread: pushed() with this number brought the word; 0: as pc
  Agent pusher = Agent::Host;  // of a thread: the hart that pushed the word; Host: as pc
  friend bool operator==(const Actor&, const Actor&) = default;
};

/// Contents of a tile, which an observer may look at for as long as the tile lives: see Observer::tile_made.
struct TileView {
  TileId tile;
  std::span<const uint8_t> l1;
  std::array<std::span<const uint32_t, 32>, kHarts> registers;  // x0 to x31 of each hart
  std::array<std::span<const uint8_t>, kHarts> local_memory;    // of each hart, from arch::kLdmBase on
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
/// Between windows one thread tells of servers (served()), of the host, and of tiles that are made.
///
/// Not told: turns that a parked hart skips (docs/architecture.md "Nothing spins"; Options::parking = false
/// makes it execute and tell them), accesses to a hart's own local memory, instruction fetches.
class Observer {
 public:
  static constexpr int kNoBuffer = -1;

  virtual ~Observer() = default;

  /// A chip is at power-on, was reset, or was restored: what was known of its tiles and of packets under way is over.
  virtual void chip_made([[maybe_unused]] int chip, [[maybe_unused]] Cycle now) {}
  /// A tile comes into being, when somebody first touches it; it lives until the next chip_made() of its chip.
  virtual void tile_made(const TileView&) {}

  /// Whether retired() wants to hear of every instruction of the tile's harts: as long as the bool says so, which lives
  /// as long as the tile. Asked behind tile_made().
  virtual const bool& wants_all_retired(TileId) const { return kAlways; }
  /// A hart has executed the instruction `word` at `pc`; what it accessed was told before. Who does not want all is
  /// told of those that come from another line of 64 bytes than the one before, write x0 (custom hints) or x2 (the
  /// stack pointer), or access a CSR.
  virtual void retired(const Actor&, [[maybe_unused]] uint32_t pc, [[maybe_unused]] uint32_t word) {}
  /// A hart has pushed a Tensix word into the FIFO of a coprocessor thread (0 to 2): push `number` of that thread, from
  /// 1 on since the tile was made. Told before accessed(), if the push was a store to a window.
  virtual void pushed(const Actor&, [[maybe_unused]] int thread, [[maybe_unused]] uint32_t word,
                      [[maybe_unused]] uint32_t number) {}
  /// What the instruction that a coprocessor thread has executed did to Dst, the banks of SrcA and SrcB and semaphores:
  /// told between accessed() and issued(), of instructions of the matrix, vector and sync unit, unpackers and packer.
  virtual void touched(const Actor&, const Footprint&) {}
  /// A coprocessor thread has executed an instruction; what it accessed was told before.
  virtual void issued(const Actor&, [[maybe_unused]] uint32_t word) {}
  /// `bytes` at `address` of the tile's L1 are read or written, or a register (0xFFB00000 and above) has been; a
  /// transfer or a row of a unit is one call. A store to L1 and an atomic (of harts, the NoC, the scalar unit) are
  /// told before the bytes change. An access to a register that had to wait is told once, when it is done.
  /// `value`: of a register, and of up to 4 bytes of L1, little-endian in the low bytes; of a store or an atomic what
  /// is there then. 0: of more bytes (look at TileView::l1), and of what is not known.
  virtual void accessed(const Actor&, AccessKind, [[maybe_unused]] uint32_t address, [[maybe_unused]] uint32_t bytes,
                        [[maybe_unused]] uint32_t value) {}
  /// A message leaves its source, at message.sent. Those of one packet (a multicast has one for each receiver) have the
  /// same source and message.packet. The actor is who stored into CMD_CTRL of a command buffer; for a response
  /// Agent::Inbox of its tile or, of a server, Agent::Units; and kNoBuffer.
  virtual void packet_left(const Actor&, const Message&, [[maybe_unused]] int command_buffer) {}
  /// A message takes effect at its destination, at message.arrival; what it reads and writes there is told after this.
  /// At a server it only has come: see served().
  virtual void packet_arrived(const Message&) {}
  /// A server (a DRAM bank, the PCIe tile with the host's memory, ARC) has executed a request: what it reads or writes
  /// is what is there between what was told before and what is told next of the same server. A read is told when the
  /// bytes are taken, also if they are lent and looked at later. Not told of a request that faults.
  virtual void served([[maybe_unused]] const Message& request, Cycle) {}
  /// The host has read or written a server's memory or registers through a window: at `actor.tile`, actor.agent ==
  /// Host. (Of a tile with harts accessed() tells it.)
  virtual void host_accessed(const Actor&, AccessKind, [[maybe_unused]] uint64_t address,
                             [[maybe_unused]] uint64_t bytes) {}
  /// The host stack says what it does (arch/host_notes.hpp), between windows.
  virtual void noted(const arch::note::Note&, Cycle) {}

  /// An agent is stalled at actor.cycle, at the longest until it next retires or issues something. A stalled thread may
  /// be told several times. That a hart polls is noticed after some turns.
  virtual void stalled(const Actor&, const Stall&) {}
  /// `by` does something at actor.cycle, in the same tile, that a stalled agent has waited for.
  virtual void released(const Actor&, [[maybe_unused]] Agent by) {}
  /// When the unit of a coprocessor thread's instruction worked; told behind issued(). Exact timing.
  virtual void worked(const Actor&, const UnitWork&) {}
  /// Told in the order of `begin`, for each link. Exact timing.
  virtual void link_taken(const LinkUse&) {}

 protected:
  static constexpr bool kAlways = true;
};

}  // namespace kerr::emu
