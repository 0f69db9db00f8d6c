// Runs a compute kernel on one core: its operands lie in L1 as pages of circular buffers when it begins, and so do results when it ends.
#pragma once

#include <string>
#include <vector>

#include "graph/run.hpp"
#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"

namespace kerr::device_tests {

using graph::Format;
using graph::Tensor;

struct Operand {
  uint8_t buffer;
  Tensor tensor;
};

class OnCore {
 public:
  /// What `kernel` (of kerr_use_kernels, a compute kernel) leaves in buffer 16. `result`: shape and format.
  Tensor run(const std::string& kernel, const std::vector<Operand>& operands, Tensor result,
             std::vector<uint32_t> arguments);
  /// The same of an expression: what generated kernels make of it.
  Tensor generated(const std::string& expression, const graph::Inputs& inputs, const graph::RunOptions& options);

 private:
  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

}  // namespace kerr::device_tests
