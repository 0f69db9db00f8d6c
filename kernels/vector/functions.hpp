// Elementary functions of 32 lanes of FP32, made of the vector unit's arithmetic. How accurate each is: expression/operations.def.
// docs/hardware/kernels.md 6.3; the polynomials are minimax fits of this project.
#pragma once

#include "kernels/vector/code.hpp"

namespace kerr::kernels::vector {

Value reciprocal(Code& code, Value x);
Value divide(Code& code, Value a, Value b);
Value square_root(Code& code, Value x);  // NaN below 0
Value reciprocal_square_root(Code& code, Value x);

Value exp2(Code& code, Value x);
Value exp(Code& code, Value x);
Value log2(Code& code, Value x);  // NaN below 0, -inf of 0
Value log(Code& code, Value x);
Value power(Code& code, Value base, Value exponent);

Value sin(Code& code, Value x);  // accurate up to |x| = 2^15
Value cos(Code& code, Value x);
Value tanh(Code& code, Value x);
Value sigmoid(Code& code, Value x);
Value silu(Code& code, Value x);
Value softplus(Code& code, Value x);  // log(1 + exp(x))
Value erf(Code& code, Value x);
Value gelu(Code& code, Value x);  // x times the normal distribution's integral up to x

Value truncate(Code& code, Value x);
Value floor(Code& code, Value x);
Value ceil(Code& code, Value x);
Value round_even(Code& code, Value x);

Value minimum(Code& code, Value a, Value b);  // by the order of sign and magnitude, in which NaN is beyond infinity
Value maximum(Code& code, Value a, Value b);
/// 1.0 where it holds, else 0.0. Both zeros are equal; NaN compares as by the order of sign and magnitude.
Value less(Code& code, Value a, Value b);
Value less_equal(Code& code, Value a, Value b);
Value equal(Code& code, Value a, Value b);
Value not_equal(Code& code, Value a, Value b);
Value where(Code& code, Value condition, Value then, Value otherwise);  // condition: anything but a zero holds
Value sign(Code& code, Value x);                                        // -1, 0 or 1

}  // namespace kerr::kernels::vector
