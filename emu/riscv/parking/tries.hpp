// When a hart is watched. Watching costs several times what running does, so it is done in tries.
#pragma once

#include <algorithm>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

/// run(watched, until): executes up to `until`; false if it has to stop before.
template <class Run>
void Hart::in_tries(Cycle end, const Run& run) {
  if (!parks_) {
    watch_.disturb();  // what it notes would miss what is executed here
    run(false, end);
    return;
  }
  for (bool goes_on = true; goes_on;) {
    if (alarm() < end) wake(alarm());
    if (!state_.running() || state_.cycle >= end) return;
    if (watch_.watching()) {
      goes_on = run(true, std::min(end, watch_.until()));
      if (state_.cycle >= watch_.until()) watch_.give_up();
    } else if (watch_.in_recent_loop()) {
      watch_.watch_recent_loop();
    } else {
      if (state_.cycle < watch_.next_try()) goes_on = run(false, std::min(end, watch_.next_look()));
      if (state_.cycle >= watch_.next_try()) watch_.try_again();
    }
  }
}

}  // namespace kerr::emu
