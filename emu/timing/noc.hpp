// What the NoC costs: the parameters of the fabric.   docs/hardware/timing.md 7.1, 13.5; noc.md 10.2
#pragma once

#include "emu/cycle.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu::timing {

inline constexpr Parameters kUsual{};
inline constexpr Cycle kInjectCycles = kUsual.noc_inject;  // from the command (or the ready response) to the first flit
inline constexpr Cycle kNiuToRouterCycles = kUsual.noc_niu_to_router;
inline constexpr Cycle kHopCycles = kUsual.noc_hop;  // router to router
inline constexpr Cycle kRouterToNiuCycles = kUsual.noc_router_to_niu;

/// How long a packet of `flits` keeps a link, or the way from a router into its NIU, busy: one flit a cycle
/// (timing.md 7.1). The efficiency of a shared link (timing.md 13.5) is not in it.
constexpr Cycle link_cycles(unsigned flits) { return flits; }

}  // namespace kerr::emu::timing
