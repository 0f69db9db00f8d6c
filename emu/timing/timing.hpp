// Which clock the machine goes by.   docs/architecture.md "Time"
#pragma once

#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/timing/noc.hpp"

namespace kerr::emu {

enum class Timing : std::uint8_t {
  Relaxed,  // fast: agents take turns of 64 cycles, packets take a window of 256; fair and deterministic, not a time
  Exact,    // interactions in the order of (cycle, agent), packets link by link
};

/// Exact timing: nothing takes effect in another tile sooner, so tiles may run so far without hearing of each other.
inline constexpr Cycle kExactWindowCycles =
    timing::kInjectCycles + timing::kNiuToRouterCycles + timing::kHopCycles + timing::kRouterToNiuCycles;
static_assert(kExactWindowCycles == 22);

constexpr Cycle longest_window(Timing timing) {
  return timing == Timing::Exact ? kExactWindowCycles : kRelaxedWindowCycles;
}

}  // namespace kerr::emu
