// The vector forms behind dot_product(), one for each instruction set that this build and this CPU have.
#pragma once

#include <span>

#include "emu/tensix/math/fpu_mode.hpp"
#include "emu/tensix/math/src_bank.hpp"

namespace kerr::emu::math {

struct DotKernel {
  const char* name;
  /// Splits 16 rows into a block of planes.
  void (*split)(const Cell (*cells)[kColumns], Side side, Format format, bool wide_exponent, SrcPlanes::Block& out);
  /// Floating-point modes only. `row_b` is the first row inside block `b`; row_b + rows <= 16, and
  /// a.largest, b.largest and their sum must be within the limits below.
  void (*multiply)(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b, unsigned row_b,
                   const DstRows& dst, unsigned rows);
};

/// Exponents (biased by 127) up to which the slices and the sums of their products stay finite floats.
inline constexpr int kLargestExponent = 247;
inline constexpr int kLargestExponentSum = 358;

/// Fastest first, never empty.
std::span<const DotKernel> dot_kernels();

}  // namespace kerr::emu::math
