#include "emu/math/src_bank.hpp"

#include "emu/math/dot_product_kernels.hpp"

namespace kerr::emu::math {

void SrcBank::split(Side side, Format format, bool wide_exponent, unsigned slice, unsigned block) {
  const bool first = !(valid_ >> (2 * block) & 3);
  dot_kernels()[0].split(&cells[16 * block], side, format, wide_exponent, slice, first, planes_.block[block]);
  valid_ |= static_cast<uint8_t>(1u << (2 * block + slice));
}

}  // namespace kerr::emu::math
