// Words by which agents wait for each other: declared, polled, or changed by atomics.
#include <cstring>

#include "arch/cq_layout.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

using emu::Agent;

// Whoever waits for an entry of the prefetch queue looks at the others without waiting. docs/hardware/fast-dispatch.md 4.3
void TileChecker::make_flag(uint32_t address, uint32_t bytes) {
  if (address - arch::cq::kPrefetchQ < arch::cq::kPrefetchQBytes) {
    address = arch::cq::kPrefetchQ;
    bytes = arch::cq::kPrefetchQBytes;
  }
  for (uint32_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
    flags_[word] = true;
    l1_.forget_readers(4 * word, 4);
  }
}

void TileChecker::atomic(const Stamp& by, const View& view, const Event& event, const SnapshotPtr& clock,
                         uint32_t address, uint32_t value) {
  if (!is_flag(address, 4)) make_flag(address, 4);
  uint32_t before = 0;
  std::memcpy(&before, view_.l1.data() + address, 4);
  ValueHistory& word = words_.try_emplace(address, place_, before).first->second;
  word.note({.value = value, .event = event, .clock = clock, .adds = true, .by = by});
  l1_.each_write(address, 4, [&](const Stamp& earlier, uint64_t) {
    if (!view.knows(earlier, directory_)) conflict(earlier, true, by, true, address, 4);
  });
}

void TileChecker::stored_over_atomics(const Stamp& by, const View& view, uint32_t address, uint32_t bytes,
                                      uint32_t value) {
  if (!is_flag(address, bytes)) return;
  for (uint32_t word = address & ~3u; word < address + bytes; word += 4) {
    const auto found = words_.find(word);
    if (found == words_.end()) continue;
    for (const ValueHistory::Entry& e : found->second.entries()) {
      if (view.knows(e.event)) continue;
      conflict(e.by, true, by, true, word, 4);
      break;
    }
    uint32_t now = 0;
    std::memcpy(&now, view_.l1.data() + word, 4);
    if (bytes <= 4) {
      std::memcpy(reinterpret_cast<uint8_t*>(&now) + (address & 3), &value, bytes);
      found->second.forget(now);
    } else {
      words_.erase(found);
    }
  }
}

bool TileChecker::acquire_writers(Clock& reader, uint32_t address, uint32_t bytes) {
  bool more = false;
  l1_.each_write(address, bytes, [&](const Stamp& writer, uint64_t) { more |= acquire_from(reader, writer); });
  return more;
}

bool TileChecker::acquire_from(Clock& reader, const Stamp& writer) {
  switch (writer.part) {
    case Part::Agent: {
      const auto number = static_cast<uint32_t>(writer.number);
      if (writer.place == kHostPlace) return host_.clock.hand_store(reader, number);
      if (writer.place != place_) return reader.raise(writer.event());
      if (writer.component < 5) return hart(writer.component).hand_store(reader, number);
      ThreadClock& t = thread(writer.agent >= Agent::Thread0 && writer.agent <= Agent::Thread2
                                  ? static_cast<int>(writer.agent) - static_cast<int>(Agent::Thread0)
                                  : 0);
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
