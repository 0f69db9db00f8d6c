// For each unit, link and hart: when it worked, and what it waited for otherwise. Exact timing.
// docs/architecture.md "Observing"
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/grid.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/unit_work.hpp"
#include "report/timeline/reason.hpp"

namespace kerr::report {

using emu::Cycle;

/// The agents that execute instructions.
inline constexpr std::array kActing{emu::Agent::Brisc,  emu::Agent::Ncrisc,  emu::Agent::Trisc0,  emu::Agent::Trisc1,
                                    emu::Agent::Trisc2, emu::Agent::Thread0, emu::Agent::Thread1, emu::Agent::Thread2};

/// [begin, end).
struct Span {
  Cycle begin = 0, end = 0;
  /// How much of it lies in [from, to).
  Cycle inside(Cycle from, Cycle to) const {
    const Cycle first = std::max(begin, from), last = std::min(end, to);
    return last > first ? last - first : 0;
  }
};

/// An agent is stalled. It continues because of what `by` did at `released`; Host: no agent did, or it is not known.
struct Wait : Span {
  Reason reason = Reason::Other;
  Credit credit;  // of Reason::Stream, if it is a circular buffer
  emu::Agent by = emu::Agent::Host;
  Cycle released = 0;
};

struct LinkBusy : Span {
  Cycle waited = 0;  // how long first flits waited for it, added up
};

struct Arrival {
  Cycle arrival = 0, sent = 0;
  emu::TileId source;
  emu::MessageKind kind{};
  uint32_t bytes = 0;  // of memory, read or written
};

struct Departure {
  Cycle sent = 0;
  emu::Agent by = emu::Agent::Host;  // the hart that started it; Host: not known
};

/// What happened at one node of the grid. Lists are in the order of `begin` (arrival, sent).
struct Node {
  static constexpr size_t kWays = 3;  // as emu::LinkUse::Way

  struct Actions {
    bool acted = false;
    Cycle first = 0, last = 0;  // when it executed something
    std::vector<Wait> waits;    // the last one may still go on: its end is kNever
  };
  std::array<Actions, emu::kAgents> agents;  // harts and threads; others stay empty
  std::array<std::vector<Span>, emu::kUnits> units;
  std::array<std::array<std::vector<LinkBusy>, kWays>, arch::kNocs> links;
  std::vector<Arrival> arrivals;
  std::vector<Departure> departures;

  const Actions& of(emu::Agent agent) const { return agents[static_cast<size_t>(agent)]; }
};

/// Records all this: of any machine in exact timing, on any number of threads. Read it while the machine does not run.
/// Takes some 20 bytes for each wait, packet, and stretch of uninterrupted work of a unit or link.
class Timeline final : public emu::Observer {
 public:
  Timeline();
  ~Timeline() override;

  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override;
  void issued(const emu::Actor& who, uint32_t word) override;
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override;
  void packet_left(const emu::Actor& who, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;
  void stalled(const emu::Actor& who, const emu::Stall& stall) override;
  void released(const emu::Actor& who, emu::Agent by) override;
  void worked(const emu::Actor& who, const emu::UnitWork& work) override;
  void link_taken(const emu::LinkUse& use) override;

  /// A node at which something happened, or null.
  const Node* node(uint8_t node, int chip = 0) const;
  /// Calls body(node, number) for all of them on that chip.
  template <class Body>
  void for_each_node(Body&& body, int chip = 0) const {
    for (uint8_t number = 0; number < arch::kGridTiles; ++number)
      if (const Node* there = node(number, chip)) body(*there, number);
  }

 private:
  struct Recording;
  Recording& at(emu::TileId tile);

  std::vector<std::unique_ptr<Recording>> nodes_;  // by chip and node; each is touched by one thread at a time
};

}  // namespace kerr::report
