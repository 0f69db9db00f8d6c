// Loops of the lane operations over a whole register, compiled once for each instruction set.
#pragma once

#include <array>
#include <span>

#include "emu/tensix/sfpu/lanes.hpp"

namespace kerr::emu::tensix {

enum class LaneValue : unsigned {
#define VALUE(name, expression) name,
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
  kCount
};

enum class LaneCondition : unsigned {
#define VALUE(name, expression)
#define CONDITION(name, expression) name,
#include "emu/tensix/sfpu/lane_ops.def"
  kCount
};

/// Registers may be the same as the destination.
struct LaneKernels {
  /// d = f(d, a, b, c, i) in `lanes`.
  using Value = void (*)(LReg& d, const LReg& a, const LReg& b, const LReg& c, std::uint32_t i, LaneMask lanes);
  /// Lanes in which f(b, c) holds.
  using Condition = LaneMask (*)(const LReg& b, const LReg& c);
  /// d = (x ^ x_flip) * y + (z ^ z_flip) in `lanes`, as math::fma().
  using MultiplyAdd = void (*)(LReg& d, const LReg& x, const LReg& y, const LReg& z, std::uint32_t x_flip,
                               std::uint32_t z_flip, LaneMask lanes);

  const char* name;
  std::array<Value, static_cast<unsigned>(LaneValue::kCount)> values;
  std::array<Condition, static_cast<unsigned>(LaneCondition::kCount)> conditions;
  MultiplyAdd multiply_add;

  Value operator[](LaneValue v) const { return values[static_cast<unsigned>(v)]; }
  Condition operator[](LaneCondition v) const { return conditions[static_cast<unsigned>(v)]; }
};

/// Those that this CPU can run, fastest first, never empty.
std::span<const LaneKernels> lane_kernels();

/// One lane, by the scalar definitions.
std::uint32_t lane_value(LaneValue v, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                         std::uint32_t i);
bool lane_condition(LaneCondition v, std::uint32_t b, std::uint32_t c);

}  // namespace kerr::emu::tensix
