// One bank of SrcA or SrcB, with the planes that the vector form of the dot product works on.
// docs/hardware/tensix-math.md 1.2 and 14.3.
#pragma once

#include <cstdint>

#include "emu/tensix/math/formats.hpp"

namespace kerr::emu::math {

/// Which side of the product a plane is for: SrcA gives 5 bits a phase, SrcB 7.
enum class Side : std::uint8_t { A, B };

/// The cells of one bank split for the dot product, once per bank fill and slice instead of once per instruction:
/// exponents as 16-bit integers, slices as exact floating-point numbers.
struct SrcPlanes {
  struct alignas(64) Block {              ///< 16 rows
    std::int16_t exponent[16][kColumns];  ///< biased by 127 whatever the format; kEmpty for a zero operand
    float slice[2][16][kColumns];         ///< [0] the high slice, [1] the low one; signed, 2^0 at exponent 127
    std::int16_t largest;                 ///< largest exponent of the block, kEmpty if all are zero
  };
  static constexpr std::int16_t kEmpty = -0x2000;
  Block block[kSrcRows / 16];
};

/// Storage of a bank. Zero bytes are a valid, empty bank, so it may live in memory fresh from mmap.
struct SrcBank {
  alignas(64) Cell cells[kSrcRows][kColumns];

  /// To be called after any change of `cells`; the planes are split again when the next dot product needs them.
  void changed() { valid_ = 0; }

  /// Planes of rows 16 * block ..+15, split if they are not there yet for this side and format.
  const SrcPlanes::Block& planes(Side side, Format format, bool wide_exponent, unsigned block);

 private:
  std::uint8_t valid_ = 0;  ///< one bit per block; all were split for key_
  std::uint8_t key_ = 0;
  SrcPlanes planes_;
};

}  // namespace kerr::emu::math
