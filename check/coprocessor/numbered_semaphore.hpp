// A semaphore of the coprocessor as clocks know it.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "check/clock.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// Posts and gets are numbered since the last SEMINIT, each with what came before it. Who waits concludes how many of
/// them there must have been, from those that it knows: with two halves of Dst the second post must not order the reuse
/// of the first. Edge: tensix-semaphore.
class NumberedSemaphore {
 public:
  explicit NumberedSemaphore(Place own) : before_(own) {}

  /// SEMINIT. `clock`: of who did it; also of posts and gets.
  void init(uint32_t value, uint32_t max, const SnapshotPtr& clock);
  void post(const Event& event, const SnapshotPtr& clock, const Stamp& by = {}) { add(posts_, event, clock, by); }
  void get(const Event& event, const SnapshotPtr& clock, const Stamp& by = {}) { add(gets_, event, clock, by); }
  /// The last post; nullptr: none, or nobody is said to have done it.
  const Stamp* last_post() const {
    return posts_.last.empty() || posts_.last.back().by.part == Part::Nobody ? nullptr : &posts_.last.back().by;
  }
  /// A SEMINIT has said what the maximum is.
  bool has_max() const { return max_.has_value(); }
  /// A post, or else a get, since the last SEMINIT that `reader` does not know, and that says who did it; nullptr:
  /// none.
  const Stamp* unknown_to(const Clock& reader, bool posts) const;
  /// The last SEMINIT, for as long as who did it is of interest.
  Stamp initialised;
  /// Somebody has seen that it has this value: if another was expected, nothing more can be concluded from what there
  /// was.
  void saw(uint32_t value);

  /// What it must be; nothing: not known.
  std::optional<uint32_t> value() const;

  /// The reader goes on because the value is not 0, or is below the maximum.
  void acquire_not_zero(Clock& reader);
  void acquire_below_max(Clock& reader);
  /// A hart that has waited for a value: it would have gone on with `least`, and with `most`.
  void acquire(Clock& reader, uint32_t least, uint32_t most);
  /// Everything.
  void acquire(Clock& reader);

 private:
  struct Entry {
    Event event;
    SnapshotPtr clock;
    Stamp by;
  };
  struct Entries {
    std::deque<Entry> last;
    int64_t older = 0;  // that are in before_
  };
  // More than a semaphore can count: nobody who waits is so far behind.
  static constexpr size_t kMost = 32;

  void add(Entries& to, const Event& event, const SnapshotPtr& clock, const Stamp& by);
  void forget();
  static int64_t known(const Entries& entries, const Clock& reader);
  static void take(Clock& reader, const Entries& entries, int64_t count);

  Entries posts_, gets_;
  Clock before_;                  // what is not numbered any more
  std::optional<int64_t> first_;  // the value that the numbers start from
  std::optional<uint32_t> max_;
};

}  // namespace kerr::check
