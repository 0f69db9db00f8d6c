// Graphs on a device, and how far the result is from float64.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/check.hpp"
#include "graph/graph.hpp"
#include "graph/tensor.hpp"
#include "graph/transfer.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

struct RunOptions {
  Format format = Format::Bf16;  // of floats in memory where nothing else is said; FP32 if it is one of integers
  kernels::MatmulOptions matmul;
  uint32_t cores = 0;  // use at most so many; 0: all workers
  /// Runs a program to its end; empty: Chip::run.
  std::function<void(const host::Program&)> launch;
  /// No matrix is sent to the device or fetched from it: only launch() is called, with every program in its order.
  /// Inputs need shapes and formats only, and the result has no values.
  bool without_numbers = false;
  /// Told before each stage how many are done, of how many; may throw.
  std::function<void(size_t done, size_t all)> progress{};
};

struct StageReport {
  std::string what;  // "matmul 512x1024 @ 1024x768", "gelu(add($0, $1))"
  uint32_t cores = 0;
  uint32_t vector_instructions = 0;  // element-wise: for each 32 elements
  uint32_t spills = 0;               // element-wise: values kept in Dst for lack of registers
  uint32_t layouts = 0;              // programs more that laid out tiles anew, or filled in what lies beside a matrix
};

using Inputs = std::map<std::string, Tensor, std::less<>>;

/// What the graph makes of `inputs`, which hold a tensor of the right shape and format for each name. Results stay on
/// the device from program to program, and only the last one is read. Throws std::invalid_argument for what cannot be
/// run, before anything runs, and host::DeviceError.
Tensor run(const Graph& graph, const Inputs& inputs, host::Chip& chip, const RunOptions& options,
           std::vector<StageReport>* reports = nullptr);

using DeviceInputs = std::map<std::string, DeviceMatrix, std::less<>>;

/// The same with inputs that are on the chip already, which stay as they are, and a result that stays there, too.
DeviceMatrix run_on_device(const Graph& graph, const Inputs& inputs, const DeviceInputs& on_device, host::Chip& chip,
                           const RunOptions& options, std::vector<StageReport>* reports = nullptr);

/// The same in float64, compared on rows that are evenly spread when there is too much to compute. `options`: with
/// which `result` was made, as formats in memory and the fidelity of products decide how far off it may be.
Agreement check(const Graph& graph, const Inputs& inputs, const Tensor& result, const RunOptions& options);

}  // namespace kerr::graph
