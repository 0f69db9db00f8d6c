// Where one hart is to stop for a debugger.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emu/observe/debugger.hpp"

namespace kerr::emu {

/// What a debugger wants of a hart. A hart without one knows nothing of debuggers.
struct HartStops {
  /// Bytes of the hart's local memory, and what they were when they were last looked at: empty before the hart first
  /// runs.
  struct Watched {
    uint32_t address = 0, size = 0;
    std::vector<uint8_t> bytes;
    void look(const uint8_t* now) { bytes.assign(now, now + size); }
  };

  Debugger* debugger = nullptr;
  std::vector<uint32_t> breakpoints;  // sorted
  std::vector<Watched> watched;
  bool steps = false;    // stop behind the next instruction
  bool passes = false;   // the stop at the instruction at pc has been told
  bool wrote = false;    // it has just written a watched byte of L1:
  uint32_t written = 0;  // this one

  bool has(uint32_t pc) const { return std::ranges::binary_search(breakpoints, pc); }
};

}  // namespace kerr::emu
