// Vector clocks: what an agent knows to have happened.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/component.hpp"

namespace kerr::check {

/// The components of one tile.
class Chunk {
 public:
  uint32_t at(uint32_t c) const {
    if (c < component::kCore) return core_[c];
    const std::vector<uint32_t>& more = c < component::kFixed ? ids_ : channels_;
    const size_t n = index_of(c);
    return n < more.size() ? more[n] : 0;
  }
  /// Never less than it was. True if it is more.
  bool raise(uint32_t c, uint32_t number);
  /// Perhaps less than it was.
  void set(uint32_t core_component, uint32_t number) { core_[core_component] = number; }
  /// True if something is more than it was.
  bool join(const Chunk& other);
  /// Who of the two has something that the other has not.
  struct Difference {
    bool here = false, there = false;
  };
  Difference compared_with(const Chunk& other) const;

 private:
  static size_t index_of(uint32_t c) { return c - (c < component::kFixed ? component::kCore : component::kFixed); }

  std::array<uint32_t, component::kCore> core_{};
  std::vector<uint32_t> ids_, channels_;  // beyond the end: 0
};

/// What is known of other tiles: a tree of two levels, of which clocks share what they have heard from each other. So
/// two of them are seldom compared, and copied, tile by tile.
struct OtherTiles {
  static constexpr uint32_t kPlaces = 16;
  struct Node {
    std::array<std::shared_ptr<const Chunk>, kPlaces> chunks;  // null: nothing is known of that place
  };
  struct Branch {
    uint32_t key = 0;  // place / kPlaces
    bool own = false;  // nobody else has seen the node yet; of use to the clock that is building the tree
    std::shared_ptr<Node> node;
  };
  std::vector<Branch> branches;  // by key

  const Node* find(uint32_t key) const {
    for (const Branch& b : branches)
      if (b.key == key) return b.node.get();
    return nullptr;
  }
  uint32_t at(Place place, uint32_t c) const {
    const Node* const node = find(place / kPlaces);
    if (node == nullptr) return 0;
    const Chunk* const chunk = node->chunks[place % kPlaces].get();
    return chunk != nullptr ? chunk->at(c) : 0;
  }
};

inline constexpr uint32_t kNoComponent = ~0u;

/// A clock that does not change any more: what a release hands on. Shared freely, between threads too.
class Snapshot {
 public:
  bool knows(const Event& e) const { return at(e.place, e.component) >= e.number; }
  uint32_t at(Place place, uint32_t c) const {
    if (place == own_) return own_at(c);
    return others_ ? others_->at(place, c) : 0;
  }

 private:
  friend class Clock;

  uint32_t own_at(uint32_t c) const { return c == ticks_ ? tick_ : chunk_->at(c); }

  Place own_ = 0;
  uint32_t ticks_ = kNoComponent;  // as in Clock
  uint32_t tick_ = 0;
  std::shared_ptr<const Chunk> chunk_;        // of `own_`
  std::shared_ptr<const OtherTiles> others_;  // null: none
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// The clock of an agent that lives.
class Clock {
 public:
  /// `ticks`: the core component that counts what the agent itself does. It grows all the time, so it stands beside the
  /// others, which snapshots then share.
  explicit Clock(Place own, uint32_t ticks = kNoComponent) : own_(own), ticks_(ticks) {}
  Clock(const Clock& other);
  Clock& operator=(const Clock&) = delete;
  Clock(Clock&&) = default;
  Clock& operator=(Clock&&) = default;
  ~Clock() = default;

  Place place() const { return own_; }
  bool knows(const Event& e) const { return at(e.place, e.component) >= e.number; }
  uint32_t at(uint32_t own_component) const { return own_component == ticks_ ? tick_ : chunk_.at(own_component); }
  uint32_t at(Place place, uint32_t c) const {
    if (place == own_) return at(c);
    return others_ ? others_->at(place, c) : 0;
  }

  /// True if the agent knows more than before.
  bool raise(uint32_t own_component, uint32_t number) {
    if (own_component == ticks_) return tick_to(number);
    return chunk_.raise(own_component, number) && chunk_changed();
  }
  bool raise(const Event& e);
  bool join(const Snapshot& other);
  /// The same, but of `most.component` of `most.place` no more than `most.number`: what came behind is not meant.
  bool join(const Snapshot& other, const Event& most);
  bool join(const SnapshotPtr& other) { return other && join(*other); }

  /// The same one as long as nothing changes.
  const SnapshotPtr& snapshot();
  /// The same knowledge, for who shares it with other tiles.
  const SnapshotPtr& snapshot_for_others();
  /// Another number whenever the agent knows more.
  uint64_t version() const { return version_; }

 private:
  using Node = OtherTiles::Node;

  bool changed() {
    ++version_;
    if (last_) last_.reset();
    if (last_for_others_) last_for_others_.reset();
    return true;
  }
  bool chunk_changed() {
    last_chunk_.reset();
    return changed();
  }
  bool tick_to(uint32_t number) {
    if (number <= tick_) return false;
    tick_ = number;
    return changed();
  }
  bool join_own(const std::shared_ptr<const Chunk>& chunk);
  bool join_chunk(Place place, const std::shared_ptr<const Chunk>& chunk);
  bool join_others(const std::shared_ptr<const OtherTiles>& others);
  bool join_node(uint32_t key, const std::shared_ptr<Node>& theirs);
  OtherTiles& others_to_change();
  Node& node_to_change(uint32_t key);

  /// The last ones that were joined, which say nothing new again.
  template <class T>
  struct Joined {
    std::array<std::shared_ptr<const T>, 4> last;
    size_t next = 0;

    bool has(const std::shared_ptr<const T>& one) const {
      for (const auto& known : last)
        if (known == one) return true;
      return false;
    }
    void note(const std::shared_ptr<const T>& one) { last[next++ % last.size()] = one; }
  };

  Place own_;
  uint32_t ticks_;
  uint32_t tick_ = 0;
  uint64_t version_ = 0;
  Chunk chunk_;  // of `own_`; 0 at `ticks_`
  std::shared_ptr<const OtherTiles> others_;
  std::shared_ptr<OtherTiles> own_others_;  // `others_`, as long as nobody else has seen it
  Joined<Chunk> joined_chunks_;
  Joined<OtherTiles> joined_others_;
  SnapshotPtr last_, last_for_others_;       // null: something has changed since
  std::shared_ptr<const Chunk> last_chunk_;  // of last_, if the own chunk is as it was
};

}  // namespace kerr::check
