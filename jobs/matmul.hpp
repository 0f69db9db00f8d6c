// The main job, from two matrices, random or given, to a verified product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "graph/check.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/zones.hpp"
#include "jobs/device.hpp"
#include "jobs/listener.hpp"
#include "jobs/observation.hpp"
#include "jobs/own_numbers.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/product.hpp"

namespace kerr::jobs {

enum class Planner : uint8_t { Default, Direct, Multicast, Compat };
/// How the queue launches. All but Overlapped: one command after another, as hosts did whose times are known.
enum class Launch : uint8_t { Overlapped, SmallWrites, WholeWrites };

struct MatmulJob {
  kernels::ProductShape shape;
  DeviceSpec device;
  kernels::MatmulOptions options;
  bool fidelity_given = false;     // else int8 gets the one that it needs
  std::optional<OwnNumbers> a, b;  // in options.in, batch x (m x k) and batch x (k x n); none: random
  bool bias = false;               // a row is added to each row of the product
  std::string epilogue;            // an expression of x, each element of the product; empty: none
  uint64_t seed = 1;
  uint32_t cores = 0;  // at most; 0: all workers
  Planner planner = Planner::Default;
  bool slow_dispatch = false;
  Launch launch = Launch::Overlapped;
  uint32_t repeat = 0;      // launches queued at once, of SmallWrites and WholeWrites; 0: 3, or 1 for a profile
  bool profile = false;     // kernels mark zones, cores tell their times
  bool keep_queue = false;  // the host's memory of the command queue
  Observing observing;      // a timeline: of the quickest launch
};

/// What the job's planner chooses among `workers`. Throws std::invalid_argument.
kernels::MatmulPlan plan(const MatmulJob& job, std::span<const arch::NocCoord> workers,
                         const arch::FirmwareLayout& layout);

/// The same for the workers of the job's emulated board, before it is booted: refuses all that cannot run, also
/// operands that the device's memory does not hold. Throws std::invalid_argument.
kernels::MatmulPlan plan_without_device(const MatmulJob& job);

/// One launch, as in MatmulOutcome.
struct LaunchTime {
  uint64_t device_cycles = 0, total_cycles = 0;
};

struct Profile {
  host::CommandQueue::ProgramTime time;
  host::Zones zones;
};

/// Its timeline is from the go signal to the last core done; not Launch::Overlapped: from the first command on.
struct MatmulOutcome : Observation {
  std::string device, board;
  std::string timing;  // "relaxed" or "exact"; empty where the device does not tell
  kernels::MatmulPlan plan;
  uint32_t workers = 0;
  double boot_s = 0, run_s = 0, wall_s = 0;
  uint64_t boot_cycles = 0;
  uint64_t clock_mhz = arch::kAiclkBusyMhz;
  uint64_t device_cycles = 0;        // from the go signal to the last core done (slow dispatch: total)
  uint64_t total_cycles = 0;         // with all that is written for the launch
  std::vector<LaunchTime> launches;  // all of them, in order; the two above are the quickest one's
  std::optional<Profile> profile;    // if the job asked for it, as for the next one
  std::vector<std::byte> queue_memory;
  graph::Tensor product;  // of a batch, one below the other
  graph::Agreement agreement;
  uint64_t hash = 0;

  double microseconds(uint64_t cycles) const { return static_cast<double>(cycles) / static_cast<double>(clock_mhz); }
};

/// Throws host::DeviceError, std::invalid_argument; emu::SnapshotError if a recording cannot be begun, or a snapshot
/// within the run not written (at its end: Observation::recording_error).
MatmulOutcome run(const MatmulJob& job, Listener& listener);
MatmulOutcome run(const MatmulJob& job);

}  // namespace kerr::jobs
