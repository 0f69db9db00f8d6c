// ELWADD, ELWSUB, ELWMUL. docs/hardware/tensix-math.md 5.
#pragma once

#include <cstdint>
#include <span>

#include "emu/math/fpu_mode.hpp"
#include "emu/math/src_bank.hpp"

namespace kerr::emu::math {

/// Which SrcB element meets SrcA element (i, j): instr_mod19 of the ELW instructions.
struct Broadcast {
  bool column = false;  ///< bit 0: column 0 to all columns
  bool row = false;     ///< bit 1: row `row_b` to all rows
};

/// Eight rows: Dst[i][j] (+)= A[row_a + i][j] +- B[row_b + i][j]. `accumulate_dst` is dest_accum_en.
/// `mode` must not be refused by arithmetic_refusal(). Rows wrap at 64.
void elementwise_add(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                     Broadcast broadcast, bool subtract, bool accumulate_dst, const DstRows& dst);

/// Eight rows: Dst[i][j] += A[row_a + i][j] * B[row_b + i][j]; it always accumulates.
void elementwise_multiply(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                          Broadcast broadcast, const DstRows& dst);

/// The definitions, one element after the other.
void elementwise_add_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                               Broadcast broadcast, bool subtract, bool accumulate_dst, const DstRows& dst);
void elementwise_multiply_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b,
                                    unsigned row_b, Broadcast broadcast, const DstRows& dst);

/// Their vector forms, one for each instruction set that this build and this CPU have. `add` is for phase 0.
struct ElementwiseKernel {
  const char* name;
  decltype(&elementwise_add) add;
  decltype(&elementwise_multiply) multiply;
};
/// Fastest first, never empty.
std::span<const ElementwiseKernel> elementwise_kernels();

}  // namespace kerr::emu::math
