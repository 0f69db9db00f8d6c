// What is known of a program while it runs: enough to say which of its kernels is stuck, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/device/pcie_device.hpp"
#include "host/program/launch_plan.hpp"

namespace kerr::host {

/// The parts of a launch plan that a report needs; no bytes.
struct RunningProgram {
  struct Group {
    std::vector<arch::NocCoord> cores;
    std::vector<PlacedKernel> kernels;
  };
  std::string name;
  std::vector<Group> groups;

  RunningProgram(const Program& program, const LaunchPlan& plan);
};

/// Several lines: every agent on an unfinished core that waits, with kernel and source line where they are known;
/// cores that do the same are told once, with a count. Empty if no core is unfinished or the device cannot
/// tell. Harts that run no kernel of the program are left out: idle firmware is no news.
std::string explain(const RunningProgram& program, const std::function<bool(arch::NocCoord)>& is_done,
                    const DeviceStatus& status);

}  // namespace kerr::host
