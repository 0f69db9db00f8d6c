// kerr matmul: the main job, from two seeds to a verified product.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "cli/device.hpp"
#include "cli/profile.hpp"
#include "cli/timeline.hpp"
#include "graph/check.hpp"
#include "kernels/matmul/plan.hpp"
#include "report/json.hpp"

namespace kerr::cli {

enum class Planner : uint8_t { Default, Direct, Multicast, Compat };
/// How the queue launches. All but Overlapped: one command after another, as hosts did whose times are known.
enum class Launch : uint8_t { Overlapped, SmallWrites, WholeWrites };

struct MatmulRequest {
  int64_t m = 0, n = 0, k = 0;
  DeviceChoice device;
  kernels::MatmulOptions options;
  bool fidelity_given = false;  // else int8 gets the one that it needs
  bool bias = false;            // a row is added to each row of the product
  std::string epilogue;         // an expression of x, each element of the product; empty: none
  uint64_t seed = 1;
  uint32_t cores = 0;  // at most; 0: all workers
  Planner planner = Planner::Default;
  bool slow_dispatch = false;
  Launch launch = Launch::Overlapped;
  uint32_t repeat = 0;     // launches queued at once, of SmallWrites and WholeWrites; 0: 3, or 1 for a profile
  std::string save_queue;  // the queue's host region goes to this file
  std::string record;      // an input log; empty: none
  std::string snapshot;    // a file; empty: none
  uint64_t snapshot_at =
      std::numeric_limits<uint64_t>::max();  // at the first chance from this cycle on, else at the end
  bool hash_state = false;
  bool profile = false;  // kernels mark zones, cores tell their times
  TimelineRequest timeline;
  bool explain = false;  // run nothing
  bool json = false;
};

inline constexpr double kCyclesPerMicrosecond = 1350;  // the nominal clock (docs/hardware/noc.md, conventions)

/// What the request's planner chooses among `workers`. Throws std::invalid_argument.
kernels::MatmulPlan plan_for(const MatmulRequest& request, std::span<const arch::NocCoord> workers,
                             const arch::FirmwareLayout& layout);

/// The same for the workers of the request's emulated board, before it is booted: refuses all that cannot run, also operands that the
/// device's memory does not hold. Throws std::invalid_argument.
kernels::MatmulPlan plan_without_device(const MatmulRequest& request);

/// {"m": m, "n": n, "k": k}
report::Json sizes_json(uint64_t m, uint64_t n, uint64_t k);

/// Of one launch: as in MatmulOutcome.
struct LaunchTime {
  uint64_t device_cycles = 0, total_cycles = 0;
};

struct MatmulOutcome {
  std::string device, board;
  std::string timing;  // "relaxed" or "exact"; empty where the device does not tell
  kernels::MatmulPlan plan;
  uint32_t workers = 0;
  bool slow_dispatch = false;
  double boot_s = 0, run_s = 0, wall_s = 0;
  uint64_t boot_cycles = 0;
  uint64_t clock_mhz = arch::kAiclkBusyMhz;
  uint64_t device_cycles = 0;               // from the go signal to the last core done (slow dispatch: total)
  uint64_t total_cycles = 0;                // with all that is written for the launch
  std::vector<LaunchTime> launches;         // all of them, in order; the two above are the quickest one's
  Executed executed;                        // from power-on to the result; zero where the device does not tell
  uint64_t remarks = 0;                     // kinds of what silicon takes no notice of
  std::optional<Profile> profile;           // if the request asked for it
  std::optional<report::Events> observed;   // likewise, if the request asked for it
  std::optional<TimelineOutcome> timeline;  // likewise, from the go signal to the last core done; not
                                            // Launch::Overlapped: from the first command on
  double microseconds(uint64_t cycles) const { return static_cast<double>(cycles) / static_cast<double>(clock_mhz); }
  graph::Agreement agreement;
  uint64_t hash = 0;
  uint64_t state_hash = 0;  // of the whole machine, when the result is there; 0 unless asked for
};

/// Runs it; throws host::DeviceError, std::invalid_argument. `quiet`: no progress.
MatmulOutcome run_matmul(const MatmulRequest& request, bool quiet = false);

/// Runs it and prints the report. 0 unless it is wrong.
int matmul_command(const MatmulRequest& request);

}  // namespace kerr::cli
