// Who has last read or written some bytes: what a shadow cell holds.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>

#include "check/component.hpp"
#include "check/transfers.hpp"
#include "emu/cycle.hpp"

namespace kerr::check {

/// What an access is of. The parts of a transfer end at different times, so each has a kind.
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
  uint32_t pc = 0;
  uint32_t word = 0;
  uint32_t cycle = 0;  // the low half
  Place place = 0;
  uint16_t component = 0;
  uint16_t mask = 0xFFFF;  // of the 16 bytes of a granule
  Part part = Part::Nobody;
  emu::Agent agent = emu::Agent::Host;

  bool same_access(const Stamp& other) const {
    return number == other.number && place == other.place && component == other.component && part == other.part;
  }
  Event event() const { return {place, component, static_cast<uint32_t>(number)}; }
};

/// Where the transfers of a tile are found.
class TransferDirectory {
 public:
  virtual const Transfer* find(Place place, uint64_t packet) const = 0;

 protected:
  ~TransferDirectory() = default;
};

/// What somebody knows: a clock, and the channel that a transfer comes by.
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
  /// Whether the access is over for whom knows this.
  bool knows(const Stamp& stamp, const TransferDirectory& transfers) const;
  bool knows(const Transfer& transfer, Place place, Part part) const;
};

}  // namespace kerr::check
