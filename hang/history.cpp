#include "hang/history.hpp"

#include <algorithm>
#include <cstring>

#include "arch/firmware_layout.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "check/component.hpp"
#include "check/is_load.hpp"

namespace kerr::hang {

namespace {

using emu::AccessKind;
using emu::Agent;

using check::is_hart;

// The hart that acts, or that feeds the thread that acts; kHarts: it is neither.
size_t hart_of(Agent agent) {
  if (check::is_thread(agent)) agent = check::hart_of_thread(agent);
  return is_hart(agent) ? static_cast<size_t>(check::hart_index(agent)) : arch::kHarts;
}

History::Step access_by(const emu::Actor& actor, History::Step::Kind kind, uint32_t address, uint32_t value) {
  return {.kind = kind, .pc = actor.pc, .address = address, .value = value, .first = actor.cycle, .last = actor.cycle};
}

template <class T>
void keep(std::deque<T>& all, T entry, size_t most) {
  if (all.size() == most) all.pop_front();
  all.push_back(std::move(entry));
}

// Registers that others wait for.
bool is_shared(uint32_t address) {
  if (address - arch::kSemaphoreBase < 4 * arch::kSemaphores) return true;
  return address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride;
}

}  // namespace

const History::Word* History::word(emu::TileId id, uint32_t address) const {
  const Tile* const tile = find(id);
  if (tile == nullptr) return nullptr;
  const auto found = tile->words.find(address & ~3u);
  return found == tile->words.end() ? nullptr : &found->second;
}

std::vector<uint32_t> History::words(emu::TileId id) const {
  std::vector<uint32_t> out;
  if (const Tile* const tile = find(id))
    for (const auto& [address, word] : tile->words) out.push_back(address);
  std::ranges::sort(out);
  return out;
}

std::vector<std::pair<uint32_t, History::Change>> History::loose(emu::TileId id) const {
  const Tile* const tile = find(id);
  if (tile == nullptr) return {};
  return {tile->loose.begin(), tile->loose.end()};
}

const History::Range* History::over(emu::TileId id, uint32_t address) const {
  const Tile* const tile = find(id);
  if (tile == nullptr) return nullptr;
  for (auto range = tile->ranges.rbegin(); range != tile->ranges.rend(); ++range)
    if (address - range->address < range->bytes) return &*range;
  return nullptr;
}

std::vector<History::Step> History::steps(emu::TileId id, arch::Hart hart) const {
  const Tile* const tile = find(id);
  if (tile == nullptr) return {};
  const std::deque<Step>& steps = tile->steps[static_cast<size_t>(hart)];
  return {steps.begin(), steps.end()};
}

const History::Sent* History::sent(emu::TileId id, uint64_t packet) const {
  const Tile* const tile = find(id);
  if (tile == nullptr) return nullptr;
  const auto found = std::ranges::find(tile->sent, packet, [](const Sent& s) { return s.by.packet; });
  return found == tile->sent.end() ? nullptr : &*found;
}

uint32_t History::pages(emu::TileId id, arch::Hart hart, uint32_t buffer, Side side) const {
  const Tile* const tile = find(id);
  if (tile == nullptr || buffer >= kBuffers) return 0;
  return tile->counters[buffer][static_cast<size_t>(side)].moved[static_cast<size_t>(hart)];
}

void History::chip_made(int chip, emu::Cycle) {
  for (size_t node = 0; node < 256; ++node) tiles_[size_t(chip) << 8 | node].reset();
}

void History::tile_made(const emu::TileView& view) {
  tiles_[size_t{view.tile.chip} << 8 | view.tile.node] = std::make_unique<Tile>(view);
}

History::By History::by(Tile& tile, const emu::Actor& actor) {
  if (actor.agent == Agent::Inbox) {
    By out = tile.arriving;
    out.cycle = actor.cycle;
    out.order = ++tile.order;
    return out;
  }
  return {.cycle = actor.cycle, .tile = actor.tile, .agent = actor.agent, .pc = actor.pc, .order = ++tile.order};
}

History::Word* History::track(Tile& tile, uint32_t address) {
  if (const auto found = tile.words.find(address); found != tile.words.end()) return &found->second;
  if (tile.words.size() == kMostWords || address / 4 >= tile.is_word.size()) return nullptr;
  tile.is_word[address / 4] = true;
  Word& word = tile.words[address];
  for (const auto& [at, change] : tile.loose)
    if (at == address) keep(word.stores, change, kMostChanges);
  std::erase_if(tile.loose, [&](const auto& store) { return store.first == address; });
  return &word;
}

void History::add(Tile& tile, Agent agent, const Step& step) {
  std::deque<Step>& steps = tile.steps[hart_of(agent)];
  // A loop may wait for two words by turns.
  for (size_t back = 1; back <= std::min<size_t>(2, steps.size()); ++back) {
    Step& last = steps[steps.size() - back];
    if (last.kind != step.kind || last.pc != step.pc || last.address != step.address) continue;
    last.value = step.value;
    last.packet = step.packet;
    last.last = step.last;
    ++last.times;
    return;
  }
  keep(steps, step, kMostSteps);
}

void History::accessed(const emu::Actor& actor, AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  Tile* const tile = find(actor.tile);
  if (tile == nullptr) return;
  if (kind == AccessKind::Load) {
    if (is_hart(actor.agent) && check::is_load(actor.word)) loaded(*tile, actor, address, value);
  } else if (address < tile->view.l1.size()) {
    changed(*tile, actor, kind, address, bytes, value);
  } else if (address == arch::kIcInvalidateAll) {
    tile->code.forget();  // other kernels are there
  } else if (is_shared(address)) {
    register_changed(*tile, actor, address, value);
  }
}

void History::loaded(Tile& tile, const emu::Actor& actor, uint32_t address, uint32_t value) {
  const uint32_t aligned = address & ~3u;
  const bool in_l1 = address < tile.view.l1.size();
  const bool is_command_buffer = address - arch::kNiuBase < arch::kNocs * arch::kNiuStride &&
                                 (address - arch::kNiuBase) % arch::kNiuStride < arch::niu::kCounterBase;
  if (tile.code.use_of_load(actor.pc).waits && !is_command_buffer) {
    if (Word* const word = in_l1 ? track(tile, aligned) : nullptr) word->polled = true;
    add(tile, actor.agent, access_by(actor, Step::Kind::Load, address, value));
  }
  if (in_l1) tile.fresh[aligned / 4] = false;
}

// A launch that sets semaphores anew does so: what was counted before is no more.
void History::cover(Tile& tile, const Range& range) {
  const uint32_t end =
      static_cast<uint32_t>(std::min<uint64_t>(uint64_t{range.address} + range.bytes, tile.view.l1.size()));
  for (uint32_t at = range.address & ~3u; !tile.words.empty() && at < end; at += 4) {
    if (!tile.is_word[at / 4]) continue;
    Word& word = tile.words.at(at);
    word.since.clear();
    word.covered = range.by;
  }
  keep(tile.ranges, range, kMostRanges);
}

void History::changed(Tile& tile, const emu::Actor& actor, AccessKind kind, uint32_t address, uint32_t bytes,
                      uint32_t value) {
  const uint32_t aligned = address & ~3u;
  if (bytes > 4 || address % 4 + bytes > 4) {
    cover(tile, {by(tile, actor), address, bytes});
    return;
  }
  const bool atomic = kind == AccessKind::Atomic;
  Change change{.by = by(tile, actor), .value = value};
  std::memcpy(&change.before, tile.view.l1.data() + aligned, 4);
  if (bytes < 4) {
    const uint32_t shift = 8 * (address % 4), mask = ((1u << 8 * bytes) - 1) << shift;
    change.value = (change.before & ~mask) | (value << shift & mask);
  }
  change.was_read = !tile.fresh[aligned / 4];
  tile.fresh[aligned / 4] = true;
  const bool is_signal = atomic || actor.agent == Agent::Inbox;
  Word* const word = is_signal ? track(tile, aligned) : tile.is_word[aligned / 4] ? &tile.words.at(aligned) : nullptr;
  if (word == nullptr) {
    keep(tile.loose, {aligned, change}, kMostLoose);
    return;
  }
  if (atomic) {
    const auto from = std::ranges::find(word->since, change.by.tile, &Count::tile);
    if (from == word->since.end())
      word->since.push_back({change.by.tile, 1});
    else
      ++from->times;
  } else {
    for (const Count& count : word->since) change.wiped += count.times;
    word->since.clear();
  }
  keep(atomic ? word->atomics : word->stores, change, kMostChanges);
  if (is_hart(actor.agent))
    add(tile, actor.agent,
        {.kind = atomic ? Step::Kind::Atomic : Step::Kind::Store,
         .pc = actor.pc,
         .address = address,
         .value = change.value,
         .first = actor.cycle,
         .last = actor.cycle});
}

void History::register_changed(Tile& tile, const emu::Actor& actor, uint32_t address, uint32_t value) {
  const size_t hart = hart_of(actor.agent);
  if (hart == arch::kHarts) return;
  if (is_hart(actor.agent)) add(tile, actor.agent, access_by(actor, Step::Kind::Store, address, value));
  const uint32_t buffer = (address - arch::kOverlayBase) / arch::kStreamStride - arch::kFwB.first_cb_stream;
  const uint32_t reg = (address - arch::kOverlayBase) % arch::kStreamStride / 4;
  if (address < arch::kOverlayBase || buffer >= kBuffers) return;
  if (reg != arch::stream::kRemoteDestBufSize && reg != arch::stream::kRemoteDestBufStart) return;
  const Side side = reg == arch::stream::kRemoteDestBufSize ? Side::Pushed : Side::Popped;
  Counter& counter = tile.counters[buffer][static_cast<size_t>(side)];
  // Firmware clears it: what the kernel before has moved is of interest until the next one moves something.
  if (value == 0) {
    counter.cleared = true;
  } else {
    if (counter.cleared) counter.moved = {};
    counter.moved[hart] += (value - (counter.cleared ? 0 : counter.last)) & 0xFFFF;
    counter.cleared = false;
  }
  counter.last = value;
}

void History::packet_left(const emu::Actor& actor, const emu::Message& message, int) {
  Tile* const tile = is_hart(actor.agent) ? find(actor.tile) : nullptr;
  if (tile == nullptr) return;
  if (!tile->sent.empty() && tile->sent.back().by.packet == message.packet) {
    Sent& sent = tile->sent.back();
    const int x = message.destination.x(), y = message.destination.y();
    sent.first = emu::TileId::at(sent.first.chip, std::min(sent.first.x(), x), std::min(sent.first.y(), y));
    sent.last = emu::TileId::at(sent.last.chip, std::max(sent.last.x(), x), std::max(sent.last.y(), y));
    ++sent.receivers;
    return;
  }
  By who = by(*tile, actor);
  who.packet = message.packet;
  const bool has_payload = message.kind == emu::MessageKind::Write;
  keep(tile->sent,
       {.by = who,
        .kind = message.kind,
        .noc = message.noc,
        .first = message.destination,
        .last = message.destination,
        .receivers = 1,
        .address = message.address,
        .bytes = message.kind == emu::MessageKind::ReadRequest ? message.length
                 : has_payload                                 ? static_cast<uint32_t>(message.payload.size())
                                                               : 4u,
        .operand = message.operand},
       kMostSent);
  add(*tile, actor.agent,
      {.kind = Step::Kind::Sent, .pc = actor.pc, .packet = message.packet, .first = actor.cycle, .last = actor.cycle});
}

void History::packet_arrived(const emu::Message& message) {
  if (Tile* const tile = find(message.destination))
    tile->arriving = {.tile = message.source, .agent = Agent::Inbox, .packet = message.packet};
}

}  // namespace kerr::hang
