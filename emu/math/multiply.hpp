// The multiplier of the matrix unit: operands, fidelity slices, one product. docs/hardware/tensix-math.md 4.1, 4.2,
// 4.5.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emu/math/fpu_mode.hpp"

namespace kerr::emu::math {

/// The part of a cell that takes part in the arithmetic of `mode`. Integers use all ten bits of their magnitude.
constexpr Cell operand(Cell c, Format f, const FpuMode& mode) {
  if (mode.int8_math) return c & kCellMask;
  c = trim(c, f);
  return mode.wide_exponent() ? c : c & 0x47FFF;
}

/// 5 bits of SrcA's mantissa with hidden bit: the high ones in phases 0 and 2, the next ones in 1 and 3. Bit 0 is
/// never used.
constexpr unsigned slice_a(Cell c, unsigned phase) {
  const unsigned m = 0x400 | cell_mantissa(c);
  return phase & 1 ? m >> 1 & 31 : m >> 6;
}
/// 7 bits of SrcB's: the high ones in phases 0 and 1, the last four (left aligned) in 2 and 3.
constexpr unsigned slice_b(Cell c, unsigned phase) {
  const unsigned m = 0x400 | cell_mantissa(c);
  return phase & 2 ? (m & 15) << 3 : m >> 4;
}

/// What a fidelity phase takes off an exponent: the places of the slices behind the first ones.
constexpr int phase_shift(const FpuMode& mode) { return (mode.phase & 1 ? 5 : 0) + (mode.phase & 2 ? 7 : 0); }
/// J: what the exponents of a product's operands are corrected by.
constexpr int exponent_correction(const FpuMode& mode) {
  return (mode.wide_exponent() ? -127 : mode.wide() ? 97 : -15) - phase_shift(mode);
}
/// Z: the exponent that a zero product contributes.
constexpr int zero_exponent(const FpuMode& mode) { return std::max(exponent_correction(mode), 0); }

/// Factor on SrcA's slices as floats: it turns the host's ties-to-even into ties away from zero, see
/// dot_product_simd.cpp.
inline constexpr float kTieBreaker = 1.0f + 0x1p-15f;

/// Signed product of two integer operands in the phase's slices, which stay in place. 4.5.
constexpr int integer_product(Cell a, Cell b, const FpuMode& mode) {
  if (cell_exponent(a) == 0 || (mode.flush_src && cell_exponent(b) == 0)) return 0;
  const int ma = static_cast<int>(cell_mantissa(a) & (mode.phase & 1 ? 0x01Fu : 0x0E0u));
  const int mb = static_cast<int>(cell_mantissa(b) & (mode.phase & 2 ? 0x00Fu : 0x3F0u));
  return cell_negative(a) != cell_negative(b) ? -ma * mb : ma * mb;
}

}  // namespace kerr::emu::math
