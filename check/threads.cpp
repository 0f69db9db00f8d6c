// Coprocessor threads: the wait gate, lanes of units, semaphores.
#include <algorithm>

#include "arch/tensix_config.hpp"
#include "check/coprocessor/lanes.hpp"
#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

namespace {

// From SETDMAREG to LOADREG, WRCFG, RDCFG.
constexpr bool may_use_gprs(uint32_t word) {
  const uint32_t opcode = word >> 24;
  constexpr auto kFirst = static_cast<uint32_t>(Opcode::SETDMAREG), kLast = static_cast<uint32_t>(Opcode::LOADREG);
  return opcode - kFirst <= kLast - kFirst || opcode == static_cast<uint32_t>(Opcode::WRCFG) ||
         opcode == static_cast<uint32_t>(Opcode::RDCFG);
}
constexpr uint32_t kWhileAtMax = 2;  // of SEMWAIT

}  // namespace

void TileChecker::pushed(const Actor& a, int t, uint32_t word, uint32_t number) {
  AgentClock& by = hart(hart_index(a.agent));
  ThreadClock& of = thread(t);
  if (const SnapshotPtr& clock = by.release(); clock != of.last_pushed) {
    of.pushes.push_back({number, clock});
    of.last_pushed = clock;
  }
  if (isa::tensix::opcode_of(word) == Opcode::MOP) mop_pushed(a, t, number);
}

// The first thing that is told of a word. The thread takes over what the pusher knew, and what the waits before the
// word have waited for. Edges: push, issue-order, wait-gate, tensix-semaphore.
void TileChecker::begin_word(const Actor& a) {
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  while (!of.pushes.empty() && (a.push == 0 || of.pushes.front().number <= a.push)) {
    of.clock.join(of.pushes.front().clock);
    of.pushes.pop_front();
  }
  if (of.began == of.issue + 1) return;
  of.began = of.issue + 1;
  coprocessor_.stores[static_cast<size_t>(t)].began(a.push, of.began);
  if (of.gates.empty()) return;
  const isa::tensix::Row* const row = isa::tensix::row_of(a.word);
  if (row == nullptr) return;
  std::erase_if(of.gates, [&](const ThreadClock::Gate& gate) {
    if (!isa::tensix::held_by(row->gate, gate.blocks)) return false;
    pass(t, gate);
    return true;
  });
}

// The wait is over.
void TileChecker::pass(int t, const ThreadClock::Gate& gate) {
  ThreadClock& of = thread(t);
  for (int l = 0; l < kLanes; ++l) {
    if (gate.lanes >> l & 1) of.clock.raise(component::lane(t, static_cast<Lane>(l)), gate.issue);
  }
  if ((gate.lanes >> static_cast<int>(Lane::Mover) & 1) != 0) {  // what it was given, as far as the thread knows
    for (int other = 0; other < static_cast<int>(threads_.size()); ++other)
      if (other != t) of.clock.raise(component::lane(other, Lane::Mover), of.clock.at(component::issue(other)));
  }
  of.stores_done = std::max(of.stores_done, gate.stores);
  if (gate.banks != 0) take_awaited_banks(t, gate.banks);
  if (gate.semaphores != 0) take_semaphores(of, gate.semaphores, gate.conditions);
}

void TileChecker::issued(const Actor& a, uint32_t word) {
  const int t = thread_index(a.agent);
  begin_word(a);
  ThreadClock& of = thread(t);
  ++of.issue;
  of.clock.raise(of.component, of.issue);
  switch (static_cast<Opcode>(word >> 24)) {
    case Opcode::STALLWAIT:
    case Opcode::SEMWAIT: {
      const bool stall = static_cast<Opcode>(word >> 24) == Opcode::STALLWAIT;
      uint32_t blocks = word >> 15 & 0x1FF;
      if (blocks == 0) blocks = isa::tensix::gate::B6;
      of.gates.push_back({.blocks = blocks,
                          .lanes = stall ? lanes_of_conditions(word & 0x1FFF) : 0,
                          .issue = of.issue,
                          .stores = stall && (word >> 10 & 1) != 0 ? of.clock.at(component::hart(kTrisc0 + t)) : 0,
                          .banks = stall ? banks_of_conditions(word & 0x1FFF) : 0,
                          .semaphores = stall ? 0 : word >> 2 & 0xFF,
                          .conditions = stall ? 0 : word & 3});
      if (of.gates.size() > 16) of.gates.pop_front();
      if (!stall && (word & kWhileAtMax) != 0) check_has_max(a, word >> 2 & 0xFF);
      return;
    }
    case Opcode::SETC16: {
      const auto i = isa::tensix::SETC16::decode(word);
      constexpr auto kTracks = arch::thread_config::TENSIX_TRISC_SYNC_TrackGlobalCfg;
      if (i.setc16_reg == kTracks.word)
        coprocessor_.stores[static_cast<size_t>(t)].tracked = kTracks.get(i.setc16_value) != 0;
      if (i.setc16_reg == kTracks.word)
        coprocessor_.stores[static_cast<size_t>(t)].tracked_gprs =
            arch::thread_config::TENSIX_TRISC_SYNC_TrackGPR.get(i.setc16_value) != 0;
      return;
    }
    case Opcode::ATGETM: return take_mutex(a, word & 7);
    case Opcode::ATRELM: return give_mutex(a, word & 7);
    default:
      if (may_use_gprs(word)) gprs_used(a);
      return;
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
    of.clock.raise(of.component, number);
    return stream_stored(a, address, value, {place_, of.component, number}, of.clock.snapshot(), View(of.clock));
  }
  const std::optional<Lane> lane = lane_of(a.word);
  if (!lane || *lane == Lane::Matrix || *lane == Lane::Vector) return;
  const uint32_t c = component::lane(t, *lane);
  const Stamp by = stamp_of(a, place_, c, number);
  View view(of.clock);
  view.extra = {place_, c, number};  // a unit works in order, and accumulates what it has just read: issue-order
  if (kind == Kind::Atomic) {
    return atomic(by, view, by.event(), of.clock.snapshot(), address, bytes, value);
  }
  if (*lane <= Lane::Packer) check_page_of_unit(by, view, address, kind == Kind::Store);
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
