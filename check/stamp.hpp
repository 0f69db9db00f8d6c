// Who has last read or written some bytes: the entries of a shadow.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>

#include "check/component.hpp"
#include "check/transfers.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Accesses of agents, and the parts of a transfer, which end at different times.
enum class Part : uint8_t {
  Nobody,
  Agent,    // a hart, a lane of a thread, the host: `component` and `number` of `place`
  Source,   // an NIU reads what a write sends
  Arrival,  // a write comes in
  Data,     // the data of a read come in
  Target,   // what a read asks for is read
  Atomic,
  Several,  // of a cell: `number` is a list of them
};

constexpr bool is_transfer(Part part) { return part >= Part::Source && part <= Part::Atomic; }

struct Stamp {
  uint64_t number = 0;  // of a transfer: its packet
  emu::Cycle cycle = 0;
  uint32_t pc = 0;
  uint32_t word = 0;
  Place place = 0;
  uint16_t component = 0;
  uint16_t mask = 0xFFFF;  // of the 16 bytes of a granule
  Part part = Part::Nobody;
  emu::Agent agent = emu::Agent::Host;

  bool same_access(const Stamp& other) const {
    return number == other.number && place == other.place && component == other.component && part == other.part;
  }
  /// Both are of the same hart, of the same lane, or transfers of one kind that the same agent has asked for.
  bool same_agent(const Stamp& other) const {
    return part == other.part && place == other.place && component == other.component && agent == other.agent;
  }
  Event event() const { return {place, component, static_cast<uint32_t>(number)}; }
  /// Agent and part in one number, for keys of findings.
  uint8_t who() const { return static_cast<uint8_t>(static_cast<int>(agent) << 3 | static_cast<int>(part)); }
};

/// An access of an agent, or of a lane of a thread.
inline Stamp stamp_of(const emu::Actor& actor, Place place, uint32_t component, uint64_t number) {
  return {.number = number,
          .cycle = actor.cycle,
          .pc = actor.pc,
          .word = actor.word,
          .place = place,
          .component = static_cast<uint16_t>(component),
          .part = Part::Agent,
          .agent = actor.agent};
}
/// A part of the transfer that is `packet` of the tile `source`.
Stamp stamp_of(const Transfer& transfer, uint64_t packet, Place source, Part part);

/// Where the transfers of a tile are found.
class TransferDirectory {
 public:
  virtual const Transfer* find(Place place, uint64_t packet) const = 0;

 protected:
  ~TransferDirectory() = default;
};

/// The knowledge of one access: a clock, and for a transfer the channel that it comes by.
struct View {
  const Clock* clock = nullptr;
  const Snapshot* snapshot = nullptr;
  Event extra{};
  Place own_place = 0;  // of the transfer itself, which never races with itself
  uint64_t own_packet = ~0ull;

  explicit View(const Clock& c) : clock(&c) {}
  explicit View(const Snapshot& s) : snapshot(&s) {}
  View(const Transfer& t, Place place, uint64_t packet)
      : snapshot(t.clock.get()),
        extra{place, t.channel, t.in_channel != 0 ? t.in_channel - 1 : 0},
        own_place(place),
        own_packet(packet) {}

  bool knows(const Event& e) const {
    if (e.number == 0) return true;
    if (e.place == extra.place && e.component == extra.component && extra.number >= e.number) return true;
    return clock != nullptr ? clock->knows(e) : snapshot->knows(e);
  }
  /// True if the access is over for whom knows this.
  bool knows(const Stamp& stamp, const TransferDirectory& transfers) const;
  bool knows(const Transfer& transfer, Place place, Part part) const;
};

}  // namespace kerr::check
