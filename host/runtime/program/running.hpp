// What is known of a program while it runs: enough to say which of its kernels is stuck, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/host_notes.hpp"
#include "host/device/pcie_device.hpp"
#include "host/runtime/program/launch_plan.hpp"

namespace kerr::host {

/// The parts of a launch plan that a report needs; no bytes.
struct RunningProgram {
  struct Group {
    std::vector<arch::NocCoord> cores;
    std::vector<PlacedKernel> kernels;
    arch::LaunchMessage launch{};
  };
  std::string name;
  std::vector<Group> groups;
  std::vector<CircularBuffer> circular_buffers;
  uint32_t semaphores = 0;         // how many it has
  uint32_t semaphore_address = 0;  // of the first; the others follow at multiples of kSemaphoreStride

  static constexpr uint32_t kSemaphoreStride = 16;

  RunningProgram(const Program& program, const LaunchPlan& plan);

  /// As a device's report takes it: without an id, places of buffers and initial values.
  arch::note::Launched note() const;
};

/// Several lines: every agent on an unfinished core that waits, with kernel and source line where they are known;
/// cores that do the same are told once, with a count. Empty if no core is unfinished or the device cannot
/// tell. Harts that run no kernel of the program are left out: idle firmware is no news.
std::string explain(const RunningProgram& program, const std::function<bool(arch::NocCoord)>& is_done,
                    const DeviceStatus& status);

/// Who is to blame that the program's cores do not finish, where the device can tell (host/device/hang_explainer.hpp);
/// empty if it cannot, or if no core is unfinished.
std::string why_nothing_moves(PcieDevice& device, const RunningProgram& program,
                              const std::function<bool(arch::NocCoord)>& is_done);

/// A fault of one of the program's kernels.
struct ProgramFault {
  bool certain;          ///< the program counter lies in the kernel, or the kernel has the thread's instruction
  std::string sentence;  ///< program, core, kernel, place, instruction and cause, of the first fault
  std::string lines;     ///< the same of all of them, for the report
};

/// Nothing if no hart with a kernel of the program, and no thread fed by one, has faulted.
std::optional<ProgramFault> explain_fault(const RunningProgram& program, const DeviceStatus& status);

}  // namespace kerr::host
