// The events of a run, agent by agent, as an observer hears of them.   docs/guide/compare-two-runs.md
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "arch/boards.hpp"
#include "check/names.hpp"
#include "check/waiting_load.hpp"
#include "diff/event.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::diff {

/// The machine runs on one thread. Loads by which a hart waits in a loop are left out: how often it asks is a matter of
/// time.
class EventRecorder final : public emu::Observer {
 public:
  explicit EventRecorder(const std::vector<arch::Board>& boards) : names_(boards) {}

  /// Whose events have been heard so far; the queues live as long as this.
  const std::vector<Place>& places() const { return places_; }
  /// In order; who has compared some takes them out.
  std::deque<Event>& events(const Place& place);
  uint64_t waiting() const { return waiting_; }  // in all queues
  void taken(uint64_t events) { waiting_ -= events; }
  const check::Names& names() const { return names_; }

  void chip_made(int chip, emu::Cycle now) override;
  void tile_made(const emu::TileView& view) override;
  void pushed(const emu::Actor& actor, int thread, uint32_t word, uint32_t number) override;
  void issued(const emu::Actor& actor, uint32_t word) override;
  void accessed(const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                uint32_t value) override;
  void packet_left(const emu::Actor& actor, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;
  void noted(const arch::note::Note& note, emu::Cycle cycle) override { names_.noted(note, cycle); }
  const bool& wants_all_retired(emu::TileId) const override { return kNever; }

 private:
  static constexpr bool kNever = false;
  struct Tile {
    std::array<std::deque<Event>, emu::kAgents> events;
    std::unique_ptr<check::Code> code;  // of a tile that exists
  };

  Tile& tile(emu::TileId id);
  void add(emu::TileId id, emu::Agent agent, const Event& event);

  check::Names names_;
  std::vector<std::unique_ptr<Tile>> tiles_;  // by chip and node
  std::vector<Place> places_;
  uint64_t waiting_ = 0;
};

}  // namespace kerr::diff
