// Runs a compute kernel on one core: its operands lie in L1 as pages of circular buffers when it begins, and so do
// results when it ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/run.hpp"
#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"

namespace kerr::device_tests {

using graph::Format;
using graph::Tensor;

/// Pages of a circular buffer.
struct Operand {
  Operand(uint8_t id, const Tensor& tensor);
  Operand(uint8_t id, uint32_t page_bytes, std::vector<std::byte> all);

  uint8_t buffer;
  uint32_t page_bytes;
  std::vector<std::byte> bytes;
};

class OnCore {
 public:
  /// What `kernel` (of kerr_use_kernels, a compute kernel) leaves in the `pages` pages of buffer 16.
  std::vector<std::byte> run(const std::string& kernel, const std::vector<Operand>& operands, uint32_t pages,
                             uint32_t page_bytes, const std::vector<uint32_t>& arguments);
  /// The same as tiles of a matrix. `result`: its shape and format.
  Tensor run(const std::string& kernel, const std::vector<Operand>& operands, Tensor result,
             const std::vector<uint32_t>& arguments);
  /// What generated kernels make of an expression.
  Tensor generated(const std::string& expression, const graph::Inputs& inputs, const graph::RunOptions& options);

 private:
  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

}  // namespace kerr::device_tests
