// The functions of tiles in Dst that device/compute offers: what each does to 32 lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/vector/code.hpp"

namespace kerr::kernels {

/// What a function works on. Floats are as wide as Dst; integers have 32 bits in two's complement; bits are of either,
/// in a Dst of 32; and what is copied is not looked at.
enum class Numbers : uint8_t { Floats, Integers, Bits, Copied };

struct DeviceFunction {
  std::string_view name;
  Numbers numbers;
  uint8_t sources;     // tiles
  uint8_t parameters;  // numbers that are known when it runs, the same for all elements
  vector::Value (*make)(vector::Code&, const vector::Value* sources, const vector::Value* parameters);
};

std::span<const DeviceFunction> device_functions();

}  // namespace kerr::kernels
