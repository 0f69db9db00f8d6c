// 32 lanes of 32 bits: what the vector unit works on.   docs/hardware/tensix-math.md 1.5
#pragma once

#include <array>
#include <cstdint>

namespace kerr::emu::tensix {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kLaneColumns = 8;  // lane l sits at row l / 8, column l % 8

/// One register of the vector unit. An aggregate without initialisers: arrays of it cost nothing to create.
struct alignas(64) LReg : std::array<uint32_t, kLanes> {};

/// One bit a lane.
using LaneMask = uint32_t;
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

/// The four lanes of each column in a set of columns (one bit a column).
constexpr LaneMask lanes_of_columns(unsigned columns) { return (columns & 0xFF) * 0x01010101u; }

template <class F>
void for_each_lane(LaneMask lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

}  // namespace kerr::emu::tensix
