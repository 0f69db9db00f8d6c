// exp2, log2, sin and quotients of f32 in lanes, near to those of loops/arithmetic.hpp in a part of the instructions.
#pragma once

#include "kernels/vector/code.hpp"

namespace kerr::loops::tiles {

using kernels::vector::Code;
using kernels::vector::Value;

// At most one unit in the last place off; infinities, NaN, zeros and their signs are the definition's, but that a
// quotient may be zero instead of the smallest normal number and the other way round, or infinity instead of the
// largest.
Value quick_exp2_f32(Code& code, Value x);
Value quick_log2_f32(Code& code, Value x);
Value quick_divide_f32(Code& code, Value a, Value b);

/// Beyond this magnitude no result is right, but for infinities and NaN, whose sine is NaN.
inline constexpr float kMostOfQuickSin = 32768;
struct QuickSin {
  Value sine;
  Value beyond;  // negative where x is finite and beyond kMostOfQuickSin
};
QuickSin quick_sin_f32(Code& code, Value x);

}  // namespace kerr::loops::tiles
