#pragma once

#include <rapidcheck.h>

#include <cstring>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {

/// Inside a property: two harts agree in all that a program, or whoever looks at it from outside, can see.
inline void expect_equal(LoneHart& a, LoneHart& b) {
  const auto state = [](const Hart& hart) {  // a parked hart is one that runs
    return hart.state().parked() ? HartStatus::Running : hart.state().status;
  };
  RC_ASSERT(state(a.hart) == state(b.hart));
  for (unsigned i = 0; i < 32; ++i) RC_ASSERT(a.hart.state().x[i] == b.hart.state().x[i]);
  RC_ASSERT(a.hart.state().pc == b.hart.state().pc);
  RC_ASSERT(a.hart.state().cycle == b.hart.state().cycle);
  RC_ASSERT(a.hart.state().instructions == b.hart.state().instructions);
  RC_ASSERT(hash_of(a.hart) == hash_of(b.hart));  // local memory, CSRs
  RC_ASSERT(a.registers == b.registers);
  RC_ASSERT(a.pushed == b.pushed);
  RC_ASSERT(std::memcmp(a.l1.data(), b.l1.data(), 0x8000) == 0);
}

}  // namespace kerr::emu
