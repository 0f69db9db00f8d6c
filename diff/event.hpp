// What an agent of a machine does that another run can be compared with.   docs/guide/compare-two-runs.md
#pragma once

#include <cstdint>
#include <string_view>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::diff {

/// One access, push, issue or packet. Two are the same if all but their cycles are equal.
struct Event {
  enum class Kind : uint8_t {
    Load,
    Store,
    Atomic,
    Push,    // of a Tensix word, `value`, into the FIFO of thread `address`
    Issue,   // of a Tensix word by a thread; pc is that of its push
    Packet,  // leaves: `value` is a hash of all that the receiver gets
    Comes,   // a packet takes effect: likewise
  };

  Kind kind = Kind::Load;
  uint8_t bytes = 0;     // of an access; 255: that many or more
  uint8_t message = 0;   // of packets: an emu::MessageKind
  emu::TileId other{};   // of packets: the other end
  uint32_t pc = 0;       // of a hart's instruction, kNoPc: of none
  uint32_t word = 0;     // the instruction
  uint64_t address = 0;  // in L1 or of a register; of a packet at its destination
  uint64_t value = 0;
  emu::Cycle cycle = 0;

  bool same_as(const Event& e) const {
    return kind == e.kind && bytes == e.bytes && message == e.message && other == e.other && pc == e.pc &&
           word == e.word && address == e.address && value == e.value;
  }
};

constexpr std::string_view name(Event::Kind kind) {
  constexpr std::string_view names[] = {"load", "store", "atomic", "push", "issue", "packet", "packet comes"};
  return names[static_cast<size_t>(kind)];
}

/// An agent of a tile: whose events are compared with those of the same agent in the other run.
struct Place {
  emu::TileId tile;
  emu::Agent agent = emu::Agent::Host;
  friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

}  // namespace kerr::diff
