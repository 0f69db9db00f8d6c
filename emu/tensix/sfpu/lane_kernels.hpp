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
  using Value = void (*)(LReg& d, const LReg& a, const LReg& b, const LReg& c, uint32_t i, LaneMask lanes);
  /// Lanes in which f(b, c) holds.
  using Condition = LaneMask (*)(const LReg& b, const LReg& c);
  /// d = (x ^ x_flip) * y + (z ^ z_flip) in `lanes`, as math::fma().
  using MultiplyAdd = void (*)(LReg& d, const LReg& x, const LReg& y, const LReg& z, uint32_t x_flip, uint32_t z_flip,
                               LaneMask lanes);
  /// The same with one y for all lanes.
  using MultiplyAddImmediate = void (*)(LReg& d, const LReg& x, uint32_t y, const LReg& z, uint32_t x_flip,
                                        uint32_t z_flip, LaneMask lanes);

  /// Four rows of Dst, as they follow one another. A lane has the even column of its pair (`shift` = 0) or the odd one
  /// (16). `low`: the rows of the low halves, which a 16-bit access leaves alone.
  using Load = void (*)(LReg& d, const uint16_t* high, const uint16_t* low, unsigned shift, LaneMask lanes);
  using Store = void (*)(uint16_t* high, uint16_t* low, const LReg& c, unsigned shift, LaneMask lanes);

  const char* name;
  std::array<Value, static_cast<unsigned>(LaneValue::kCount)> values;
  /// The same between Dst and a register, for LOAD_* and STORE_* of lane_ops.def; nullptr for others.
  std::array<Load, static_cast<unsigned>(LaneValue::kCount)> loads;
  std::array<Store, static_cast<unsigned>(LaneValue::kCount)> stores;
  std::array<Condition, static_cast<unsigned>(LaneCondition::kCount)> conditions;
  MultiplyAdd multiply_add;
  MultiplyAddImmediate multiply_add_immediate;

  Value operator[](LaneValue v) const { return values[static_cast<unsigned>(v)]; }
  Load load(LaneValue v) const { return loads[static_cast<unsigned>(v)]; }
  Store store(LaneValue v) const { return stores[static_cast<unsigned>(v)]; }
  Condition operator[](LaneCondition v) const { return conditions[static_cast<unsigned>(v)]; }
};

/// Those that this CPU can run, fastest first, never empty.
std::span<const LaneKernels> lane_kernels();

/// One lane, by the scalar definitions.
uint32_t lane_value(LaneValue v, uint32_t d, uint32_t a, uint32_t b, uint32_t c, uint32_t i);
bool lane_condition(LaneCondition v, uint32_t b, uint32_t c);

}  // namespace kerr::emu::tensix
