// Which clock the machine goes by.   docs/architecture.md "Time"
#pragma once

#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/timing/noc.hpp"

namespace kerr::emu {

enum class Timing : uint8_t {
  Relaxed,  // fast: agents take turns of 64 cycles, packets take a window of 256; fair and deterministic, not a time
  Exact,    // interactions in the order of (cycle, agent), packets link by link
};

/// Exact timing: nothing takes effect in another tile sooner, so tiles may run so far without hearing of each other.
inline constexpr Cycle kExactWindowCycles = timing::shortest_way(timing::kBlackhole);
static_assert(kExactWindowCycles == 22);

constexpr Cycle longest_window(Timing timing, const timing::Parameters& parameters) {
  return timing == Timing::Exact ? timing::shortest_way(parameters) : kRelaxedWindowCycles;
}

}  // namespace kerr::emu
