#pragma once

#include <rapidcheck.h>

#include <cstring>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {

/// Inside a property: two harts agree in all that a program, or whoever looks at it from outside, can see.
inline void expect_equal(LoneHart& a, LoneHart& b) {
  const auto state = [](const Hart& hart) {  // a parked hart is one that runs
    return hart.state() == Hart::State::Parked ? Hart::State::Running : hart.state();
  };
  RC_ASSERT(state(a.hart) == state(b.hart));
  for (unsigned i = 0; i < 32; ++i) RC_ASSERT(a.hart.x(i) == b.hart.x(i));
  RC_ASSERT(a.hart.pc() == b.hart.pc());
  RC_ASSERT(a.hart.cycle() == b.hart.cycle());
  RC_ASSERT(a.hart.instructions() == b.hart.instructions());
  RC_ASSERT(a.hart.state_hash() == b.hart.state_hash());  // local memory, CSRs
  RC_ASSERT(a.registers == b.registers);
  RC_ASSERT(a.pushed == b.pushed);
  RC_ASSERT(std::memcmp(a.l1.data(), b.l1.data(), 0x8000) == 0);
}

}  // namespace kerr::emu
