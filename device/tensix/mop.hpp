// The MOP expander and the replay buffer: words that become many.   docs/hardware/kernels.md 3
#pragma once

#include "device/tensix/sync.hpp"

namespace kerr::device {

inline constexpr uint32_t kNoWord = tensix::NOP{}.word();  // in a place of a MOP: nothing

/// A MOP of two nested loops. An inner turn is `loop0`, or both in turn unless `loop1` is a NOP; the last one of an
/// outer turn is `last_inner` instead, and that of the last outer turn `last_outer`.
struct LoopMop {
  uint32_t outer = 1, inner = 1;
  uint32_t start = kNoWord, end0 = kNoWord, end1 = kNoWord;
  uint32_t loop0 = kNoWord, loop1 = kNoWord;
  uint32_t last_outer = kNoWord, last_inner = kNoWord;

  constexpr LoopMop& loop(uint32_t word) { return loop0 = last_outer = last_inner = word, *this; }
  constexpr LoopMop& loop(uint32_t first, uint32_t second) {
    return loop0 = first, loop1 = last_outer = last_inner = second, *this;
  }
};

[[gnu::always_inline]] inline void configure_mop(const LoopMop& mop) {
  wait_mop_idle();
  const uint32_t words[] = {mop.outer, mop.inner, mop.start,      mop.end0,      mop.end1,
                            mop.loop0, mop.loop1, mop.last_outer, mop.last_inner};
#pragma GCC unroll 9
  for (uint32_t i = 0; i < 9; ++i) mmio(arch::kMopConfigBase + 4 * i) = words[i];
}
[[gnu::always_inline]] inline void run_mop() { issue(tensix::MOP().mop_type(1)); }

/// A MOP that goes through the bits of a mask: `clear` for a 0, `set` for a 1.
[[gnu::always_inline]] inline void configure_masked_mop(uint32_t clear, uint32_t set) {
  wait_mop_idle();
  mmio(arch::kMopConfigBase + 4 * 1) = 0;
  mmio(arch::kMopConfigBase + 4 * 3) = clear;
  mmio(arch::kMopConfigBase + 4 * 7) = set;
}
/// `count` of 1 to 32 turns.
[[gnu::always_inline]] inline void run_masked_mop(uint32_t count, uint32_t mask) {
  issue_word(tensix::MOP{}.word() | (count - 1) << 16 | mask);
}

/// Calls `body`, whose `count` words go to the replay buffer from `start` on instead of being executed.
template <class Body>
[[gnu::always_inline]] inline void record_replay(uint32_t start, uint32_t count, Body&& body) {
  issue(tensix::REPLAY().load_mode(1).len(count).start_idx(start));
  body();
}
[[gnu::always_inline]] constexpr uint32_t replay_word(uint32_t start, uint32_t count) {
  return tensix::REPLAY().len(count).start_idx(start).word();
}

}  // namespace kerr::device
