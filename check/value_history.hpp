// Who has made a counter or a flag what it is: a stream register, a word that atomics change.
// docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "check/clock.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// The last values of one register or word, and what is behind each. An acquire takes what the program has asked for,
/// not what it happened to find.
class ValueHistory {
 public:
  struct Entry {
    uint32_t value = 0;  // afterwards
    Event event;         // whoever knows it knows that this has happened
    SnapshotPtr clock;   // what came before
    bool adds = false;   // it has changed what was there by some amount; else it has replaced it
    Stamp by{};          // who it was, for reports
  };

  explicit ValueHistory(Place own, uint32_t first = 0) : own_(own), first_(first) {}

  uint32_t value() const { return entries_.empty() ? first_ : entries_.back().value; }
  const std::vector<Entry>& entries() const { return entries_; }

  void note(Entry entry);
  /// A value of which nobody knows how it came to be.
  void forget(uint32_t value);
  /// Others have added to it, or it began with something else.
  void now_is(uint32_t value);

  /// Whether the load would have ended its wait with this value too; nothing: that is not known.
  using Leaves = std::function<std::optional<bool>(uint32_t value)>;
  /// The reader takes over what made the weakest value that would have let it go. True if it knows more than before.
  bool acquire(Clock& reader, const Leaves& leaves) const;
  /// The same of the value that is there.
  bool acquire(Clock& reader) const { return take(reader, entries_.size()); }

 private:
  static constexpr size_t kMost = 16;

  bool take(Clock& reader, size_t count) const;
  bool one_maker_unknown_to(const Clock& reader) const;

  Place own_;
  std::vector<Entry> entries_;
  std::unique_ptr<Clock> older_;  // of what is not among them any more; null: that is nothing
  uint32_t first_;                // the value before the oldest of them
};

}  // namespace kerr::check
