// The FP32 multiply-add of the vector unit and of the harts' float instructions. docs/hardware/tensix-math.md 8.
#pragma once

#include <cstdint>

namespace kerr::emu::math {

/// x * y + z on FP32 patterns. Denormals count as zero of their sign, NaN results are 0x7FC00000, ties go to even; not
/// completely fused: the product keeps 26 fraction bits and a sticky bit. A host fused multiply-add is no substitute.
uint32_t fma(uint32_t x, uint32_t y, uint32_t z);

}  // namespace kerr::emu::math
