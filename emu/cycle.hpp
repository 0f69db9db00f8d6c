// Time: cycles of the tile clock, windows and quanta.   docs/architecture.md "Time"
#pragma once

#include <cstdint>

namespace kerr::emu {

/// Cycles since power-on of the machine. Every tile has its own count; at a window's end all agree.
using Cycle = uint64_t;

inline constexpr Cycle kNever = ~Cycle{0};

/// Relaxed timing: nothing takes effect in another tile sooner after it was sent. Windows start at absolute multiples.
inline constexpr Cycle kRelaxedWindowCycles = 256;

/// Relaxed timing: in each quantum every agent of a tile runs once, in the order of emu/agent.hpp. Likewise multiples.
inline constexpr Cycle kQuantumCycles = 64;

constexpr Cycle quantum_start(Cycle cycle) { return cycle - cycle % kQuantumCycles; }
constexpr Cycle quantum_end(Cycle cycle) { return quantum_start(cycle) + kQuantumCycles; }
constexpr Cycle window_start(Cycle cycle, Cycle window_cycles) { return cycle - cycle % window_cycles; }
constexpr Cycle window_end(Cycle cycle, Cycle window_cycles) {
  return window_start(cycle, window_cycles) + window_cycles;
}

}  // namespace kerr::emu
