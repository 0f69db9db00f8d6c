// One bank of SrcA or SrcB, with the planes that the vector form of the dot product works on.
// docs/hardware/tensix-math.md 1.2 and 14.7.
#pragma once

#include <cstdint>

#include "emu/math/formats.hpp"

namespace kerr::emu::math {

/// Which side of the product a plane is for: SrcA gives 5 bits a phase, SrcB 7.
enum class Side : uint8_t { A, B };

/// The cells of one bank split for the dot product, once per bank fill and slice instead of once per instruction:
/// exponents as fixed-point numbers, slices as exact floating-point numbers.
struct SrcPlanes {
  struct alignas(64) Block {  ///< 16 rows
    /// Two 16-bit exponents a word, of the terms k (low half) and k + 8 of a dot product: dot_product_fast-inl.hpp.
    /// SrcA: rows k and k + 8 at [k * 16 + column]. SrcB: columns k and k + 8 at [row * 8 + k].
    int32_t exponents[128];
    float slice[2][16][kColumns];  ///< [0] the high slice, [1] the low one: the operand's value, cut to these bits
    int16_t smallest, largest;     ///< of the exponents (biased by 127) of operands that are not zero
  };
  static constexpr int16_t kNoSmallest = 0x4000, kNoLargest = -0x4000;  ///< of a block of zeros
  Block block[kSrcRows / 16];
};

/// Storage of a bank. Zero bytes are a valid, empty bank, so it may live in memory fresh from mmap.
struct SrcBank {
  alignas(64) Cell cells[kSrcRows][kColumns];

  /// To be called after any change of `cells`; the planes are split again when the next dot product needs them.
  void changed() { valid_ = 0; }

  /// Planes of rows 16 * block ..+15 with this slice (0 or 1), split if they are not there yet for this side and
  /// format.
  const SrcPlanes::Block& planes(Side side, Format format, bool wide_exponent, unsigned slice, unsigned block) {
    const auto key = static_cast<uint8_t>(code_of(format) | (wide_exponent ? 0x10 : 0) | (side == Side::A ? 0x20 : 0));
    if (key != key_) valid_ = 0;
    key_ = key;
    if (!(valid_ >> (2 * block + slice) & 1)) split(side, format, wide_exponent, slice, block);
    return planes_.block[block];
  }

 private:
  void split(Side side, Format format, bool wide_exponent, unsigned slice, unsigned block);  // dot_product.cpp

  uint8_t valid_ = 0;  ///< two bits per block, one a slice; all were split for key_
  uint8_t key_ = 0;
  SrcPlanes planes_;
};

}  // namespace kerr::emu::math
