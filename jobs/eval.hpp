// An expression over random matrices, on the device and in float64.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/check.hpp"
#include "graph/domain.hpp"
#include "graph/graph.hpp"
#include "graph/run.hpp"
#include "jobs/device.hpp"
#include "jobs/listener.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::jobs {

/// A name of an expression: what it stands for, and the range of its random numbers if one is given.
struct Operand {
  graph::Matrix matrix;
  std::optional<graph::Range> range;
};
using Operands = std::map<std::string, Operand, std::less<>>;
using Ranges = std::map<std::string, graph::Range, std::less<>>;

/// The range of random numbers where only one end is given.
inline constexpr graph::Range kUsualRange{-1, 1};

struct EvalJob {
  graph::Graph graph;
  Operands operands;  // one for each of its names
  DeviceSpec device;
  Watch watch = Watch::Nothing;
  kernels::Format format = kernels::Format::Bf16;  // graph::RunOptions
  kernels::MatmulOptions matmul;
  uint64_t seed = 1;
  std::optional<float> low, high;  // of the random numbers of all operands; none: what the expression is made for
  uint32_t cores = 0;              // at most; 0: all workers
  bool slow_dispatch = false;

  bool range_given() const { return low || high; }
};

struct EvalOutcome {
  graph::Shape shape;
  graph::Agreement agreement;
  std::vector<graph::StageReport> stages;
  uint64_t device_cycles = 0, hash = 0;
  Remarks remarks;
  double run_s = 0;
  Ranges derived;  // ranges of operands that nobody has given
};

/// Throws std::invalid_argument or host::DeviceError with a sentence; what cannot be planned is refused before a chip is
/// booted.
EvalOutcome run(const EvalJob& job, Listener& listener);

}  // namespace kerr::jobs
