// Device memory that the steps of a launch hand each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/runtime/buffer.hpp"
#include "host/runtime/chip.hpp"

namespace kerr::loops {

/// Kept from launch to launch, of one device. Not thread-safe: a device runs one launch at a time.
class Scratch {
 public:
  /// At least so many bytes of DRAM in pages of kPageBytes, number `number`; contents are whatever was there. The
  /// same again until more is wanted. Throws OutOfDeviceMemory when it does not fit.
  const host::Buffer& get(host::Chip& chip, uint32_t number, uint64_t bytes);
  /// Gives all of it back.
  void release() { buffers_.clear(); }
  /// Gives back the largest buffers until at most `keep` bytes are left; after a launch.
  void release_above(uint64_t keep);
  uint64_t bytes() const;

 private:
  std::vector<std::optional<host::Buffer>> buffers_;
};

}  // namespace kerr::loops
