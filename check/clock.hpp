// Vector clocks: what an agent knows to have happened.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/component.hpp"

namespace kerr::check {

/// The components of one tile.
struct Chunk {
  std::array<uint32_t, component::kFixed> fixed{};
  std::vector<uint32_t> channels;

  uint32_t at(uint32_t c) const {
    if (c < component::kFixed) return fixed[c];
    return c - component::kFixed < channels.size() ? channels[c - component::kFixed] : 0;
  }
  /// Never less than it was. True if it is more.
  bool raise(uint32_t c, uint32_t number);
  /// True if something is more than it was.
  bool join(const Chunk& other);
  bool covers(const Chunk& other) const;
};

/// A clock that does not change any more: what a release hands on. Shared freely, between threads too.
class Snapshot {
 public:
  bool knows(const Event& e) const { return at(e.place, e.component) >= e.number; }
  uint32_t at(Place place, uint32_t c) const;

 private:
  friend class Clock;
  struct Part {
    Place place;
    std::shared_ptr<const Chunk> chunk;
  };
  using Parts = std::vector<Part>;  // by place

  Place own_ = 0;
  std::shared_ptr<const Chunk> chunk_;   // of `own_`
  std::shared_ptr<const Parts> others_;  // of other tiles; null: none
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// The clock of an agent that lives.
class Clock {
 public:
  explicit Clock(Place own) : own_(own) {}

  Place place() const { return own_; }
  bool knows(const Event& e) const { return at(e.place, e.component) >= e.number; }
  uint32_t at(uint32_t own_component) const { return chunk_.at(own_component); }
  uint32_t at(Place place, uint32_t c) const;

  /// True if the agent knows more than before.
  bool raise(uint32_t own_component, uint32_t number);
  bool raise(const Event& e);
  bool join(const Snapshot& other);
  /// The same, but of `most.component` of `most.place` no more than `most.number`: what came behind is not meant.
  bool join(const Snapshot& other, const Event& most);
  bool join(const SnapshotPtr& other) { return other && join(*other); }

  /// The same one as long as nothing changes.
  const SnapshotPtr& snapshot();

 private:
  bool join_own(const Chunk& chunk);
  bool join_part(Place place, const std::shared_ptr<const Chunk>& chunk);
  Snapshot::Parts& others_to_change();

  Place own_;
  Chunk chunk_;
  std::shared_ptr<const Snapshot::Parts> others_;
  std::array<std::shared_ptr<const Snapshot::Parts>, 4> joined_;  // the last ones, which say nothing new again
  size_t next_joined_ = 0;
  std::shared_ptr<Snapshot::Parts> own_others_;  // `others_`, as long as nobody else has seen it
  SnapshotPtr last_;                             // null: something has changed since
  std::shared_ptr<const Chunk> last_chunk_;      // of last_, if the own chunk is as it was
};

}  // namespace kerr::check
