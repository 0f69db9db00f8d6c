#include "emu/tile/tile_stops.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "emu/memory/l1_size.hpp"
#include "emu/tile/agents.hpp"

namespace kerr::emu {

namespace {

constexpr size_t index(arch::Hart hart) { return static_cast<size_t>(hart); }

// The index of a hart.
constexpr std::optional<size_t> hart_of(Agent agent) {
  if (agent < Agent::Brisc || agent > Agent::Trisc2) return std::nullopt;
  return static_cast<size_t>(agent) - static_cast<size_t>(Agent::Brisc);
}

}  // namespace

TileStops::TileStops(TileId tile, Agents& agents, std::span<Hart, kHarts> harts, CodeCache& code, L1& l1, HartBus& bus,
                     Debugger& debugger)
    : tile_(tile),
      agents_(agents),
      harts_(harts),
      code_(code),
      l1_(l1),
      bus_(bus),
      debugger_(debugger),
      is_observed_(l1.checked()) {
  for (Hart& hart : harts_) {
    stops_[index(hart.index())].debugger = &debugger_;
    hart.stop_at(stops_[index(hart.index())]);
  }
}

void TileStops::set_breakpoints(arch::Hart hart, std::vector<uint32_t> addresses) {
  std::ranges::sort(addresses);
  stops_[index(hart)].breakpoints = std::move(addresses);
  std::set<uint32_t> all;
  for (const HartStops& stops : stops_) all.insert(stops.breakpoints.begin(), stops.breakpoints.end());
  std::erase_if(all, [](uint32_t address) { return address % 4 != 0; });
  set_free();
  code_.stop_at({all.begin(), all.end()});
}

// A hart that polls may pass what is new.
void TileStops::set_free() {
  for (Hart& hart : harts_) {
    agents_.set_free(hart);
    hart.disturb();
  }
}

void TileStops::set_watches(std::vector<Watch> watches) {
  const auto each_line = [&](auto&& act) {
    for (const Watch& watch : watches_) {
      if (!watch.writes || watch.bytes == 0 || !in_l1(tile_, watch.address, watch.bytes)) continue;
      for (uint32_t line = watch.address / L1::kLineBytes; line <= (watch.address + watch.bytes - 1) / L1::kLineBytes;
           ++line)
        act(l1_.attributes()[line]);
    }
  };
  each_line([](uint8_t& attributes) { attributes &= static_cast<uint8_t>(~kStopping); });
  watches_ = std::move(watches);
  each_line([](uint8_t& attributes) { attributes |= kStopping; });
  const auto is_l1 = [&](const Watch& watch) { return watch.address < l1_bytes(tile_); };
  const bool reads = std::ranges::any_of(watches_, [&](const Watch& watch) { return watch.reads && is_l1(watch); });
  if (!is_observed_ && l1_.checked() != reads) l1_.check(reads);
  agents_.tell_stops(!std::ranges::all_of(watches_, [&](const Watch& w) { return !w.reads && is_l1(w); }));
  look_at_accesses();
}

void TileStops::set_local_watches(arch::Hart hart, std::vector<Watch> watches) {
  agents_.catch_up();
  const HartState& state = harts_[index(hart)].state();
  std::vector<HartStops::Watched>& watched = stops_[index(hart)].watched;
  watched.clear();
  std::erase_if(watches, [&](const Watch& watch) {
    const uint32_t offset = watch.address - arch::kLdmBase, end = arch::kLdmBytes[index(hart)];
    return watch.bytes == 0 || offset >= end || watch.bytes > end - offset;
  });
  for (const Watch& watch : watches) {
    if (!watch.writes) continue;
    watched.push_back({watch.address, watch.bytes, {}});
    if (!state.local.empty()) watched.back().look(state.at_private(watch.address));
  }
  local_watches_[index(hart)] = std::move(watches);
  look_at_accesses();
}

// What harts must look at before each instruction: neither L1 nor their local memory tells of loads, and the address
// map not of what harts do to registers.
void TileStops::look_at_accesses() {
  for (size_t hart = 0; hart < harts_.size(); ++hart) {
    std::vector<HartStops::Accessed> accessed;
    for (const Watch& watch : watches_) {
      const bool is_l1 = watch.address < l1_bytes(tile_);
      if (watch.bytes == 0 || (is_l1 && !watch.reads) || (watch.hart && index(*watch.hart) != hart)) continue;
      accessed.push_back({watch.address, watch.bytes, watch.reads, watch.writes && !is_l1});
    }
    for (const Watch& watch : local_watches_[hart])
      if (watch.reads) accessed.push_back({watch.address, watch.bytes, true, false});
    stops_[hart].accessed = std::move(accessed);
  }
  set_free();
}

void TileStops::step(arch::Hart hart, bool steps) {
  if (steps) agents_.set_free(harts_[index(hart)]);
  stops_[index(hart)].steps = steps;
}

void TileStops::catch_up() { agents_.catch_up(); }

std::optional<uint32_t> TileStops::look(arch::Hart hart, uint32_t address) {
  if (address % 4 != 0 || bus_.watch_of(hart, address) == 0) return std::nullopt;
  BusReply reply;
  if (bus_.load(hart, address, 4, reply) != Access::Done) return std::nullopt;
  return reply.value;
}

HartState& TileStops::change(arch::Hart hart) {
  agents_.set_free(harts_[index(hart)]);
  return harts_[index(hart)].change();
}

void TileStops::jump(arch::Hart hart, uint32_t pc) {
  HartState& state = change(hart);
  if (state.status == HartStatus::Blocked) harts_[index(hart)].wake(state.cycle);
  if (state.status == HartStatus::Paused) state.status = HartStatus::Running;
  state.pc = pc;
  stops_[index(hart)].passes = false;
}

void TileStops::write(uint32_t address, std::span<const uint8_t> bytes) {
  writes_ = true;
  l1_.write(address, bytes);
  writes_ = false;
}

void TileStops::before_write(uint32_t line, L1::LineBytes written) {
  if (writes_) return;
  for (const Watch& watch : watches_) {
    const uint32_t begin = line * L1::kLineBytes;
    if (!watch.writes || watch.address >= begin + L1::kLineBytes || watch.address + watch.bytes <= begin) continue;
    const L1::LineBytes hit = L1::bytes_of_line(line, watch.address, watch.bytes) & written;
    if (hit != 0) return note(Stop::Why::Write, begin + static_cast<uint32_t>(std::countr_zero(hit)));
  }
}

void TileStops::accessed(AccessKind kind, uint32_t address, uint32_t bytes) {
  if (agents_.current() == Agent::Host && kind == AccessKind::Load) return;  // the debugger itself looks, too
  const bool is_l1 = address < l1_bytes(tile_), is_hart = hart_of(agents_.current()).has_value();
  // Harts tell of their atomics by next_access(); writes to L1 come to before_write().
  if (is_l1 && (kind == AccessKind::Store || (is_hart && kind == AccessKind::Atomic))) return;
  for (const Watch& watch : watches_) {
    const bool reads = watch.reads && kind != AccessKind::Store;
    const bool writes = watch.writes && !is_l1 && kind != AccessKind::Load;
    if (watch.hart || !(reads || writes)) continue;
    if (address >= uint64_t{watch.address} + watch.bytes || watch.address >= uint64_t{address} + bytes) continue;
    return note(writes ? Stop::Why::Write : Stop::Why::Read, std::max(address, watch.address));
  }
}

// One instruction or packet may touch several watched things: the first is told.
void TileStops::note(Stop::Why why, uint32_t address) {
  const Agent by = agents_.current();
  if (const auto hart = hart_of(by)) {
    HartStops& stops = stops_[*hart];
    if (!stops.hit) stops.hit = HartStops::Hit{why, address};
    if (harts_[*hart].state().running()) harts_[*hart].leave_loop();
  } else if (!touched_) {
    touched_ = Stop{.why = why, .tile = tile_, .agent = by, .address = address};
  }
}

void TileStops::tell(std::optional<TileId> sender) {
  if (!touched_) return;
  Stop stop = *std::exchange(touched_, std::nullopt);
  stop.sender = sender;
  debugger_.stopped(stop);
}

}  // namespace kerr::emu
