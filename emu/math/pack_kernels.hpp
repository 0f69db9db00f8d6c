// The packer's conversions in vector form, one for each instruction set that this build and this CPU have. What they
// compute is defined by PackPath and assemble_bfp(); they exist for whole rows of the common formats only.
#pragma once

#include <cstdint>
#include <span>

#include "emu/math/pack_convert.hpp"

namespace kerr::emu::math {

/// ReLU modes 1 to 3 on 16-bit patterns: what is not above the floor becomes 0, what is above the ceiling becomes it.
struct ReluBounds {
  uint16_t floor = 0, ceiling = 0x7FFF;
};
ReluBounds relu_bounds(const PackFormat& f);

struct PackJob {
  const uint16_t* high;  ///< cells of adjacent physical rows of Dst
  const uint16_t* low;   ///< the same for the low halves; not read for the 16-bit view
  unsigned datums;       ///< a multiple of 16
  uint8_t* data;         ///< gets datums * datum_bits / 8 bytes
  uint8_t* exponents;    ///< gets a byte per 16 datums if the format shares exponents
  ReluBounds relu;
  uint16_t largest;  ///< in and out: the largest 16-bit pattern so far, or anything with the same exponent
};

using PackFunction = void (*)(PackJob&);

struct PackKernels {
  const char* name;
  /// nullptr: this format has no vector form. `f` must not be refused.
  PackFunction (*find)(const PackFormat& f);
};

/// Fastest first, never empty.
std::span<const PackKernels> pack_kernels();

}  // namespace kerr::emu::math
