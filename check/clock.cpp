#include "check/clock.hpp"

#include <algorithm>

namespace kerr::check {

namespace {

// The longest prefix that both have is compared, or joined, without looking at lengths.
bool has_more(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  const size_t common = std::min(a.size(), b.size());
  uint32_t more = 0;
  for (size_t i = 0; i < common; ++i) more |= a[i] > b[i] ? 1u : 0u;
  for (size_t i = common; i < a.size(); ++i) more |= a[i];
  return more != 0;
}

bool join(std::vector<uint32_t>& to, const std::vector<uint32_t>& other) {
  if (to.size() < other.size()) to.resize(other.size());
  uint32_t more = 0;
  for (size_t i = 0; i < other.size(); ++i) {
    more |= other[i] > to[i] ? 1u : 0u;
    to[i] = std::max(to[i], other[i]);
  }
  return more != 0;
}

}  // namespace

bool Chunk::raise(uint32_t c, uint32_t number) {
  if (c < component::kCore) {
    if (core_[c] >= number) return false;
    core_[c] = number;
    return true;
  }
  if (number == 0) return false;
  std::vector<uint32_t>& more = c < component::kFixed ? ids_ : channels_;
  const size_t n = index_of(c);
  if (n >= more.size()) more.resize(n + 1);
  if (more[n] >= number) return false;
  more[n] = number;
  return true;
}

bool Chunk::join(const Chunk& other) {
  uint32_t more = 0;
  for (size_t i = 0; i < core_.size(); ++i) {
    more |= other.core_[i] > core_[i] ? 1u : 0u;
    core_[i] = std::max(core_[i], other.core_[i]);
  }
  const bool ids = check::join(ids_, other.ids_), channels = check::join(channels_, other.channels_);
  return more != 0 || ids || channels;
}

Chunk::Difference Chunk::compared_with(const Chunk& other) const {
  uint32_t here = 0, there = 0;
  for (size_t i = 0; i < core_.size(); ++i) {
    here |= core_[i] > other.core_[i] ? 1u : 0u;
    there |= other.core_[i] > core_[i] ? 1u : 0u;
  }
  return {here != 0 || has_more(ids_, other.ids_) || has_more(channels_, other.channels_),
          there != 0 || has_more(other.ids_, ids_) || has_more(other.channels_, channels_)};
}

// The copy shares nothing that the other one still changes.
Clock::Clock(const Clock& other)
    : own_(other.own_),
      ticks_(other.ticks_),
      tick_(other.tick_),
      version_(other.version_),
      chunk_(other.chunk_),
      others_(other.others_),
      last_(other.last_),
      last_for_others_(other.last_for_others_),
      last_chunk_(other.last_chunk_) {
  if (!other.own_others_) return;
  auto copy = std::make_shared<OtherTiles>(*other.own_others_);
  for (OtherTiles::Branch& b : copy->branches)
    if (b.own) b.node = std::make_shared<Node>(*b.node);
  others_ = own_others_ = std::move(copy);
}

bool Clock::raise(const Event& e) {
  if (e.place == own_) return raise(e.component, e.number);
  if (at(e.place, e.component) >= e.number) return false;
  std::shared_ptr<const Chunk>& chunk =
      node_to_change(e.place / OtherTiles::kPlaces).chunks[e.place % OtherTiles::kPlaces];
  auto more = chunk ? std::make_shared<Chunk>(*chunk) : std::make_shared<Chunk>();
  more->raise(e.component, e.number);
  chunk = std::move(more);
  return true;
}

bool Clock::join(const Snapshot& other) {
  bool more = join_others(other.others_);
  if (other.own_ == own_) {
    more |= join_own(other.chunk_);
    if (other.ticks_ != kNoComponent) more |= raise(other.ticks_, other.tick_);
    return more;
  }
  if (other.ticks_ == kNoComponent) return join_chunk(other.own_, other.chunk_) | more;
  auto whole = std::make_shared<Chunk>(*other.chunk_);
  whole->raise(other.ticks_, other.tick_);
  return join_chunk(other.own_, std::move(whole)) | more;
}

bool Clock::join(const Snapshot& other, const Event& most) {
  if (most.place != other.own_ || other.own_at(most.component) <= most.number) return join(other);
  Snapshot capped = other;
  if (most.component == other.ticks_) {
    capped.tick_ = most.number;
  } else {
    auto less = std::make_shared<Chunk>(*other.chunk_);
    less->set(most.component, most.number);
    capped.chunk_ = std::move(less);
  }
  return join(capped);
}

bool Clock::join_own(const std::shared_ptr<const Chunk>& chunk) {
  if (chunk == last_chunk_ || joined_chunks_.has(chunk)) return false;
  joined_chunks_.note(chunk);
  if (ticks_ != kNoComponent) chunk_.set(ticks_, tick_);
  const bool more = chunk_.join(*chunk);
  if (ticks_ != kNoComponent) chunk_.set(ticks_, 0);
  return more && chunk_changed();
}

bool Clock::join_chunk(Place place, const std::shared_ptr<const Chunk>& chunk) {
  const uint32_t key = place / OtherTiles::kPlaces, n = place % OtherTiles::kPlaces;
  const Node* const node = others_ ? others_->find(key) : nullptr;
  if (node == nullptr || !node->chunks[n]) {
    node_to_change(key).chunks[n] = chunk;
    return true;
  }
  const std::shared_ptr<const Chunk>& known = node->chunks[n];
  if (known == chunk) return false;
  const Chunk::Difference difference = known->compared_with(*chunk);
  if (!difference.there) return false;
  std::shared_ptr<const Chunk> joined = chunk;
  if (difference.here) {
    auto both = std::make_shared<Chunk>(*known);
    both->join(*chunk);
    joined = std::move(both);
  }
  node_to_change(key).chunks[n] = std::move(joined);
  return true;
}

bool Clock::join_others(const std::shared_ptr<const OtherTiles>& others) {
  if (!others || others == others_ || joined_others_.has(others)) return false;
  joined_others_.note(others);
  bool more = false;
  for (const OtherTiles::Branch& b : others->branches) more |= join_node(b.key, b.node);
  if (others_ && std::ranges::equal(others->branches, others_->branches, {}, &OtherTiles::Branch::node,
                                    &OtherTiles::Branch::node)) {
    others_ = others;
    own_others_.reset();
  }
  return more;
}

// Chunks of the own tile are in the trees of others, and may be in the own one: nobody looks there.
bool Clock::join_node(uint32_t key, const std::shared_ptr<Node>& theirs) {
  const Node* const node = others_ ? others_->find(key) : nullptr;
  if (node == theirs.get()) return false;
  bool more = false;
  const uint32_t self = own_ / OtherTiles::kPlaces == key ? own_ % OtherTiles::kPlaces : OtherTiles::kPlaces;
  if (self < OtherTiles::kPlaces) {
    if (const auto& chunk = theirs->chunks[self]) more |= join_own(chunk);
  }
  enum class Take : uint8_t { Ours, Theirs, Both, Either };
  std::array<Take, OtherTiles::kPlaces> take{};
  bool ours = false, any = false;
  for (uint32_t n = 0; n < OtherTiles::kPlaces; ++n) {
    const Chunk* const a = node != nullptr ? node->chunks[n].get() : nullptr;
    const Chunk* const b = theirs->chunks[n].get();
    if (a == b || n == self) {
      take[n] = Take::Either;
    } else if (b == nullptr) {
      take[n] = Take::Ours;
    } else if (a == nullptr) {
      take[n] = Take::Theirs;
    } else {
      const Chunk::Difference difference = a->compared_with(*b);
      take[n] = difference.there ? (difference.here ? Take::Both : Take::Theirs)
                                 : (difference.here ? Take::Ours : Take::Either);
    }
    ours |= take[n] == Take::Ours || take[n] == Take::Both;
    any |= take[n] == Take::Theirs || take[n] == Take::Both;
  }
  if (!any) return more;
  if (!ours) {  // all of theirs, which others have too
    OtherTiles& tree = others_to_change();
    const auto at = std::ranges::lower_bound(tree.branches, key, {}, &OtherTiles::Branch::key);
    if (at != tree.branches.end() && at->key == key) {
      at->own = false;
      at->node = theirs;
    } else {
      tree.branches.insert(at, {key, false, theirs});
    }
    return true;
  }
  Node& to = node_to_change(key);
  for (uint32_t n = 0; n < OtherTiles::kPlaces; ++n) {
    if (take[n] == Take::Theirs) to.chunks[n] = theirs->chunks[n];
    if (take[n] != Take::Both) continue;
    auto both = std::make_shared<Chunk>(*to.chunks[n]);
    both->join(*theirs->chunks[n]);
    to.chunks[n] = std::move(both);
  }
  return true;
}

OtherTiles& Clock::others_to_change() {
  changed();
  if (!own_others_) {
    own_others_ = others_ ? std::make_shared<OtherTiles>(*others_) : std::make_shared<OtherTiles>();
    for (OtherTiles::Branch& b : own_others_->branches) b.own = false;
    others_ = own_others_;
  }
  return *own_others_;
}

OtherTiles::Node& Clock::node_to_change(uint32_t key) {
  OtherTiles& tree = others_to_change();
  auto at = std::ranges::lower_bound(tree.branches, key, {}, &OtherTiles::Branch::key);
  if (at == tree.branches.end() || at->key != key) at = tree.branches.insert(at, {key, true, std::make_shared<Node>()});
  if (!at->own) {
    at->node = std::make_shared<Node>(*at->node);
    at->own = true;
  }
  return *at->node;
}

const SnapshotPtr& Clock::snapshot() {
  if (last_) return last_;
  if (!last_chunk_) last_chunk_ = std::make_shared<const Chunk>(chunk_);
  auto made = std::make_shared<Snapshot>();
  made->own_ = own_;
  made->ticks_ = ticks_;
  made->tick_ = tick_;
  made->chunk_ = last_chunk_;
  made->others_ = others_;
  own_others_.reset();
  last_ = std::move(made);
  return last_;
}

const SnapshotPtr& Clock::snapshot_for_others() {
  if (ticks_ == kNoComponent) return snapshot();
  if (last_for_others_) return last_for_others_;
  auto whole = std::make_shared<Chunk>(chunk_);
  whole->set(ticks_, tick_);
  auto made = std::make_shared<Snapshot>();
  made->own_ = own_;
  made->chunk_ = std::move(whole);
  made->others_ = others_;
  own_others_.reset();
  last_for_others_ = std::move(made);
  return last_for_others_;
}

}  // namespace kerr::check
