#include "emu/tensix/math/src_bank.hpp"

#include "emu/tensix/math/dot_product_kernels.hpp"

namespace kerr::emu::math {

const SrcPlanes::Block& SrcBank::planes(Side side, Format format, bool wide_exponent, unsigned block) {
  const std::uint8_t key =
      static_cast<std::uint8_t>(code_of(format) | (wide_exponent ? 0x10 : 0) | (side == Side::A ? 0x20 : 0));
  if (key != key_) valid_ = 0;
  key_ = key;
  if (!(valid_ >> block & 1)) {
    dot_kernels()[0].split(&cells[16 * block], side, format, wide_exponent, planes_.block[block]);
    valid_ |= static_cast<std::uint8_t>(1u << block);
  }
  return planes_.block[block];
}

}  // namespace kerr::emu::math
