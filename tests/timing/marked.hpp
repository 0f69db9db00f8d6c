// One stretch of a TRISC's program between two clock reads, as blackhole-py's tests/profiler.py marks it.
#pragma once

#include <functional>

#include "isa/tensix/instructions.hpp"
#include "tests/timing/lone_chip.hpp"

namespace kerr::timing_tests {

/// One run of what blackhole-py's tests call a section, on TRISC1, the sources valid: raw cycles from reading the clock
/// to reading it again, what the reads cost included (12 cycles on silicon when there is nothing between them).
double marked_cycles(const Payload& prepare, const Payload& section);

/// Pushes fuse from here on, as beside firmware from September 11, 2026: CSR 0x7C0 reads 0x20008. Clobbers t0.
void fuse_pushes(emu::Kernel& k);

/// What a turn of such a program costs: from `few` turns to `many`, as the reports take slopes, pushes fused.
double marked_slope(uint32_t few, uint32_t many, const std::function<Payload(uint32_t turns)>& section);

/// STALLWAIT for these units, then PC_BUF_SYNC: the end of such a section.
void wait_for(emu::Kernel& k, uint32_t units);

/// Records instructions as the replay buffer's first.
template <class... Instructions>
void record_replay(emu::Kernel& k, uint32_t times, const Instructions&... instructions) {
  k.tensix(isa::tensix::REPLAY{.load_mode = 1, .len = times * static_cast<uint32_t>(sizeof...(instructions))});
  for (uint32_t i = 0; i < times; ++i) (k.tensix(instructions), ...);
}
/// Plays them.
void play(emu::Kernel& k, uint32_t length);

}  // namespace kerr::timing_tests
