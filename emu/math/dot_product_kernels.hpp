// The vector forms behind dot_product(), one for each instruction set that this build and this CPU have.
#pragma once

#include <span>

#include "emu/math/fpu_mode.hpp"
#include "emu/math/src_bank.hpp"

namespace kerr::emu::math {

struct DotKernel {
  const char* name;
  /// Splits 16 rows into one slice of a block of planes, and, if `exponents`, into what both slices share.
  void (*split)(const Cell (*cells)[kColumns], Side side, Format format, bool wide_exponent, unsigned slice,
                bool exponents, SrcPlanes::Block& out);
  /// The fast form: for modes and planes that suit(). `row_b` is the first row inside block `b`; row_b + rows <= 16,
  /// rows is 4 or 8. False, and nothing is done, if a row of Dst has an exponent that it cannot hold.
  bool (*fast)(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b, unsigned row_b,
               const DstRows& dst, unsigned rows);
  /// Any mode and any operands: as dot_product_reference(), at most 8 rows.
  void (*any)(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
              const DstRows& dst, unsigned rows);
};

/// Exponents (biased by 127) that keep every intermediate result of the fast form a normal float. Nonzero Dst cells
/// have to lie between the first two; the product of any two nonzero operands in any phase too.
inline constexpr int kLeastExponent = 26, kMostExponent = 238;
inline constexpr int kLeastOperandExponent = 32;  // of one operand by itself
inline constexpr int kExponentRange = 120;        // between the largest and the smallest product

/// Whether the fast form covers these. Exponents of 16-bit FP16 results end within the range of ordinary data.
inline bool fast_form_suits(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b) {
  constexpr int kBias = 127, kPhases = 5 + 7;
  return !mode.int8_math && (mode.wide() || mode.wide_exponent()) && a.smallest >= kLeastOperandExponent &&
         b.smallest >= kLeastOperandExponent && a.smallest + b.smallest - kBias - kPhases >= kLeastExponent &&
         a.largest + b.largest - kBias <= kMostExponent &&
         a.largest - a.smallest + b.largest - b.smallest < kExponentRange;
}

/// Fastest first, never empty.
std::span<const DotKernel> dot_kernels();

}  // namespace kerr::emu::math
