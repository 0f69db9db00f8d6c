// A program and its arguments as steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loops/steps.hpp"

namespace kerr::loops {

/// Points to itself and to the buffers.
struct Decoded {
  Decoded(const Program& program, std::span<const std::span<std::byte>> buffers, std::span<const int64_t> numbers);
  Decoded(const Decoded&) = delete;
  Decoded& operator=(const Decoded&) = delete;

  std::vector<Step> steps;
  std::vector<uint64_t> slots;       // of values, variables set; then of numbers
  std::vector<std::byte> registers;  // zero
};

}  // namespace kerr::loops
