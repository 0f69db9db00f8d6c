#include "check/coprocessor/numbered_semaphore.hpp"

#include <algorithm>

#include "arch/sync.hpp"

namespace kerr::check {

void NumberedSemaphore::forget() {
  for (Entries* const entries : {&posts_, &gets_}) {
    for (const Entry& e : entries->last) {
      before_.join(e.clock);
      before_.raise(e.event);
    }
    *entries = {};
  }
}

void NumberedSemaphore::init(uint32_t value, uint32_t max, const SnapshotPtr& clock) {
  forget();
  before_.join(clock);
  first_ = value;
  max_ = max;
}

void NumberedSemaphore::add(Entries& to, const Event& event, const SnapshotPtr& clock, const Stamp& by) {
  to.last.push_back({event, clock, by});
  if (to.last.size() <= kMost) return;
  before_.join(to.last.front().clock);
  before_.raise(to.last.front().event);
  to.last.pop_front();
  ++to.older;
}

const Stamp* NumberedSemaphore::unknown_to(const Clock& reader, bool posts) const {
  for (const Entry& e : (posts ? posts_ : gets_).last)
    if (e.by.part != Part::Nobody && !reader.knows(e.event)) return &e.by;
  return nullptr;
}

std::optional<uint32_t> NumberedSemaphore::value() const {
  if (!first_) return std::nullopt;
  const int64_t value = *first_ + posts_.older + static_cast<int64_t>(posts_.last.size()) - gets_.older -
                        static_cast<int64_t>(gets_.last.size());
  if (value < 0 || value > arch::kSemaphoreMax) return std::nullopt;
  return static_cast<uint32_t>(value);
}

void NumberedSemaphore::saw(uint32_t value) {
  if (this->value() == value) return;
  forget();
  first_ = value;
}

int64_t NumberedSemaphore::known(const Entries& entries, const Clock& reader) {
  return entries.older + std::ranges::count_if(entries.last, [&](const Entry& e) { return reader.knows(e.event); });
}

// The first `count`. If several agents have made what the reader does not know yet, a number does not tell which.
void NumberedSemaphore::take(Clock& reader, const Entries& entries, int64_t count) {
  if (count <= 0) return;
  const Event* maker = nullptr;
  bool several = false;
  for (const Entry& e : entries.last) {
    if (reader.knows(e.event)) continue;
    several |= maker != nullptr && (maker->component != e.event.component || maker->place != e.event.place);
    maker = &e.event;
  }
  int64_t number = entries.older;
  for (const Entry& e : entries.last) {
    if (++number > count && !several) return;
    reader.join(e.clock);
    reader.raise(e.event);
  }
}

void NumberedSemaphore::acquire(Clock& reader) {
  reader.join(before_.snapshot());
  take(reader, posts_, INT64_MAX);
  take(reader, gets_, INT64_MAX);
}

void NumberedSemaphore::acquire_not_zero(Clock& reader) {
  if (!first_) return acquire(reader);
  reader.join(before_.snapshot());
  take(reader, posts_, known(gets_, reader) + 1 - *first_);
}

void NumberedSemaphore::acquire_below_max(Clock& reader) {
  if (!first_ || !max_) return acquire(reader);
  reader.join(before_.snapshot());
  take(reader, gets_, known(posts_, reader) + *first_ - *max_ + 1);
}

void NumberedSemaphore::acquire(Clock& reader, uint32_t least, uint32_t most) {
  if (!first_) return acquire(reader);
  reader.join(before_.snapshot());
  const int64_t posts = known(gets_, reader) + least - *first_, gets = known(posts_, reader) + *first_ - most;
  take(reader, posts_, posts);
  take(reader, gets_, gets);
}

}  // namespace kerr::check
