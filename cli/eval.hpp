// kerr eval: an expression over random matrices, on the device and in float64.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/device.hpp"
#include "graph/domain.hpp"
#include "graph/graph.hpp"
#include "graph/tensor.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::cli {

/// Of random numbers, where one end of the range is given.
inline constexpr graph::Range kUsualRange{-1, 1};

struct EvalRequest {
  std::string expression;
  std::vector<std::string> shapes;  // "--a", "512x1024", ...
  DeviceChoice device;
  kernels::Format format = kernels::Format::Bf16;
  kernels::MatmulOptions matmul;
  uint64_t seed = 1;
  std::optional<float> low, high;  // of the random numbers of all operands; none: what the expression is made for
  uint32_t cores = 0;              // 0: all workers
  bool slow_dispatch = false, show = false, json = false;
};

/// A name of an expression: what it stands for, and the range of its random numbers if one is given.
struct NamedOperand {
  graph::Matrix matrix;
  std::optional<graph::Range> range;
};
using Shapes = std::map<std::string, NamedOperand, std::less<>>;

/// A text, and what its names stand for: "--a", "512x1024", "--b", "64x64:int32:0..9", ...; `format` is asked for where
/// none is given. Throws std::invalid_argument, also for names without a shape and shapes without a name.
graph::Graph parse_expression(const std::string& text, const std::vector<std::string>& shape_options,
                              kernels::Format format, Shapes* used = nullptr);

/// Returns the exit status. Throws std::invalid_argument or host::DeviceError with a sentence.
int eval_command(const EvalRequest& request);

/// One line an operation: how many operands, how accurate.
int operations_command(bool json);

}  // namespace kerr::cli
