#include "check/clock.hpp"

#include <algorithm>

namespace kerr::check {

bool Chunk::raise(uint32_t c, uint32_t number) {
  if (c >= component::kFixed) {
    const size_t n = c - component::kFixed;
    if (number == 0) return false;
    if (n >= channels.size()) channels.resize(n + 1);
    if (channels[n] >= number) return false;
    channels[n] = number;
    return true;
  }
  if (fixed[c] >= number) return false;
  fixed[c] = number;
  return true;
}

bool Chunk::join(const Chunk& other) {
  uint32_t more = 0;
  for (size_t i = 0; i < fixed.size(); ++i) {
    more |= other.fixed[i] > fixed[i] ? 1u : 0u;
    fixed[i] = std::max(fixed[i], other.fixed[i]);
  }
  if (channels.size() < other.channels.size()) channels.resize(other.channels.size());
  for (size_t i = 0; i < other.channels.size(); ++i) {
    more |= other.channels[i] > channels[i] ? 1u : 0u;
    channels[i] = std::max(channels[i], other.channels[i]);
  }
  return more != 0;
}

bool Chunk::covers(const Chunk& other) const {
  uint32_t less = 0;
  for (size_t i = 0; i < fixed.size(); ++i) less |= other.fixed[i] > fixed[i] ? 1u : 0u;
  for (size_t i = 0; i < other.channels.size() && less == 0; ++i) {
    less |= other.channels[i] > (i < channels.size() ? channels[i] : 0) ? 1u : 0u;
  }
  return less == 0;
}

uint32_t Snapshot::at(Place place, uint32_t c) const {
  if (place == own_) return chunk_->at(c);
  if (!others_) return 0;
  const auto part = std::ranges::lower_bound(*others_, place, {}, &Part::place);
  return part != others_->end() && part->place == place ? part->chunk->at(c) : 0;
}

uint32_t Clock::at(Place place, uint32_t c) const {
  if (place == own_) return chunk_.at(c);
  if (!others_) return 0;
  const auto part = std::ranges::lower_bound(*others_, place, {}, &Snapshot::Part::place);
  return part != others_->end() && part->place == place ? part->chunk->at(c) : 0;
}

bool Clock::raise(uint32_t own_component, uint32_t number) {
  if (!chunk_.raise(own_component, number)) return false;
  last_.reset();
  last_chunk_.reset();
  return true;
}

bool Clock::raise(const Event& e) {
  if (e.place == own_) return raise(e.component, e.number);
  if (at(e.place, e.component) >= e.number) return false;
  Snapshot::Parts& parts = others_to_change();
  auto part = std::ranges::lower_bound(parts, e.place, {}, &Snapshot::Part::place);
  if (part == parts.end() || part->place != e.place) {
    part = parts.insert(part, {e.place, std::make_shared<const Chunk>()});
  }
  auto changed = std::make_shared<Chunk>(*part->chunk);
  changed->raise(e.component, e.number);
  part->chunk = std::move(changed);
  return true;
}

bool Clock::join_own(const Chunk& chunk) {
  if (!chunk_.join(chunk)) return false;
  last_.reset();
  last_chunk_.reset();
  return true;
}

bool Clock::join(const Snapshot& other) {
  bool more = false;
  if (other.own_ == own_) {
    more |= other.chunk_ != last_chunk_ && join_own(*other.chunk_);
  } else {
    more |= join_part(other.own_, other.chunk_);
  }
  if (!other.others_ || other.others_ == others_) return more;
  if (!others_ && other.own_ == own_) {
    others_ = other.others_;
    own_others_.reset();
    last_.reset();
    return true;
  }
  if (std::ranges::find(joined_, other.others_) != joined_.end()) return more;
  joined_[next_joined_++ % joined_.size()] = other.others_;
  for (const Snapshot::Part& part : *other.others_) {
    more |= part.place == own_ ? join_own(*part.chunk) : join_part(part.place, part.chunk);
  }
  return more;
}

bool Clock::join(const Snapshot& other, const Event& most) {
  if (most.place != other.own_ || other.chunk_->at(most.component) <= most.number) return join(other);
  auto less = std::make_shared<Chunk>(*other.chunk_);
  less->fixed[most.component] = most.number;
  Snapshot capped = other;
  capped.chunk_ = std::move(less);
  return join(capped);
}

bool Clock::join_part(Place place, const std::shared_ptr<const Chunk>& chunk) {
  if (others_) {
    const auto part = std::ranges::lower_bound(*others_, place, {}, &Snapshot::Part::place);
    if (part != others_->end() && part->place == place) {
      if (part->chunk == chunk || part->chunk->covers(*chunk)) return false;
      const size_t at = static_cast<size_t>(part - others_->begin());
      std::shared_ptr<const Chunk> joined = chunk;
      if (!chunk->covers(*part->chunk)) {
        auto both = std::make_shared<Chunk>(*part->chunk);
        both->join(*chunk);
        joined = std::move(both);
      }
      others_to_change()[at].chunk = std::move(joined);
      return true;
    }
  }
  Snapshot::Parts& parts = others_to_change();
  parts.insert(std::ranges::lower_bound(parts, place, {}, &Snapshot::Part::place), {place, chunk});
  return true;
}

Snapshot::Parts& Clock::others_to_change() {
  last_.reset();
  if (!own_others_) {
    own_others_ = others_ ? std::make_shared<Snapshot::Parts>(*others_) : std::make_shared<Snapshot::Parts>();
    others_ = own_others_;
  }
  return *own_others_;
}

const SnapshotPtr& Clock::snapshot() {
  if (last_) return last_;
  if (!last_chunk_) last_chunk_ = std::make_shared<const Chunk>(chunk_);
  auto made = std::make_shared<Snapshot>();
  made->own_ = own_;
  made->chunk_ = last_chunk_;
  made->others_ = others_;
  own_others_.reset();
  last_ = std::move(made);
  return last_;
}

}  // namespace kerr::check
