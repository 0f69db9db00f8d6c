// When a program ran on the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host {

/// Device cycles from the go signal of one program (or trace) to its last core's end, by the dispatch tile's clock.
struct ProgramTime {
  std::string name;
  uint64_t start_cycles = 0;
  uint64_t end_cycles = 0;
  /// Before the first of its commands was executed. With overlap off, start_cycles is this moment too, unless
  /// QueueOptions::launch_policy stamps the go signal.
  uint64_t first_command_cycles = 0;
  /// By each core's own clock, from its go word to the end of its last hart (QueueOptions::core_times). Clocks of
  /// different tiles differ by a constant on silicon.
  struct Core {
    arch::NocCoord core;
    uint64_t start_cycles = 0;
    uint64_t end_cycles = 0;
  };
  std::vector<Core> cores;
};

}  // namespace kerr::host
