// Roots, quotients, rounding, comparisons.
#include "kernels/vector/functions.hpp"

namespace kerr::kernels::vector {

namespace {

constexpr uint32_t kInfinity = 0x7F800000, kNaN = 0x7FC00000, kLargest = 0x7F7FFFFF, kSign = 0x80000000;
constexpr uint32_t kOneBits = 0x3F800000, kMantissa = 0x007FFFFF;
constexpr uint32_t kHalf = 0x3F000000;

// What floating-point arithmetic takes x for: denormals and -0 become +0, every NaN the same positive one.
Value as_number(Code& code, Value x) { return code.add(x, code.zero()); }

Value flag(Code& code, const Condition& condition) { return code.select(condition, code.one(), code.zero()); }

// 1/m for 1 <= m < 2: right to seven bits, it gains y (1 - m y) twice.
Value reciprocal_of_mantissa(Code& code, Value m) {
  const Value y0 = code.reciprocal_estimate(m);
  const Value y1 = code.mad(y0, code.mad_negative(m, y0, code.one()), y0);
  return code.mad(y1, code.mad_negative(m, y1, code.one()), y1);
}

struct Parts {
  Value mantissa;  // 1 <= m < 2
  Value exponent;  // in place, biased
};

Parts split(Code& code, Value x) {
  const Value one = code.constant_bits(kOneBits);
  return {code.bit_or(code.bit_and(x, code.constant_bits(kMantissa)), one),
          code.bit_and(x, code.constant_bits(kInfinity))};
}

Value with_sign_of(Code& code, Value magnitude, Value x) {
  return code.bit_or(magnitude, code.bit_and(x, code.constant_bits(kSign)));
}

}  // namespace

// The reciprocal of the mantissa, so that nothing on the way is denormal; then the exponent is subtracted as an
// integer.
Value reciprocal(Code& code, Value x) {
  code.remark("reciprocal");
  const Parts parts = split(code, x);
  const Value y = reciprocal_of_mantissa(code, parts.mantissa);
  const Value scaled = code.integer_subtract(code.integer_add(y, code.constant_bits(kOneBits)), parts.exponent);
  const Value magnitude = code.abs(x);
  const Value not_small = code.select({Test::Greater, magnitude, code.constant_bits(0x7E800000)}, code.zero(), scaled);
  const Value not_large = code.select({Test::Zero, as_number(code, x)}, code.constant_bits(kInfinity), not_small);
  return code.select({Test::Greater, magnitude, code.constant_bits(kInfinity)}, x, with_sign_of(code, not_large, x));
}

// The mantissas' quotient is corrected by what its product leaves of the dividend, then multiplied by two powers of
// two: one alone would not always be representable. Where an operand is 0, infinity or NaN, a product gives the
// quotient.
Value divide(Code& code, Value a, Value b) {
  code.remark("quotient");
  const Parts upper = split(code, a), lower = split(code, b);
  const Value y = reciprocal_of_mantissa(code, lower.mantissa);
  const Value rough = code.multiply(upper.mantissa, y);
  const Value better = code.mad(code.mad_negative(rough, lower.mantissa, upper.mantissa), y, rough);
  const Value k = code.integer_subtract(upper.exponent, lower.exponent);
  const Value half = code.bit_and(code.shift_right_arithmetic(k, 1), code.constant_bits(0xFF800000));
  const Value first = code.integer_add(half, code.constant_bits(kOneBits));
  const Value second = code.integer_add(code.integer_subtract(k, half), code.constant_bits(kOneBits));
  const Value quotient = code.multiply(code.multiply(better, first), second);

  const Value size_a = code.abs(a), size_b = code.abs(b), largest = code.constant_bits(kLargest);
  const Value of_zero = code.select({Test::Zero, lower.exponent}, code.constant_bits(kInfinity), code.one());
  const Value of_infinity = code.select({Test::Greater, size_b, largest}, code.zero(), of_zero);
  const Value stand_in = code.select({Test::Greater, size_b, code.constant_bits(kInfinity)}, b, of_infinity);
  const Value special = code.multiply(size_a, stand_in);
  const Value r1 = code.select({Test::Zero, upper.exponent}, special, quotient);
  const Value r2 = code.select({Test::Zero, lower.exponent}, special, r1);
  const Value r3 = code.select({Test::Greater, size_a, largest}, special, r2);
  const Value r4 = code.select({Test::Greater, size_b, largest}, special, r3);
  return code.bit_or(code.abs(r4), code.bit_and(code.bit_xor(a, b), code.constant_bits(kSign)));
}

namespace {

// 1 / sqrt(x) of a positive number, to about 2^-20.
Value root_estimate(Code& code, Value x) {
  const Value seed = code.integer_subtract(code.constant_bits(0x5F1110A0), code.shift_right(x, 1));
  const Value c = code.multiply(code.multiply(x, seed), seed);
  const Value inner = code.mad_negative(c, code.constant(1.0f), code.constant(2.2533049f));
  const Value factor = code.mad_negative(c, inner, code.constant(2.2825186f));
  const Value y = code.multiply(seed, factor);
  // One step of Newton: y + y (1 - x y y) / 2.
  const Value e = code.mad_negative(code.multiply(x, y), y, code.one());
  return code.mad(code.multiply(y, code.constant_bits(kHalf)), e, y);
}

}  // namespace

Value square_root(Code& code, Value any) {
  code.remark("square root");
  const Value x = as_number(code, any);
  const Value y = root_estimate(code, x);
  const Value s = code.multiply(x, y);
  const Value rest = code.mad_negative(s, s, x);
  const Value root = code.mad(rest, code.multiply(y, code.constant_bits(kHalf)), s);
  const Value large = code.select({Test::Greater, x, code.constant_bits(kLargest)}, x, root);
  const Value positive = code.select({Test::Zero, x}, x, large);
  return code.select({Test::Negative, x}, code.constant_bits(kNaN), positive);
}

Value reciprocal_square_root(Code& code, Value any) {
  code.remark("1 / square root");
  const Value x = as_number(code, any);
  const Value y = root_estimate(code, x);
  const Value e = code.mad_negative(code.multiply(x, y), y, code.one());
  const Value root = code.mad(code.multiply(y, code.constant_bits(kHalf)), e, y);
  const Value finite = code.select({Test::Greater, x, code.constant_bits(kLargest)}, code.zero(), root);
  const Value number = code.select({Test::Greater, x, code.constant_bits(kInfinity)}, x, finite);
  const Value positive = code.select({Test::Zero, x}, code.constant_bits(kInfinity), number);
  return code.select({Test::Negative, x}, code.constant_bits(kNaN), positive);
}

// Adding 2^23 to a magnitude leaves no room for a fraction; what is as large has none.
Value round_even(Code& code, Value x) {
  const Value shift = code.constant(8388608.0f);
  const Value magnitude = code.abs(x);
  const Value rounded = code.subtract(code.add(magnitude, shift), shift);
  return with_sign_of(code, code.select({Test::Greater, magnitude, shift}, magnitude, rounded), x);
}

Value floor(Code& code, Value any) {
  const Value x = as_number(code, any);
  const Value r = round_even(code, x);
  return code.add(r, code.select({Test::Greater, r, x}, code.minus_one(), code.zero()));
}

Value ceil(Code& code, Value any) {
  const Value x = as_number(code, any);
  const Value r = round_even(code, x);
  return code.add(r, code.select({Test::Greater, x, r}, code.one(), code.zero()));
}

// The magnitude rounded down, and the sign again.
Value truncate(Code& code, Value x) {
  const Value magnitude = floor(code, code.abs(x));
  return with_sign_of(code, magnitude, x);
}

Value minimum(Code& code, Value a, Value b) { return code.select({Test::Greater, a, b}, b, a); }
Value maximum(Code& code, Value a, Value b) { return code.select({Test::Greater, a, b}, a, b); }

Value less(Code& code, Value a, Value b) { return flag(code, {Test::Greater, as_number(code, b), as_number(code, a)}); }
Value less_equal(Code& code, Value a, Value b) {
  return flag(code, {Test::NotGreater, as_number(code, a), as_number(code, b)});
}
Value equal(Code& code, Value a, Value b) {
  return flag(code, {Test::Zero, code.bit_xor(as_number(code, a), as_number(code, b))});
}
Value not_equal(Code& code, Value a, Value b) {
  return flag(code, {Test::NotZero, code.bit_xor(as_number(code, a), as_number(code, b))});
}
Value where(Code& code, Value condition, Value then, Value otherwise) {
  return code.select({Test::NotZero, as_number(code, condition)}, then, otherwise);
}

Value sign(Code& code, Value x) {
  const Value one = with_sign_of(code, code.constant_bits(kOneBits), x);
  const Value number = code.select({Test::Zero, as_number(code, x)}, x, one);
  return code.select({Test::Greater, code.abs(x), code.constant_bits(kInfinity)}, x, number);
}

}  // namespace kerr::kernels::vector
