// An expression over random or given matrices, on the device and in float64.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/memory_map.hpp"
#include "graph/check.hpp"
#include "graph/domain.hpp"
#include "graph/graph.hpp"
#include "graph/run.hpp"
#include "graph/tensor.hpp"
#include "jobs/device.hpp"
#include "jobs/listener.hpp"
#include "jobs/observation.hpp"
#include "jobs/own_numbers.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::jobs {

/// A name of an expression: what it stands for, and its numbers. Without any they are random, in `range` if one is
/// given.
struct Operand {
  graph::Matrix matrix;
  std::optional<graph::Range> range{};
  std::optional<OwnNumbers> own{};  // of the matrix's shape, in its format or, if it has none, in the job's for floats
};
using Operands = std::map<std::string, Operand, std::less<>>;
using Ranges = std::map<std::string, graph::Range, std::less<>>;

/// The range of random numbers where only one end is given.
inline constexpr graph::Range kUsualRange{-1, 1};

struct EvalJob {
  graph::Graph graph;
  Operands operands;  // one for each of its names
  DeviceSpec device;
  Observing observing;  // a timeline: from the first program's go signal to the last program's end
  kernels::Format format = kernels::Format::Bf16;  // graph::RunOptions
  kernels::MatmulOptions matmul;
  uint64_t seed = 1;
  std::optional<float> low, high;  // of the random numbers of all operands; none: what the expression is made for
  uint32_t cores = 0;              // at most; 0: all workers
  bool slow_dispatch = false;

  bool range_given() const { return low || high; }
  /// The format of an operand whose matrix has none.
  kernels::Format floats() const { return kernels::is_integer(format) ? kernels::Format::Fp32 : format; }
};

/// One launch. `begin`: the go signal; `end`: the last core is done. With slow dispatch all that the host did is in it.
struct ProgramTime {
  std::string name;
  uint64_t begin = 0, end = 0;
};

struct EvalOutcome : Observation {
  graph::Tensor result;
  graph::Agreement agreement;
  std::vector<graph::StageReport> stages;
  std::vector<ProgramTime> programs;
  std::vector<report::Utilisation> utilisations;  // of each of them, if there is a timeline
  uint64_t device_cycles = 0, hash = 0;
  uint64_t clock_mhz = arch::kAiclkBusyMhz;
  double run_s = 0;
  Ranges derived;  // ranges of operands that nobody has given
};

/// Throws std::invalid_argument or host::DeviceError with a sentence; what cannot be planned is refused before a chip
/// is booted.
EvalOutcome run(const EvalJob& job, Listener& listener);

/// A program that a job would run, on the cores and with the L1 that it would take.
struct PlannedProgram {
  std::string name;
  size_t cores = 0;
  struct Kernel {
    std::string name;
    arch::Hart hart;
    size_t bytes = 0;
  };
  std::vector<Kernel> kernels;
  struct Buffer {
    uint8_t id = 0;
    uint32_t pages = 0, page_bytes = 0;
  };
  std::vector<Buffer> circular_buffers;
  uint32_t l1_bytes = 0;  // of each core
};
struct EvalPlan {
  std::vector<graph::StageReport> stages;
  std::vector<PlannedProgram> programs;  // all that are launched, those that only lay tiles out anew included
};
/// What run() would launch on the job's emulated board, of which only the firmware is started. Throws as run() does.
EvalPlan explain(const EvalJob& job);

}  // namespace kerr::jobs
