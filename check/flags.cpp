// Words by which agents wait for each other: declared, polled, or changed by atomics.
#include <algorithm>
#include <cstring>

#include "arch/cq_layout.hpp"
#include "check/tile_checker.hpp"
#include "isa/hints.hpp"

namespace kerr::check {

namespace {

// The word at `word` after a store of the low `bytes` (up to 4) of `value` at `address`.
constexpr uint32_t merged(uint32_t old, uint32_t word, uint32_t address, uint32_t bytes, uint32_t value) {
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t at = address + i - word;  // wraps before the word
    if (at >= 4) continue;
    old = (old & ~(0xFFu << 8 * at)) | (value >> 8 * i & 0xFF) << 8 * at;
  }
  return old;
}

// Programs on other tiles than the prefetcher's have their memory there, and use words.
constexpr bool is_prefetch_entry(uint32_t address, uint32_t bytes) {
  return bytes == arch::cq::kPrefetchQEntryBytes && address - arch::cq::kPrefetchQ < arch::cq::kPrefetchQBytes;
}

}  // namespace

// A hart that waits for an entry of the prefetch queue looks at the others without waiting.
// docs/hardware/fast-dispatch.md 4.3
void TileChecker::make_flag(uint32_t address, uint32_t bytes) {
  if (is_prefetch_entry(address, bytes)) {
    address = arch::cq::kPrefetchQ;
    bytes = arch::cq::kPrefetchQBytes;
  }
  add_flags(address, bytes);
}

// It may have been filled before anybody has waited for one.
void TileChecker::host_fills(uint32_t address, uint32_t bytes) {
  if (is_prefetch_entry(address, bytes)) add_flags(address, bytes);
}

void TileChecker::add_flags(uint32_t address, uint32_t bytes) {
  rules_changed();
  for (uint32_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
    flags_.add(word);
    l1_.forget_readers(4 * word, 4);
  }
}

void TileChecker::declare(const Declarations::Range& range) {
  const uint64_t size = view_.l1.size();
  if (range.address >= size || std::ranges::find(declared_, range) != declared_.end()) return;
  declared_.push_back(range);
  if (range.kind == Annotation::Kind::Private) return;
  make_flag(static_cast<uint32_t>(range.address), static_cast<uint32_t>(std::min(range.bytes, size - range.address)));
}

// A kernel says what bytes are. device/check.hpp
void TileChecker::take_hint(int h, uint32_t word) {
  namespace hint = isa::hint;
  const std::optional<hint::Hint> said = hint::decode(word);
  if (!said || said->kind != hint::Kind::Check) return;
  const auto n = static_cast<size_t>(h);
  const uint32_t value = view_.registers[n][said->rs1];
  Annotation::Kind kind{};
  switch (said->number) {
    case hint::kBytes: hinted_bytes_[n] = value; return;
    case hint::kFlag: kind = Annotation::Kind::Flag; break;
    case hint::kMonotonic: kind = Annotation::Kind::Monotonic; break;
    case hint::kPrivate: kind = Annotation::Kind::Private; break;
    default: return;
  }
  constexpr size_t kMost = 256;
  if (hinted_bytes_[n] != 0 && declared_.size() < kMost) declare({kind, value, hinted_bytes_[n]});
}

bool TileChecker::is_declared(Annotation::Kind kind, uint64_t address, uint64_t bytes) const {
  return std::ranges::any_of(declared_, [&](const auto& d) { return d.kind == kind && d.holds(address, bytes); });
}

void TileChecker::atomic(const Stamp& by, const View& view, const Event& event, const SnapshotPtr& clock,
                         uint32_t address, uint32_t bytes, uint32_t value) {
  for (uint32_t word = address & ~3u; word < address + bytes; word += 4) {
    if (!is_flag(word, 4)) make_flag(word, 4);
    uint32_t now = 0;
    std::memcpy(&now, view_.l1.data() + word, 4);
    ValueHistory& history = words_.try_emplace(word, place_, now).first->second;
    // What an atomic of more than 4 bytes makes of a word is not told.
    if (bytes <= 4) now = merged(now, word, address, bytes, value);
    history.note({.value = now, .event = event, .clock = clock, .adds = true, .by = by});
    l1_.each_write(word, 4, [&](const Stamp& earlier, uint64_t) {
      if (!view.knows(earlier, directory_)) conflict(earlier, true, by, true, word, 4);
    });
  }
}

void TileChecker::stored_over_atomics(const Stamp& by, const View& view, uint32_t address, uint32_t bytes,
                                      uint32_t value) {
  // A transfer that only passes over such a word sets up a launch: nobody needs to know what was before.
  const bool races = is_flag(address, bytes);
  for (auto found = words_.lower_bound(address & ~3u); found != words_.end() && found->first < address + bytes;) {
    const uint32_t word = found->first;
    for (const ValueHistory::Entry& e : found->second.entries()) {
      if (!races || view.knows(e.event) || view.knows(e.by, directory_)) continue;
      conflict(e.by, true, by, true, word, 4);
      break;
    }
    if (bytes > 4) {
      found = words_.erase(found);
      continue;
    }
    uint32_t now = 0;
    std::memcpy(&now, view_.l1.data() + word, 4);
    found->second.forget(merged(now, word, address, bytes, value));
    ++found;
  }
}

bool TileChecker::acquire_writers(Clock& reader, uint32_t address, uint32_t bytes) {
  bool more = false;
  l1_.each_write(address, bytes, [&](const Stamp& writer, uint64_t) { more |= acquire_from(reader, writer); });
  return more;
}

// Edges: flag, and of packets: one-packet, channel.
bool TileChecker::acquire_from(Clock& reader, const Stamp& writer) {
  switch (writer.part) {
    case Part::Agent: {
      const auto number = static_cast<uint32_t>(writer.number);
      if (writer.place == kHostPlace) {
        const bool more = host_.clock.hand_store(reader, number);
        return (writer.component == component::kHostCombined && reader.raise(writer.event())) || more;
      }
      if (writer.place != place_) return reader.raise(writer.event());
      if (writer.component < 5) return hart(writer.component).hand_store(reader, number);
      ThreadClock& t = thread(is_thread(writer.agent) ? thread_index(writer.agent) : 0);
      return reader.join(t.clock.snapshot()) | reader.raise(writer.event());
    }
    case Part::Arrival:
    case Part::Atomic: {
      const Transfer* const t = directory_.find(writer.place, writer.number);
      if (t == nullptr) return false;
      return reader.join(t->clock) | reader.raise(Event{writer.place, t->channel, t->in_channel});
    }
    default: return false;
  }
}

}  // namespace kerr::check
