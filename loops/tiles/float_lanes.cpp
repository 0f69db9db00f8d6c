#include "loops/tiles/float_lanes.hpp"

#include "kernels/vector/functions.hpp"
#include "loops/functions.hpp"

namespace kerr::loops::tiles {

namespace {

using kernels::vector::Test;

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7F800000, kNan = 0x7FC00000, kOne = 0x3F800000;
constexpr uint32_t kMantissa = 0x007FFFFF, kHidden = 0x00800000, kLargest = 0x7F7FFFFF;

// The left side of a comparison, which is none of the fixed values.
Value left(Code& code, Value x) {
  if (x == code.zero()) return code.loaded_constant(0);
  if (x == code.one()) return code.loaded_constant(kOne);
  if (x == code.minus_one()) return code.loaded_constant(kSign | kOne);
  return x;
}

Value sign_mask(Code& code, Value x) { return code.shift_right_arithmetic(x, 31); }
Value mantissa(Code& code, Value x) { return code.bit_and(x, code.constant_bits(kMantissa)); }
// 1 <= m < 2 of the same mantissa.
Value mantissa_as_number(Code& code, Value x) { return code.bit_or(mantissa(code, x), code.constant_bits(kOne)); }

// The product of two numbers with 24 bits, the highest of which is set, modulo 2^32. The operands may have more bits
// above these.
Value product_of_mantissas(Code& code, Value a, Value b) {
  const Value upper = code.integer_add(code.integer_add(code.multiply_high(a, b), a), b);
  return code.integer_add(code.shift_left(upper, 23), code.multiply_low(a, b));
}

// NaN where `number` is NaN or `either` infinity.
Value unless_nan(Code& code, Value test, Value then, Value otherwise) {
  return code.select({Test::Greater, test, code.constant_bits(kInfinity)}, then, otherwise);
}
Value keep_nan(Code& code, Value x, Value result) {
  return unless_nan(code, code.abs(x), code.constant_bits(kNan), result);
}

Value both_zero(Code& code, Value a, Value b) { return code.shift_left(code.bit_or(a, b), 1); }

}  // namespace

// The addend is -0, so that a product of -0 stays one.
Value multiply_f32(Code& code, Value a, Value b) { return code.mad_subtract(a, b, code.zero()); }

// Numbers are in the order of sign and magnitude, but for zeros and NaN. The difference is NaN if one of the numbers
// is, and of equal infinities.
Value less_f32(Code& code, Value a, Value b) {
  const Value ordered = code.select({Test::Greater, left(code, b), a}, code.loaded_constant(1), code.zero());
  const Value number = code.select({Test::Zero, both_zero(code, a, b)}, code.zero(), ordered);
  return unless_nan(code, code.subtract(a, b), code.zero(), number);
}
Value maximum_f32(Code& code, Value a, Value b) {
  const Value ordered = code.select({Test::Greater, left(code, b), a}, b, a);
  const Value number = code.select({Test::Zero, both_zero(code, a, b)}, a, ordered);
  return unless_nan(code, code.subtract(a, b), a, number);
}
Value equal_f32(Code& code, Value a, Value b) {
  const Value one = code.loaded_constant(1);
  const Value same = code.select({Test::Zero, code.bit_xor(a, b)}, one, code.zero());
  const Value number = code.select({Test::Zero, both_zero(code, a, b)}, one, same);
  return unless_nan(code, code.abs(a), code.zero(), number);
}

namespace {

// 1 if the mantissa of a is below that of b.
Value smaller_mantissa(Code& code, Value a, Value b) {
  return code.select({Test::Greater, mantissa_as_number(code, b), mantissa_as_number(code, a)}, code.loaded_constant(1),
                     code.zero());
}
// About 1 / m.
Value reciprocal_estimate(Code& code, Value m) {
  const Value y0 = code.reciprocal_estimate(m);
  const Value y1 = code.mad(y0, code.mad_negative(m, y0, code.one()), y0);
  return code.mad(y1, code.mad_negative(m, y1, code.one()), y1);
}

// The mantissas' quotient, from 1 to 2, to the nearest: found to a unit in the last place; what its product leaves of
// the dividend, exact in integers, tells the nearest one. The dividend is twice as large if `smaller`.
Value quotient_of_mantissas(Code& code, Value a, Value b, Value smaller) {
  const Value mb = mantissa_as_number(code, b);
  const Value y = reciprocal_estimate(code, mb);
  const Value dividend = code.integer_add(mantissa_as_number(code, a), code.shift_left(smaller, 23));
  const Value rough = code.multiply(dividend, y);
  const Value q = code.mad(code.mad_negative(rough, mb, dividend), y, rough);
  const Value shifted = code.shift_left(code.shift_by(a, smaller), 23);
  const Value rest = code.integer_subtract(shifted, product_of_mantissas(code, q, b));
  const Value divisor = code.bit_or(mantissa(code, b), code.constant_bits(kHidden));
  const Value twice = code.shift_left(rest, 1);
  const Value up = sign_mask(code, code.integer_subtract(divisor, twice));
  const Value down = sign_mask(code, code.integer_add(divisor, twice));
  return code.integer_add(code.integer_subtract(q, up), down);
}

Value exponent_of(Code& code, Value x) { return code.shift_right(code.shift_left(x, 1), 24); }

// Operands are neither zero nor infinity nor NaN; the sign comes later. Below the normal numbers only what would
// round up to the smallest of them is left: 2 - 2^-23 times 2^-127, a quotient by a power of two.
Value quotient_of_normals(Code& code, Value a, Value b) {
  const Value smaller = smaller_mantissa(code, a, b);
  const Value nearest = quotient_of_mantissas(code, a, b, smaller);
  const Value k = code.integer_subtract(code.integer_subtract(exponent_of(code, a), exponent_of(code, b)), smaller);
  const Value inside = code.integer_add(nearest, code.shift_left(k, 23));
  const Value exponent = code.integer_add(code.shift_right(nearest, 23), k);
  const Value not_large =
      code.select({Test::NotNegative, code.integer_add(exponent, -255)}, code.constant_bits(kInfinity), inside);
  const Value normal = code.select({Test::Negative, code.integer_add(exponent, -1)}, code.zero(), not_large);
  const Value others = code.bit_or(code.bit_xor(mantissa(code, a), code.constant_bits(kMantissa)), mantissa(code, b));
  const Value almost = code.bit_or(others, exponent);
  return code.select({Test::Zero, almost}, code.constant_bits(kHidden), normal);
}

}  // namespace

// Where an operand is 0, infinity or NaN, a product gives the quotient.
Value completed_quotient(Code& code, Value a, Value b, Value finite) {
  const Value size_a = code.abs(a), size_b = code.abs(b);
  const Value largest = code.constant_bits(kLargest), infinity = code.constant_bits(kInfinity);
  const Value no_b = code.bit_and(b, infinity);
  const Value of_zero = code.select({Test::Zero, no_b}, infinity, code.one());
  const Value of_infinity = code.select({Test::Greater, size_b, largest}, code.zero(), of_zero);
  const Value stand_in = code.select({Test::Greater, size_b, infinity}, b, of_infinity);
  const Value special = code.multiply(size_a, stand_in);
  const Value r1 = code.select({Test::Zero, code.bit_and(a, infinity)}, special, finite);
  const Value r2 = code.select({Test::Zero, no_b}, special, r1);
  const Value r3 = code.select({Test::Greater, size_a, largest}, special, r2);
  const Value r4 = code.select({Test::Greater, size_b, largest}, special, r3);
  const Value sign = code.bit_and(code.bit_xor(a, b), code.constant_bits(kSign));
  return unless_nan(code, r4, code.constant_bits(kNan), code.bit_or(r4, sign));
}

Value divide_f32(Code& code, Value a, Value b) {
  code.remark("quotient");
  return completed_quotient(code, a, b, quotient_of_normals(code, a, b));
}

// The rest that the square leaves of the number tells the nearest root, as with quotients. Below a power of two numbers
// are half as far apart.
Value square_root_f32(Code& code, Value x) {
  code.remark("square root");
  const Value s = kernels::vector::square_root(code, x);
  const Value mx = code.bit_or(mantissa(code, x), code.constant_bits(kHidden));
  const Value exponents = code.integer_subtract(code.shift_right(x, 23), code.shift_left(code.shift_right(s, 23), 1));
  const Value shifted = code.shift_by(mx, code.integer_add(exponents, 127 + 23));
  const Value rest = code.integer_subtract(shifted, product_of_mantissas(code, s, s));
  const Value fraction = mantissa(code, s);
  const Value unit = code.bit_or(fraction, code.constant_bits(kHidden));
  const Value up = sign_mask(code, code.integer_subtract(unit, rest));
  const Value below = code.select({Test::Zero, fraction}, code.loaded_constant(1), unit);
  const Value down = sign_mask(code, code.integer_add(code.integer_add(rest, below), -1));
  const Value nearest = code.integer_add(code.integer_subtract(s, up), down);
  // Zeros keep their sign; infinity, and NaN of it and of negative numbers, are right already.
  const Value exponent = code.bit_and(x, code.constant_bits(kInfinity));
  const Value number = code.select({Test::Greater, code.abs(s), code.constant_bits(kLargest)}, s, nearest);
  const Value zero = code.bit_and(x, code.constant_bits(kSign));
  return code.select({Test::Zero, exponent}, zero, number);
}

Value truncate_f32(Code& code, Value x) { return keep_nan(code, x, kernels::vector::truncate(code, x)); }

namespace {

// The upper 32 bits of a * b: pieces of 23 bits and what is above them. The lowest product only counts from bit 23 on,
// since nothing carries into what lies below. `small`: a has 23 bits.
Value multiply_upper(Code& code, Value a, Value b, bool small) {
  const Value b_high = code.shift_right(b, 23);
  const Value low = code.multiply_high(a, b), middle = code.multiply_low(a, b_high);
  if (small) {
    const Value upper = code.shift_left(code.multiply_high(a, b_high), 14);
    return code.integer_add(code.shift_right(code.integer_add(low, middle), 9), upper);
  }
  const Value a_high = code.shift_right(a, 23);
  const Value other = code.multiply_low(a_high, b);
  const Value sum = code.integer_add(low, middle);
  const Value upper = code.multiply_high(a, b_high);
  const Value lower = code.shift_right(code.integer_add(sum, other), 9);
  const Value other_upper = code.multiply_high(a_high, b);
  const Value highest = code.multiply_low(a_high, b_high);
  const Value above = code.integer_add(code.integer_add(upper, other_upper), highest);
  return code.integer_add(lower, code.shift_left(above, 14));
}

}  // namespace

// exp2_f32 of loops/functions.cpp, step by step. Beside f and the sum only i waits for the end, where the sign and the
// magnitude are made again.
Value exp2_f32(Code& code, Value x) {
  code.remark("exp2");
  constexpr uint32_t k128 = 0x43000000, kTiny = 0x33000000;
  const Value exponent = exponent_of(code, x);
  const Value significand = code.bit_or(code.shift_left(x, 8), code.constant_bits(kSign));
  const Value sign = sign_mask(code, x);
  const Value size_f = code.shift_by(significand, code.integer_add(exponent, -126));
  const Value f = code.integer_subtract(code.bit_xor(size_f, sign), sign);
  const Value whole = code.shift_by(significand, code.integer_add(exponent, -158));
  const Value size_i = code.select({Test::Negative, code.integer_add(exponent, -127)}, code.zero(), whole);
  const Value below = code.bit_xor(size_i, sign);
  const Value i = code.select({Test::Zero, f}, code.integer_subtract(below, sign), below);
  const auto& k = f32_functions::kExp2;
  Value p = code.loaded_constant(k[5]);
  for (int n = 4; n >= 0; --n)  // the first two sums are below 2^23
    p = code.integer_add(multiply_upper(code, p, f, n >= 3), code.constant_bits(k[n]));
  const Value fraction = code.shift_right(multiply_upper(code, p, f, false), 8);
  const Value rounded = code.shift_right(code.integer_add(fraction, 1), 1);
  const Value result = code.integer_add(code.shift_left(code.integer_add(i, 127), 23), rounded);
  const Value not_small = code.select({Test::Negative, code.integer_add(i, 126)}, code.zero(), result);
  const Value magnitude = code.abs(x);
  const Value large = code.bit_and(code.constant_bits(kInfinity), code.bit_not(sign_mask(code, x)));
  const Value not_large = code.select({Test::Greater, code.constant_bits(k128), magnitude}, not_small, large);
  const Value number = code.select({Test::Greater, code.constant_bits(kTiny), magnitude}, code.one(), not_large);
  return unless_nan(code, magnitude, code.constant_bits(kNan), number);
}

Value to_i32(Code& code, Value x) {
  const Value whole = kernels::vector::to_integer(code, x);
  return unless_nan(code, code.abs(x), code.constant_bits(~kSign), whole);
}

// Half of a number from 2^31 on, with the bit that is lost, has the same rounding.
Value u32_to_f32(Code& code, Value x) {
  const Value half = code.bit_or(code.shift_right(x, 1), code.bit_and(x, code.constant_bits(1)));
  const Value large = code.integer_add(code.magnitude_to_fp32(half), code.constant_bits(kHidden));
  return code.select({Test::Negative, x}, large, code.magnitude_to_fp32(x));
}

Value rounded_to_bf16(Code& code, Value x) { return kernels::vector::round_to_even_bf16(code, x); }

}  // namespace kerr::loops::tiles
