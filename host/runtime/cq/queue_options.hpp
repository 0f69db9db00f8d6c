// How a command queue is made. docs/hardware/fast-dispatch.md; the recommended host region is 2.3
#pragma once

#include <chrono>
#include <cstdint>

#include "arch/cq_layout.hpp"
#include "host/device/pcie_device.hpp"

namespace kerr::host {

namespace cq {
class LaunchPolicy;
}

struct QueueOptions {
  arch::cq::HostRegion region = arch::cq::kDefaultHostRegion;
  /// Go words are sent by dispatch_s on the dispatch tile's NCRISC, not by the dispatcher itself.
  bool subordinate = false;
  /// The next program is written while one runs, into the other half of the kernel-config area; the cores then start it
  /// without delay. Code that a core still holds is not sent again. Off: one command after another in the order of the
  /// blackhole-py's host (docs/hardware/fast-dispatch.md 16), each a record of its own.
  bool overlap = true;
  /// Go words by multicast where the cores make rectangles; off: to one core after another, 20 cycles apart.
  bool multicast_go = true;
  /// With overlap off: how a launch becomes commands (launch_policy.hpp); nullptr: as few as it takes. Must outlive the
  /// queue.
  const cq::LaunchPolicy* launch_policy = nullptr;
  /// Every core tells when it began and ended (ProgramTime::cores), for as many programs between two finish() as the
  /// region has core-timing slots. One queue of a chip at a time.
  bool core_times = false;
  /// Which of the chip's queues (ChipOptions::queues).
  uint32_t index = 0;
  /// The split kernels: prefetch_h and dispatch_h on the first pair of a chip with two queues, prefetch_d and dispatch_d
  /// on the second. Such a queue is the only one of its chip.
  bool split = false;
  /// Without any progress for so long, a wait for room or for an event fails (20.3).
  Deadline stall{200'000'000, std::chrono::milliseconds(10'000)};
};

}  // namespace kerr::host
