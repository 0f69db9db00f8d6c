// When a hart is watched. Watching costs several times what running does, so it is done in tries.
#pragma once

#include <algorithm>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

/// run(watched, until): executes up to `until`; false if it has to stop before.
template <class Run>
void Hart::in_tries(Cycle end, const Run& run) {
  if (!parking_) {
    watch_.disturb();  // what it notes would miss what is executed here
    run(false, end);
    return;
  }
  for (bool goes_on = true; goes_on;) {
    if (alarm() < end) wake(alarm());
    if (!state_.running() || state_.cycle >= end) return;
    if (watch_.watching()) {
      goes_on = run(true, std::min(end, watch_.until()));
      if (state_.cycle >= watch_.until()) stop_watching();
    } else if (watch_.in_recent_loop(state_.pc, state_.cycle)) {
      watch_.watch_recent_loop(state_.pc, state_.cycle);
    } else {
      if (state_.cycle < watch_.next_try()) goes_on = run(false, std::min(end, watch_.next_look(state_.cycle)));
      if (state_.cycle >= watch_.next_try()) watch_.try_again(state_.cycle);
    }
  }
}

}  // namespace kerr::emu
