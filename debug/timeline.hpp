// What the agents of one tile did lately, as text.
#pragma once

#include <string>
#include <vector>

#include "emu/machine/machine.hpp"
#include "emu/observe/observer.hpp"
#include "hang/past.hpp"
#include "report/observers.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::debug {

/// Watches one tile of a machine up to a cycle, and forgets the rest.
class TileWatch final : public emu::Observer {
 public:
  TileWatch(const emu::Options& options, emu::TileId tile, emu::Cycle end);

  const report::Timeline& timeline() const { return timeline_; }
  const hang::History& history() const { return history_; }

  void chip_made(int chip, emu::Cycle now) override { both_.chip_made(chip, now); }
  void tile_made(const emu::TileView& view) override;
  const bool& wants_all_retired(emu::TileId tile) const override { return tile == tile_ ? kAlways : kNever; }
  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override;
  void issued(const emu::Actor& who, uint32_t word) override;
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override;
  void packet_left(const emu::Actor& who, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;
  void stalled(const emu::Actor& who, const emu::Stall& stall) override;
  void released(const emu::Actor& who, emu::Agent by) override;
  void worked(const emu::Actor& who, const emu::UnitWork& work) override;

 private:
  static constexpr bool kNever = false;
  bool sees(emu::TileId tile, emu::Cycle cycle) const { return tile == tile_ && cycle < end_; }

  const emu::TileId tile_;
  const emu::Cycle end_;
  const bool exact_;
  report::Timeline timeline_;
  hang::History history_;
  report::Observers both_{{&timeline_}, &history_};
};

/// What a hart did, with its name.
struct HartEvent {
  std::string who;
  hang::Event event;
};

/// Waits of harts and threads, work of units, packets that came, and `events`, a line each, of those that are not over
/// before `begin` and begin before `end`; the last `most` of them, in the order in which they ended. Empty: there was
/// nothing. `places`: of the machine.
std::string timeline_text(const report::Timeline& timeline, const std::vector<HartEvent>& events,
                          const check::Places& places, emu::TileId tile, emu::Cycle begin, emu::Cycle end, size_t most);

}  // namespace kerr::debug
