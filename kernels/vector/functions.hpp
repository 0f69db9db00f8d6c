// Elementary functions of 32 lanes of FP32, made of the vector unit's arithmetic. How accurate each is:
// expression/operations.def. docs/hardware/kernels.md 6.3; the polynomials are minimax fits of this project.
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
Value tan(Code& code, Value x);  // the same
Value tanh(Code& code, Value x);
Value sigmoid(Code& code, Value x);
Value silu(Code& code, Value x);
Value softplus(Code& code, Value x);  // log(1 + exp(x))
Value erf(Code& code, Value x);
Value gelu(Code& code, Value x);                   // x times the normal distribution's integral up to x
Value gelu_in_few_registers(Code& code, Value x);  // the same numbers, the steps in another order

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

// ---- integers of 32 bits in two's complement, modulo 2^32

Value integer_multiply(Code& code, Value a, Value b);
Value integer_divide(Code& code, Value a, Value b);  // rounded to zero; by 0: -1, as RISC-V has it
Value integer_modulo(Code& code, Value a, Value b);  // has the sign of a; by 0: a
Value integer_negate(Code& code, Value x);
Value integer_abs(Code& code, Value x);
Value integer_sign(Code& code, Value x);
Value integer_less(Code& code, Value a, Value b);  // 1 or 0, as all comparisons
Value integer_less_equal(Code& code, Value a, Value b);
Value integer_equal(Code& code, Value a, Value b);
Value integer_not_equal(Code& code, Value a, Value b);
Value integer_minimum(Code& code, Value a, Value b);
Value integer_maximum(Code& code, Value a, Value b);
Value clamp(Code& code, Value x, int32_t least, int32_t most);
/// Amounts outside 0 .. 31 leave nothing: 0, or of shift_right_by the sign.
Value shift_left_by(Code& code, Value x, Value amount);
Value shift_right_by(Code& code, Value x, Value amount);
Value shift_right_logical_by(Code& code, Value x, Value amount);

Value to_integer(Code& code, Value x);  // rounded to zero; saturates; NaN to 0
Value to_fp32(Code& code, Value x);     // to the nearest number, ties to even
Value round_to_fp16(Code& code, Value x);
/// To the nearest with 7 bits of mantissa, halves to the even one; denormals and NaN are taken for numbers.
Value round_to_even_bf16(Code& code, Value x);
/// The bits that Threefry-2x32 (20 rounds) makes of a counter and a key.
Value random_bits(Code& code, Value counter, uint64_t key);

}  // namespace kerr::kernels::vector
