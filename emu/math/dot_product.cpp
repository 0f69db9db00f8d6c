#include "emu/math/dot_product.hpp"

#include "emu/math/cpu_targets.hpp"
#include "emu/math/dot_product_kernels.hpp"

namespace kerr::emu::math {

void SrcBank::split(Side side, Format format, bool wide_exponent, unsigned slice, unsigned block) {
  const bool first = !(valid_ >> (2 * block) & 3);
  dot_kernels()[0].split(&cells[16 * block], side, format, wide_exponent, slice, first, planes_.block[block]);
  valid_ |= static_cast<uint8_t>(1u << (2 * block + slice));
}

void dot_product(const FpuMode& mode, SrcBank& a, unsigned row_a, SrcBank& b, unsigned row_b, const DstRows& dst,
                 unsigned rows) {
  // The vector forms take an exponent of 0 for a zero.
  const bool keeps_denormals = !mode.flush_src && !mode.int8_math;
  if (kDefinitionsOnly || keeps_denormals) [[unlikely]]
    return dot_product_reference(mode, a, row_a, b, row_b, dst, rows);
  static const DotKernel& kernel = dot_kernels()[0];
  row_a %= kSrcRows;
  row_b %= kSrcRows;
  const bool one_block_each = row_a % 16 == 0 && row_b % 16 + rows <= 16;
  if (one_block_each && !mode.int8_math) {
    const SrcPlanes::Block& pa = a.planes(Side::A, mode.src_a, mode.wide_exponent(), mode.phase & 1, row_a / 16);
    const SrcPlanes::Block& pb = b.planes(Side::B, mode.src_b, mode.wide_exponent(), mode.phase >> 1, row_b / 16);
    if (fast_form_suits(mode, pa, pb) && kernel.fast(mode, pa, pb, row_b % 16, dst, rows)) return;
  }
  kernel.any(mode, a, row_a, b, row_b, dst, rows);
}

}  // namespace kerr::emu::math
