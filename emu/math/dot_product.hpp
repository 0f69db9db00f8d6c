// The dot product of MVMUL, GAPOOL and DOTPV. docs/hardware/tensix-math.md 4 and 14.
#pragma once

#include <cstdint>

#include "emu/math/fpu_mode.hpp"
#include "emu/math/src_bank.hpp"

namespace kerr::emu::math {

/// Dst[i][j] = ACC(sum of A[k][j] * B[i][k] over k = 0..7, the same over k = 8..15, Dst[i][j]) for i = 0..rows-1.
///
/// `row_a` is the first of 16 rows of SrcA (taken modulo 64), `row_b` the first row of SrcB; rows wrap at 64.
/// MVMUL and DOTPV: rows = 8. GAPOOL: rows = 4. `mode` must not be refused by arithmetic_refusal().
/// This is the fast form; it equals dot_product_reference() bit for bit if the calling thread rounds floats to nearest
/// (as every thread does by default).
void dot_product(const FpuMode& mode, SrcBank& a, unsigned row_a, SrcBank& b, unsigned row_b, const DstRows& dst,
                 unsigned rows);

/// The definition, one element after the other.
void dot_product_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                           const DstRows& dst, unsigned rows);

}  // namespace kerr::emu::math
