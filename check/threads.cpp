// Coprocessor threads: the wait gate, lanes of units, semaphores.
#include <algorithm>

#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

namespace {

// The lanes that conditions of STALLWAIT name. docs/hardware/tensix-datapath.md 5.3
constexpr uint32_t lanes_of_conditions(uint32_t conditions) {
  if (conditions == 0) conditions = 0xF;
  uint32_t lanes = 0;
  if (conditions & 1u << 0) lanes |= 1u << static_cast<int>(Lane::Scalar);
  if (conditions & 1u << 1) lanes |= 1u << static_cast<int>(Lane::Unpacker0);
  if (conditions & 1u << 2) lanes |= 1u << static_cast<int>(Lane::Unpacker1);
  if (conditions & 1u << 3) lanes |= 1u << static_cast<int>(Lane::Packer);
  return lanes;
}

// The lane that executes an instruction; nothing: it does not touch L1, or its unit is not modelled.
std::optional<Lane> lane_of(uint32_t word) {
  switch (static_cast<Opcode>(word >> 24)) {
    case Opcode::UNPACR:
    case Opcode::UNPACR_NOP: return word >> 23 & 1 ? Lane::Unpacker1 : Lane::Unpacker0;
    case Opcode::PACR:
    case Opcode::PACR_SETREG: return Lane::Packer;
    case Opcode::LOADIND:
    case Opcode::STOREIND:
    case Opcode::ATINCGET:
    case Opcode::ATINCGETPTR:
    case Opcode::ATSWAP:
    case Opcode::ATCAS: return Lane::Scalar;
    default: return std::nullopt;
  }
}

}  // namespace

void TileChecker::pushed(const Actor& a, int t, uint32_t number) {
  AgentClock& by = hart(hart_index(a.agent));
  thread(t).pushes.push_back({number, by.release()});
}

// The first thing that is told of a word. The thread takes over what the pusher knew, and what the waits before the
// word have waited for. Edges: push, issue-order, wait-gate, tensix-semaphore.
void TileChecker::begin_word(const Actor& a) {
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  while (!of.pushes.empty() && (a.push == 0 || of.pushes.front().number <= a.push)) {
    const SnapshotPtr clock = std::move(of.pushes.front().clock);
    of.pushes.pop_front();
    if (clock == of.last_push) continue;
    of.clock.join(clock);
    of.last_push = clock;
  }
  if (of.began == of.issue + 1) return;
  of.began = of.issue + 1;
  if (of.gates.empty()) return;
  const isa::tensix::Row* const row = isa::tensix::row_of(a.word);
  if (row == nullptr) return;
  std::erase_if(of.gates, [&](const ThreadClock::Gate& gate) {
    if (!isa::tensix::held_by(row->gate, gate.blocks)) return false;
    for (int l = 0; l < kLanes; ++l) {
      if (gate.lanes >> l & 1) of.clock.raise(component::lane(t, static_cast<Lane>(l)), gate.issue);
    }
    for (size_t s = 0; s < semaphores_.size(); ++s) {
      if ((gate.semaphores >> s & 1) != 0 && semaphores_[s]) of.clock.join(semaphores_[s]->snapshot());
    }
    return true;
  });
}

// Banks of SrcA and SrcB are not modelled: all that was unpacked comes before what the matrix thread signals.
// Edge: source-banks.
void TileChecker::take_source_banks() {
  ThreadClock& from = thread(0);
  ThreadClock& math = thread(1);
  if (math.clock.at(component::lane(0, Lane::Unpacker0)) >= from.handed_over) return;
  math.clock.join(from.clock.snapshot());
  math.clock.raise(component::lane(0, Lane::Unpacker0), from.handed_over);
  math.clock.raise(component::lane(0, Lane::Unpacker1), from.handed_over);
}

void TileChecker::issued(const Actor& a, uint32_t word) {
  const int t = thread_index(a.agent);
  begin_word(a);
  ThreadClock& of = thread(t);
  ++of.issue;
  of.clock.raise(of.component, of.issue);
  const auto semaphores = [&] { return word >> 2 & 0xFF; };
  switch (static_cast<Opcode>(word >> 24)) {
    case Opcode::UNPACR:
    case Opcode::UNPACR_NOP:
    case Opcode::SETDVALID:
      if (t == 0) of.handed_over = of.issue;
      return;
    case Opcode::STALLWAIT:
    case Opcode::SEMWAIT: {
      const bool stall = static_cast<Opcode>(word >> 24) == Opcode::STALLWAIT;
      uint32_t blocks = word >> 15 & 0x1FF;
      if (blocks == 0) blocks = isa::tensix::gate::B6;
      of.gates.push_back({.blocks = blocks,
                          .lanes = stall ? lanes_of_conditions(word & 0x1FFF) : 0,
                          .issue = of.issue,
                          .semaphores = stall ? 0 : semaphores()});
      if (of.gates.size() > 16) of.gates.pop_front();
      return;
    }
    case Opcode::SEMINIT:
    case Opcode::SEMPOST:
    case Opcode::SEMGET:
      if (t == 1) take_source_banks();
      for (size_t s = 0; s < semaphores_.size(); ++s) {
        if ((semaphores() >> s & 1) == 0) continue;
        if (!semaphores_[s]) semaphores_[s] = std::make_unique<Clock>(place_);
        semaphores_[s]->join(of.clock.snapshot());
      }
      return;
    // Edge: tensix-mutex.
    case Opcode::ATGETM: of.clock.join(mutexes_[word & 7].snapshot()); return;
    case Opcode::ATRELM: mutexes_[word & 7].join(of.clock.snapshot()); return;
    default: return;
  }
}

void TileChecker::thread_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  const int t = thread_index(a.agent);
  begin_word(a);
  ThreadClock& of = thread(t);
  const uint32_t number = of.issue + 1;
  if (address >= view_.l1.size()) {
    if (kind != Kind::Store || !is_stream(address)) return;
    // Edge: scalar-store.
    if (t == 1) take_source_banks();
    of.clock.raise(of.component, number);
    return stream_stored(a, address, value, {place_, of.component, number}, of.clock.snapshot(), View(of.clock));
  }
  const std::optional<Lane> lane = lane_of(a.word);
  if (!lane) return;
  const uint32_t c = component::lane(t, *lane);
  const Stamp by = stamp_of(a, place_, c, number);
  View view(of.clock);
  view.extra = {place_, c, number};  // a unit works in order, and accumulates what it has just read: issue-order
  if (kind == Kind::Atomic) {
    return atomic(by, view, by.event(), of.clock.snapshot(), address, bytes, value);
  }
  if (*lane != Lane::Scalar) check_page_of_unit(by, view, address, kind == Kind::Store);
  if (kind == Kind::Load && *lane != Lane::Scalar && !has_contents_[address / Shadow::kBlock])
    check_contents(by, address, bytes);
  if (kind == Kind::Load) {
    if (is_flag(address, bytes)) return;
    l1_.read(address, bytes, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t at, uint64_t) {
      conflict(earlier, wrote, by, false, std::max<uint64_t>(at, address), bytes);
    });
    return;
  }
  if (data_caches_.any()) data_caches_.written(address, bytes, by, -1);
  stored_over_atomics(by, view, address, bytes, value);
  l1_.write(address, bytes, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t at, uint64_t) {
    conflict(earlier, wrote, by, true, std::max<uint64_t>(at, address), bytes);
  });
}

}  // namespace kerr::check
