// A WaitBoard of which nobody waits: for units without a tile around them.
#pragma once

#include "emu/wait.hpp"

namespace kerr::emu {

struct QuietBoard : WaitBoard {
  void wake(WaitMask) override {}
  void wake_line(uint32_t) override {}
};

}  // namespace kerr::emu
