// What is run on two libraries side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracle/device.hpp"

namespace kerr::bench {

/// Units done since the start, as the program itself has counted them; `clocks` have passed since then.
using Progress = std::function<double(double clocks)>;

/// Endless work on a fresh device behind the libttsim C ABI.
struct Workload {
  std::string name;
  std::string unit;  // of progress
  /// Loads the code and lets the harts run. The device outlives what is returned.
  std::function<Progress(oracle::Device&)> start;
};

/// Harts that compute and harts that poll.
std::vector<Workload> hart_workloads();
/// Instructions of the coprocessor.
std::vector<Workload> tensix_workloads();

}  // namespace kerr::bench
