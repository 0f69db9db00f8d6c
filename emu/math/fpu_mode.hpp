// What an FPU instruction's arithmetic depends on besides its operands. docs/hardware/tensix-math.md 3.2.
#pragma once

#include <cstdint>

#include "emu/math/formats.hpp"

namespace kerr::emu::math {

struct FpuMode {
  Format src_a = Format::Bf16;  ///< fmtA: implied format of the SrcA bank, or the configured one
  Format src_b = Format::Bf16;  ///< fmtB
  bool fp32_dst = false;        ///< ALU_ACC_CTRL_Fp32_enabled
  bool int8_math = false;       ///< ALU_ACC_CTRL_INT8_math_enabled
  bool flush_src = true;        ///< not ALU_ACC_CTRL_Zero_Flag_disabled_src
  uint8_t phase = 0;            ///< fidelity phase 0..3

  /// Dst is read and written through its 32-bit view.
  constexpr bool wide() const { return fp32_dst || int8_math; }
  /// Exponents are 8 bits wide.
  constexpr bool wide_exponent() const { return !int8_math && style_of(src_a) != Style::Fp16; }
};

/// arithmetic_refusal() of all modes; that one answers the usual one where it is asked.
const char* unusual_arithmetic_refusal(const FpuMode& mode);
/// A sentence why MVMUL, DOTPV, GAPOOL, ELWADD, ELWSUB and ELWMUL have no known result in this mode, or nullptr.
inline const char* arithmetic_refusal(const FpuMode& mode) {
  const bool usual = mode.src_a == Format::Bf16 && mode.src_b == Format::Bf16 && !mode.int8_math;
  return usual ? nullptr : unusual_arithmetic_refusal(mode);
}

/// Rows of Dst that an instruction updates, as raw (shuffled) cells: row r of the 16-bit view is high[16 * r ..], of
/// the 32-bit view high[16 * r ..] and low[16 * r ..]. An aligned block of up to 8 rows of the 32-bit view is
/// contiguous in both halves as long as neither remap_addrs nor swizzle_32b is set. Invalid rows: the caller writes
/// zeros first, because the FPU reads them as 0, and sets their flags after.
struct DstRows {
  uint16_t* high;
  uint16_t* low;  ///< nullptr for the 16-bit view; must be set exactly if the mode is wide
};

}  // namespace kerr::emu::math
