// Several observers of one machine.
#pragma once

#include <utility>
#include <vector>

#include "emu/observe/observer.hpp"

namespace kerr::report {

/// Tells each of them, in their order. They must outlive the machine.
class Observers final : public emu::Observer {
 public:
  explicit Observers(std::vector<emu::Observer*> observers) : all_(std::move(observers)) {}

  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override {
    for (emu::Observer* o : all_) o->retired(who, pc, word);
  }
  void issued(const emu::Actor& who, uint32_t word) override {
    for (emu::Observer* o : all_) o->issued(who, word);
  }
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes) override {
    for (emu::Observer* o : all_) o->accessed(who, kind, address, bytes);
  }
  void packet_left(const emu::Message& message) override {
    for (emu::Observer* o : all_) o->packet_left(message);
  }
  void packet_arrived(const emu::Message& message) override {
    for (emu::Observer* o : all_) o->packet_arrived(message);
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
  std::vector<emu::Observer*> all_;
};

}  // namespace kerr::report
