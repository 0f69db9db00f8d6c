// Where one hart is to stop for a debugger.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

  /// An access to something that is watched.
  struct Hit {
    Stop::Why why = Stop::Why::Write;
    uint32_t address = 0;
  };
  /// Bytes of which it is looked up before each instruction whether that accesses them: reads of memory, and what is
  /// done to registers.
  struct Accessed {
    uint32_t address = 0, size = 0;
    bool reads = false, writes = false;
  };

  Debugger* debugger = nullptr;
  std::vector<uint32_t> breakpoints;  // sorted
  std::vector<Watched> watched;
  std::vector<Accessed> accessed;
  bool steps = false;      // stop behind the next instruction
  bool passes = false;     // the stop at the instruction at pc has been told
  std::optional<Hit> hit;  // the instruction that it executes has touched what is watched

  bool looks_behind_each() const { return steps || passes || !watched.empty() || !accessed.empty(); }
  /// Which of `accessed` an instruction has touched.
  std::optional<Hit> hit_of(bool loads, bool stores, uint32_t address, uint32_t bytes) const {
    for (const Accessed& a : accessed) {
      const bool overlaps = address < uint64_t{a.address} + a.size && a.address < uint64_t{address} + bytes;
      if (!overlaps || !((a.reads && loads) || (a.writes && stores))) continue;
      return Hit{a.writes && stores ? Stop::Why::Write : Stop::Why::Read, std::max(a.address, address)};
    }
    return std::nullopt;
  }
  bool has(uint32_t pc) const { return std::ranges::binary_search(breakpoints, pc); }
};

}  // namespace kerr::emu
