// ACC: how the matrix unit joins its result with Dst, normalises and rounds. docs/hardware/tensix-math.md 4.3.
#pragma once

#include <cstdint>

#include "emu/math/fpu_mode.hpp"

namespace kerr::emu::math {

/// One of the two inputs of ACC beside Dst: (-1)^negative * magnitude * 2^(exponent - 127 - 23), magnitude below 2^28.
struct Term {
  bool negative = false;
  int exponent = 0;
  uint32_t magnitude = 0;
};

/// `dst` and the result are FP32 patterns: BF16 in the high half, FP16 as sign, 0, exponent (5 bits) in [27:23],
/// mantissa in [22:13] - not rebased. Never returns NaN, a denormal or -0.
uint32_t accumulate(const FpuMode& mode, const Term& t0, const Term& t1, uint32_t dst);

/// Dst cell of column `c` of row `r` in the form that accumulate() takes, and back.
uint32_t read_dst(const FpuMode& mode, const DstRows& dst, unsigned r, unsigned c);
void write_dst(const FpuMode& mode, const DstRows& dst, unsigned r, unsigned c, uint32_t v);

/// Integer mode: Dst + x, saturated to +-(2^31 - 1); Dst is sign-magnitude, a result of 0 is +0. 4.5.
uint32_t accumulate_integer(uint32_t dst, int64_t x);

}  // namespace kerr::emu::math
