// Accesses to registers and to L1, and what is answered.
#pragma once

#include <cstdint>

#include "emu/wait.hpp"

namespace kerr::emu {

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,  // what an observer is told of a read and a write that nothing comes between
};

enum class Access : uint8_t {
  Done,
  Wait,   // not performed; the agent stays on the instruction until one of `wait` is about to change, then tries again
  Fault,  // not performed and recorded in the tile's FaultLog; the agent stops
};

struct BusReply {
  uint32_t value = 0;  // of a load that is Done
  WaitMask wait = 0;   // of an access that has to Wait
  uint64_t late = 0;   // exact timing: the cycle at which the value is there, if that is later than usual
};

}  // namespace kerr::emu
