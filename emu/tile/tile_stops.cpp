#include "emu/tile/tile_stops.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "emu/tile/agents.hpp"

namespace kerr::emu {

namespace {

constexpr size_t index(arch::Hart hart) { return static_cast<size_t>(hart); }

}  // namespace

TileStops::TileStops(TileId tile, Agents& agents, std::span<Hart, kHarts> harts, CodeCache& code, L1& l1, HartBus& bus,
                     Debugger& debugger)
    : tile_(tile), agents_(agents), harts_(harts), code_(code), l1_(l1), bus_(bus), debugger_(debugger) {
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

void TileStops::set_watches(std::vector<Range> ranges) {
  const auto each_line = [&](auto&& act) {
    for (const Range& range : watches_) {
      if (range.bytes == 0 || !L1::contains(range.address, range.bytes)) continue;
      for (uint32_t line = range.address / L1::kLineBytes; line <= (range.address + range.bytes - 1) / L1::kLineBytes;
           ++line)
        act(l1_.attributes()[line]);
    }
  };
  each_line([](uint8_t& attributes) { attributes &= static_cast<uint8_t>(~kStopping); });
  watches_ = std::move(ranges);
  each_line([](uint8_t& attributes) { attributes |= kStopping; });
}

void TileStops::set_local_watches(arch::Hart hart, const std::vector<Range>& ranges) {
  agents_.catch_up();
  const HartState& state = harts_[index(hart)].state();
  std::vector<HartStops::Watched>& watched = stops_[index(hart)].watched;
  watched.clear();
  for (const Range& range : ranges) {
    const uint32_t offset = range.address - arch::kLdmBase, end = arch::kLdmBytes[index(hart)];
    if (range.bytes == 0 || offset >= end || range.bytes > end - offset) continue;
    watched.push_back({range.address, range.bytes, {}});
    if (!state.local.empty()) watched.back().look(state.at_private(range.address));
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
  for (const Range& range : watches_) {
    const uint32_t begin = line * L1::kLineBytes;
    if (range.address >= begin + L1::kLineBytes || range.address + range.bytes <= begin) continue;
    const L1::LineBytes hit = L1::bytes_of_line(line, range.address, range.bytes) & written;
    if (hit == 0) continue;
    const uint32_t address = begin + static_cast<uint32_t>(std::countr_zero(hit));
    const Agent by = agents_.current();
    if (by >= Agent::Brisc && by <= Agent::Trisc2) {
      const size_t hart = static_cast<size_t>(by) - static_cast<size_t>(Agent::Brisc);
      stops_[hart].wrote = true;
      stops_[hart].written = address;
      if (harts_[hart].state().running()) harts_[hart].leave_loop();
    } else if (!written_) {
      written_ = Stop{.why = Stop::Why::Write, .tile = tile_, .agent = by, .address = address};
    }
    return;
  }
}

void TileStops::tell() {
  if (!written_) return;
  const Stop stop = *std::exchange(written_, std::nullopt);
  debugger_.stopped(stop);
}

}  // namespace kerr::emu
