#include "check/value_history.hpp"

#include <utility>

namespace kerr::check {

void ValueHistory::note(Entry entry) {
  if (entries_.size() >= kMost) {
    if (!older_) older_ = std::make_unique<Clock>(own_);
    older_->join(entries_.front().clock);
    older_->raise(entries_.front().event);
    first_ = entries_.front().value;
    entries_.erase(entries_.begin());
  }
  entries_.push_back(std::move(entry));
}

void ValueHistory::forget(uint32_t value) {
  entries_.clear();
  first_ = value;
}

void ValueHistory::now_is(uint32_t now) {
  const uint32_t more = now - value();
  first_ += more;
  for (Entry& e : entries_) e.value += more;
}

bool ValueHistory::acquire(Clock& reader, const Leaves& leaves) const {
  size_t count = entries_.size();
  while (count > 0) {
    const uint32_t before = count >= 2 ? entries_[count - 2].value : first_;
    if (leaves(before) != true) break;
    --count;
  }
  // Of several that add to it nobody can tell which ones have made a smaller sum.
  if (count < entries_.size() && count > 0 && entries_.back().adds && !one_maker_unknown_to(reader)) count = 0;
  return take(reader, count);
}

bool ValueHistory::take(Clock& reader, size_t count) const {
  bool more = false;
  if (older_) more |= reader.join(older_->snapshot());
  for (size_t n = 0; n < count; ++n) {
    const Entry& e = entries_[n];
    if (reader.knows(e.event) && n + 1 != count) continue;
    more |= reader.join(e.clock);
    more |= reader.raise(e.event);
  }
  return more;
}

bool ValueHistory::one_maker_unknown_to(const Clock& reader) const {
  const Entry* first = nullptr;
  for (const Entry& e : entries_) {
    if (reader.knows(e.event)) continue;
    if (first == nullptr) {
      first = &e;
    } else if (e.event.place != first->event.place || e.event.component != first->event.component) {
      return false;
    }
  }
  return true;
}

}  // namespace kerr::check
