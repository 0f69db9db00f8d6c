#include "diff/event_recorder.hpp"

#include <algorithm>

#include "arch/memory_map.hpp"
#include "check/component.hpp"
#include "check/is_load.hpp"
#include "emu/hash.hpp"
#include "emu/noc/message.hpp"

namespace kerr::diff {

namespace {

using emu::Agent;
using Kind = Event::Kind;

size_t index_of(emu::TileId id) { return size_t{id.chip} << 8 | id.node; }
constexpr uint32_t kPushBytes = 0x3'0000;  // of three threads

Kind kind_of(emu::AccessKind kind) {
  switch (kind) {
    case emu::AccessKind::Load: return Kind::Load;
    case emu::AccessKind::Store: return Kind::Store;
    default: return Kind::Atomic;
  }
}

// All that the receiver makes of it.
uint64_t contents_of(const emu::Message& m) {
  uint64_t hash = emu::mix(m.operand, m.opcode_fields);
  hash = emu::mix(hash, m.length);
  hash = emu::mix(hash, m.byte_enables);
  return emu::mix_bytes(hash, m.payload.bytes());
}

Event event_of(Kind kind, const emu::Message& m, emu::TileId other) {
  return {.kind = kind,
          .bytes = static_cast<uint8_t>(std::min<size_t>(m.payload.size(), 255)),
          .message = static_cast<uint8_t>(m.kind),
          .other = other,
          .address = m.address,
          .value = contents_of(m)};
}

}  // namespace

EventRecorder::Tile& EventRecorder::tile(emu::TileId id) {
  const size_t at = index_of(id);
  if (at >= tiles_.size()) tiles_.resize(at + 1);
  if (!tiles_[at]) tiles_[at] = std::make_unique<Tile>();
  return *tiles_[at];
}

std::deque<Event>& EventRecorder::events(const Place& place) {
  return tile(place.tile).events[static_cast<size_t>(place.agent)];
}

void EventRecorder::add(emu::TileId id, Agent agent, const Event& event) {
  std::deque<Event>& events = tile(id).events[static_cast<size_t>(agent)];
  if (events.empty() && std::ranges::find(places_, Place{id, agent}) == places_.end()) places_.push_back({id, agent});
  events.push_back(event);
  ++waiting_;
}

// What was heard of it stays to be compared.
void EventRecorder::chip_made(int chip, emu::Cycle) {
  for (size_t at = size_t(chip) << 8; at < std::min(tiles_.size(), size_t(chip + 1) << 8); ++at)
    if (tiles_[at]) tiles_[at]->code.reset();
}

void EventRecorder::tile_made(const emu::TileView& view) {
  tile(view.tile).code = std::make_unique<check::Code>(view.l1);
}

void EventRecorder::pushed(const emu::Actor& a, int thread, uint32_t word, uint32_t) {
  add(a.tile, a.agent,
      {.kind = Kind::Push,
       .pc = a.pc,
       .word = a.word,
       .address = static_cast<uint64_t>(thread),
       .value = word,
       .cycle = a.cycle});
}

void EventRecorder::issued(const emu::Actor& a, uint32_t word) {
  add(a.tile, a.agent, {.kind = Kind::Issue, .pc = a.pc, .word = word, .value = word, .cycle = a.cycle});
}

void EventRecorder::accessed(const emu::Actor& a, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                             uint32_t value) {
  if (!check::is_hart(a.agent)) return;
  if (kind == emu::AccessKind::Load) {
    Tile& t = tile(a.tile);
    if (!check::is_load(a.word) || (t.code && t.code->use_of_load(a.pc).waits)) return;
  }
  if (address - arch::kInstructionPushBase < kPushBytes) return;  // told as pushes
  add(a.tile, a.agent,
      {.kind = kind_of(kind),
       .bytes = static_cast<uint8_t>(std::min(bytes, 255u)),
       .pc = a.pc,
       .word = a.word,
       .address = address,
       .value = value,
       .cycle = a.cycle});
}

void EventRecorder::packet_left(const emu::Actor& a, const emu::Message& message, int) {
  if (!check::is_hart(a.agent)) return;
  Event event = event_of(Kind::Packet, message, message.destination);
  event.pc = a.pc;
  event.word = a.word;
  event.cycle = a.cycle;
  // What a write takes along is compared where it comes.
  event.value = message.kind == emu::MessageKind::Write ? message.payload.size() : event.value;
  add(a.tile, a.agent, event);
}

void EventRecorder::packet_arrived(const emu::Message& message) {
  if (message.kind == emu::MessageKind::WriteAck) return;
  Event event = event_of(Kind::Comes, message, message.source);
  event.pc = emu::Actor::kNoPc;
  event.cycle = message.arrival;
  add(message.destination, Agent::Inbox, event);
}

}  // namespace kerr::diff
