// Several observers of one machine.
#pragma once

#include <utility>
#include <vector>

#include "emu/observe/observer.hpp"

namespace kerr::report {

/// Tells each of them, in their order. They must outlive the machine.
class Observers final : public emu::Observer {
 public:
  /// `quiet`: one more, or nullptr, who is the last to be told, and of no retired(), which it must not want.
  explicit Observers(std::vector<emu::Observer*> observers, emu::Observer* quiet = nullptr)
      : loud_(observers), all_(std::move(observers)) {
    if (quiet != nullptr) all_.push_back(quiet);
  }

  void chip_made(int chip, emu::Cycle now) override {
    for (emu::Observer* o : all_) o->chip_made(chip, now);
  }
  void tile_made(const emu::TileView& tile) override {
    for (emu::Observer* o : all_) o->tile_made(tile);
  }
  const bool& wants_all_retired(emu::TileId tile) const override {
    const std::vector<emu::Observer*>& asked = loud_.empty() ? all_ : loud_;
    return asked.size() == 1 ? asked.front()->wants_all_retired(tile) : kAlways;
  }
  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override {
    for (emu::Observer* o : loud_) o->retired(who, pc, word);
  }
  void pushed(const emu::Actor& who, int thread, uint32_t word, uint32_t number) override {
    for (emu::Observer* o : all_) o->pushed(who, thread, word, number);
  }
  void touched(const emu::Actor& who, const emu::Footprint& footprint) override {
    for (emu::Observer* o : all_) o->touched(who, footprint);
  }
  void issued(const emu::Actor& who, uint32_t word) override {
    for (emu::Observer* o : all_) o->issued(who, word);
  }
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                uint32_t value) override {
    for (emu::Observer* o : all_) o->accessed(who, kind, address, bytes, value);
  }
  void packet_left(const emu::Actor& who, const emu::Message& message, int command_buffer) override {
    for (emu::Observer* o : all_) o->packet_left(who, message, command_buffer);
  }
  void packet_arrived(const emu::Message& message) override {
    for (emu::Observer* o : all_) o->packet_arrived(message);
  }
  void served(const emu::Message& request, emu::Cycle cycle) override {
    for (emu::Observer* o : all_) o->served(request, cycle);
  }
  void host_accessed(const emu::Actor& who, emu::AccessKind kind, uint64_t address, uint64_t bytes) override {
    for (emu::Observer* o : all_) o->host_accessed(who, kind, address, bytes);
  }
  void noted(const arch::note::Note& note, emu::Cycle cycle) override {
    for (emu::Observer* o : all_) o->noted(note, cycle);
  }
  void stalled(const emu::Actor& who, const emu::Stall& stall) override {
    for (emu::Observer* o : all_) o->stalled(who, stall);
  }
  void released(const emu::Actor& who, emu::Agent by) override {
    for (emu::Observer* o : all_) o->released(who, by);
  }
  void worked(const emu::Actor& who, const emu::UnitWork& work) override {
    for (emu::Observer* o : all_) o->worked(who, work);
  }
  void link_taken(const emu::LinkUse& use) override {
    for (emu::Observer* o : all_) o->link_taken(use);
  }

 private:
  std::vector<emu::Observer*> loud_, all_;
};

}  // namespace kerr::report
