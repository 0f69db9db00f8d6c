// How a launch becomes commands where one runs after another. docs/hardware/fast-dispatch.md 16.2
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/program/launch_plan.hpp"

namespace kerr::host::cq {

/// A launch of which nothing overlaps the one before: that one's last wait has cleared the counter, its cores are idle.
struct LaunchRequest {
  const LaunchPlan& plan;
  const arch::FirmwareLayout& layout;
  /// With the dispatcher's coordinate.
  arch::GoMessage go;
  /// The entry of a core's launch ring that its firmware reads next.
  std::function<uint32_t(arch::NocCoord)> slot;
  /// The go words are dispatch_s's work, told by the dispatcher once the data are in place.
  bool subordinate = false;
};

/// Everything up to the go signal; that, and the wait for all cores which clears the counter.
struct InOrderLaunch {
  std::vector<Command> writes, run;
};

/// To launch in another way than in_order(). No state: shared by queues and threads.
class LaunchPolicy {
 public:
  virtual ~LaunchPolicy() = default;
  virtual InOrderLaunch lower(const LaunchRequest& request) const = 0;
  /// The dispatcher notes the time also between `writes` and `run` (ProgramTime::start_cycles).
  virtual bool stamps_go() const { return false; }
};

}  // namespace kerr::host::cq
