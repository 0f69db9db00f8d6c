// The clocks of those who act: harts, coprocessor threads, the host.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "check/clock.hpp"

namespace kerr::check {

/// An agent whose accesses are ordered: a hart, or the host. Its component counts its stores, and whatever else must be
/// told apart: whoever knows a number knows everything up to it, and nothing behind.
class AgentClock {
 public:
  AgentClock(Place place, uint32_t component)
      : clock_(place, place == kHostPlace ? kNoComponent : component), component_(component) {
    clock_.raise(component, 1);
  }

  const Clock& clock() const { return clock_; }
  Event event() const { return {clock_.place(), component_, number_}; }

  /// The number of a read, or of a store, that happens now.
  uint32_t reads() {
    if (released_) tick();
    return number_;
  }
  uint32_t stores() {
    tick();
    released_ = stored_ = true;
    return number_;
  }
  /// What is handed on: everything so far; to agents of this tile, or of others.
  const SnapshotPtr& release() {
    released_ = true;
    return clock_.snapshot();
  }
  const SnapshotPtr& release_to_others() {
    released_ = true;
    return clock_.snapshot_for_others();
  }
  /// Runs `change(clock)`, after which the agent may know more.
  template <class Change>
  void acquire(Change change) {
    const SnapshotPtr before = stored_ ? clock_.snapshot() : nullptr;
    const uint32_t until = number_;
    const uint64_t version = clock_.version();
    change(clock_);
    if (before == nullptr || clock_.version() == version) return;
    if (history_.size() >= kMostHistory) history_.pop_front();
    history_.emplace_back(until, before);
    stored_ = false;
  }
  /// Until the next change hand_store() changes nothing here.
  void publish() { static_cast<void>(clock_.snapshot()); }
  /// `reader` takes over what the agent knew at its store `number`.
  bool hand_store(Clock& reader, uint32_t number);

 private:
  static constexpr size_t kMostHistory = 1024;

  void tick() {
    clock_.raise(component_, ++number_);
    released_ = false;
  }

  Clock clock_;
  const uint32_t component_;
  uint32_t number_ = 1;
  bool released_ = false;                                 // since then nothing was accessed
  bool stored_ = false;                                   // since the last entry of the history
  std::deque<std::pair<uint32_t, SnapshotPtr>> history_;  // what was known up to a number, oldest first
};

/// A coprocessor thread: what it issues is numbered, and what its units do ends some time later.
struct ThreadClock {
  ThreadClock(Place place, int thread) : clock(place, component::issue(thread)), component(component::issue(thread)) {}

  /// From this push on whoever pushed knew that.
  struct Push {
    uint32_t number = 0;
    SnapshotPtr clock;
  };
  /// A wait that holds instructions of the classes in `blocks` until it is over.
  struct Gate {
    uint32_t blocks = 0;
    uint32_t lanes = 0;       // of Lane, one bit each
    uint32_t issue = 0;       // of the wait
    uint32_t stores = 0;      // of the hart that feeds the thread: up to this number; 0: none
    uint32_t banks = 0;       // banks_of_conditions()
    uint32_t semaphores = 0;  // one bit each
    uint32_t conditions = 0;  // of those semaphores, as in SEMWAIT
  };

  Clock clock;
  uint32_t component;
  uint32_t issue = 0;       // of the last instruction
  uint32_t began = 0;       // the issue number of which the waits before it have been taken in
  std::deque<Push> pushes;  // whose words have not been issued yet, and that of the one which is
  SnapshotPtr last_pushed;  // of pushes, also if it has been taken in
  std::deque<Gate> gates;
  uint32_t stores_done = 0;  // waits have covered the hart's stores up to this number
};

}  // namespace kerr::check
