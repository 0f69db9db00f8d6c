// What the NoC costs: the parameters of the fabric.   docs/hardware/timing.md 7.1, 13.5; noc.md 10.2
#pragma once

#include "emu/cycle.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu::timing {

/// From the last flit of a packet to the own tile to its effect: to the router and back.
constexpr Cycle own_tile_cycles(const Parameters& p) {
  return p.noc_inject + p.noc_niu_to_router + p.noc_router_to_niu - 1;
}

/// The same for the shortest way to another tile: nothing takes effect there sooner.
constexpr Cycle shortest_way(const Parameters& p) {
  return p.noc_inject + p.noc_niu_to_router + p.noc_hop + p.noc_router_to_niu;
}

}  // namespace kerr::emu::timing
