// Between two NIUs: how far it is, and when a packet takes effect.   docs/hardware/noc.md 10.1, 10.2, timing.md 7.2
#pragma once

#include <algorithm>

#include "emu/noc/message.hpp"
#include "emu/timing/noc.hpp"

namespace kerr::emu {

/// Links from one node to another of the same chip. Each NoC is a torus of one-way links: NoC 0 runs to the east and
/// south, NoC 1 to the west and north. Positions are raw, so the hops across columns 8 and 9 and across harvested
/// columns count.
constexpr unsigned hops(unsigned noc, TileId from, TileId to) {
  const int dx = noc == 0 ? to.x() - from.x() : from.x() - to.x();
  const int dy = noc == 0 ? to.y() - from.y() : from.y() - to.y();
  return static_cast<unsigned>((dx + arch::kGridColumns) % arch::kGridColumns +
                               (dy + arch::kGridRows) % arch::kGridRows);
}

/// From leaving the source to the destination's NIU, on an otherwise empty NoC. Of relaxed timing, whatever the
/// parameters of exact timing are.
constexpr Cycle unloaded_latency(unsigned noc, TileId from, TileId to) {
  const timing::Parameters& p = timing::kBlackhole;
  return p.noc_niu_to_router + p.noc_hop * hops(noc, from, to) + p.noc_router_to_niu;
}

/// Relaxed timing: a NoC whose shortest way takes a window. Packets between two tiles keep the order and distance in
/// which they were sent. `least_cycles` is the window.
constexpr Cycle relaxed_arrival(const Message& message, Cycle least_cycles) {
  return message.sent + std::max(least_cycles, unloaded_latency(message.noc, message.source, message.destination));
}

static_assert(unloaded_latency(0, TileId::at(0, 0, 0), TileId::at(0, 16, 11)) <= kRelaxedWindowCycles);

}  // namespace kerr::emu
