// Floats of 32 bits in lanes.   Semantics: docs/reference/loop-programs.md "Floats"
#pragma once

#include "kernels/vector/code.hpp"

namespace kerr::loops::tiles {

using kernels::vector::Code;
using kernels::vector::Value;

Value multiply_f32(Code& code, Value a, Value b);  // products of -0 too
Value divide_f32(Code& code, Value a, Value b);    // to the nearest
/// The quotient, its sign too, where `finite` is its magnitude if both operands are normal numbers.
Value completed_quotient(Code& code, Value a, Value b, Value finite);
Value square_root_f32(Code& code, Value x);  // to the nearest
Value truncate_f32(Code& code, Value x);
Value exp2_f32(Code& code, Value x);

/// 1 or 0.
Value less_f32(Code& code, Value a, Value b);
Value equal_f32(Code& code, Value a, Value b);
Value maximum_f32(Code& code, Value a, Value b);  // a < b ? b : a

Value to_i32(Code& code, Value x);  // towards zero, clamped, NaN the largest
Value u32_to_f32(Code& code, Value x);
/// To the nearest bf16, of two the even one, as f32. x is no denormal, and every NaN is 7FC00000.
Value rounded_to_bf16(Code& code, Value x);

}  // namespace kerr::loops::tiles
