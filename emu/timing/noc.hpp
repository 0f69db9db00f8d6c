// What the NoC costs: the parameters of the fabric.   docs/hardware/timing.md 7.1, 13.5; noc.md 10.2
#pragma once

#include "emu/cycle.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu::timing {

inline constexpr Cycle kInjectCycles = kBlackhole.noc_inject;  // from the command (or the ready response) to the first flit
inline constexpr Cycle kNiuToRouterCycles = kBlackhole.noc_niu_to_router;
inline constexpr Cycle kHopCycles = kBlackhole.noc_hop;  // router to router
inline constexpr Cycle kRouterToNiuCycles = kBlackhole.noc_router_to_niu;

inline constexpr Cycle kFlitsPer64Cycles = kBlackhole.noc_flits_per_64_cycles;  // of a lone stream: timing.md 7.3, 13.5

/// How long a packet of `flits` keeps a link, or the way from a router into its NIU, busy: nearly one flit a
/// cycle. That many streams on a link get less (timing.md 13.5) is not in it.
constexpr Cycle link_cycles(unsigned flits) { return (flits * 64 + kFlitsPer64Cycles - 1) / kFlitsPer64Cycles; }

}  // namespace kerr::emu::timing
