// Integers of 32 bits in two's complement: what the vector unit has no instruction for.   docs/hardware/kernels.md 6.1
#include <array>

#include "kernels/vector/functions.hpp"

namespace kerr::kernels::vector {

namespace {

constexpr uint32_t kSign = 0x80000000, kMost = 0x7FFFFFFF;
constexpr uint32_t kInfinity = 0x7F800000, kHiddenBit = 0x00800000;

Value integer(Code& code, int32_t value) { return code.constant_bits(static_cast<uint32_t>(value)); }

// A number in the order of sign and magnitude, by which the hardware compares, that is where x is among integers.
uint32_t ordered(int32_t x) { return static_cast<uint32_t>(x < 0 ? x ^ static_cast<int32_t>(kMost) : x); }
Value ordered(Code& code, Value x) { return code.bit_xor(x, code.shift_right(code.shift_right_arithmetic(x, 31), 1)); }

Value flag(Code& code, const Condition& condition) { return code.select(condition, integer(code, 1), code.zero()); }

// x where `sign` (all bits, or none) is none, else -x.
Value with_sign(Code& code, Value x, Value sign) { return code.integer_subtract(code.bit_xor(x, sign), sign); }
Value signs(Code& code, Value x) { return code.shift_right_arithmetic(x, 31); }

// The nearest number to an integer below 2^31, or to 2^31.
Value unsigned_to_fp32(Code& code, Value x) {
  return code.select({Test::Negative, x}, code.constant(2147483648.0f), code.magnitude_to_fp32(x));
}

// A number from 0 to 2^32, rounded down.
Value whole_part(Code& code, Value x) {
  const Value mantissa = code.bit_or(code.bit_and(x, code.constant_bits(0x007FFFFF)), code.constant_bits(kHiddenBit));
  const Value shift = code.integer_add(code.shift_right(code.shift_left(x, 1), 24), -150);
  constexpr uint32_t kBelowOne = 0x3F7FFFFF;  // the left side of a comparison is no register of constants
  return code.select({Test::NotGreater, x, code.constant_bits(kBelowOne)}, code.zero(), code.shift_by(mantissa, shift));
}

struct Quotient {
  Value quotient, remainder;
};

// Magnitudes up to 2^31; b is not 0. First an approximate quotient, then the nearest integer to the rest over the
// divisor, then one less if that was too much. The rest is at most half the divisor and a little, so no sum exceeds 32
// bits.
Quotient divide_magnitudes(Code& code, Value a, Value b) {
  const Value divisor = unsigned_to_fp32(code, b);
  const Value y0 = code.reciprocal_estimate(divisor);
  const Value y1 = code.mad(y0, code.mad_negative(divisor, y0, code.one()), y0);
  const Value y = code.mad(y1, code.mad_negative(divisor, y1, code.one()), y1);
  const Value half = code.constant(0.5f);
  const Value q1 = whole_part(code, code.mad(unsigned_to_fp32(code, a), y, half));
  const Value r1 = code.integer_subtract(a, integer_multiply(code, q1, b));
  const Value r1_sign = signs(code, r1);
  const Value r1_size = code.magnitude_to_fp32(with_sign(code, r1, r1_sign));
  const Value q2 = with_sign(code, whole_part(code, code.mad(r1_size, y, half)), r1_sign);
  const Value r2 = code.integer_subtract(r1, integer_multiply(code, q2, b));
  const Value too_much = signs(code, r2);
  return {code.integer_add(code.integer_add(q1, q2), too_much), code.integer_add(r2, code.bit_and(b, too_much))};
}

Quotient divide_signed(Code& code, Value a, Value b) {
  const Value sign_a = signs(code, a), sign_b = signs(code, b);
  const Quotient q = divide_magnitudes(code, with_sign(code, a, sign_a), with_sign(code, b, sign_b));
  const Value quotient = with_sign(code, q.quotient, code.bit_xor(sign_a, sign_b));
  const Value remainder = with_sign(code, q.remainder, sign_a);
  return {code.select({Test::Zero, b}, code.constant_bits(~0u), quotient), code.select({Test::Zero, b}, a, remainder)};
}

Value rotate_left(Code& code, Value x, int bits) {
  return code.bit_or(code.shift_left(x, bits), code.shift_right(x, 32 - bits));
}

// Where the amount is not from 0 to 31: by the unsigned order it is above 31.
Value shifted(Code& code, Value amount, Value result, Value beyond) {
  const Value in_range = code.bit_and(amount, code.constant_bits(~31u));
  return code.select({Test::Zero, in_range}, result, beyond);
}

}  // namespace

// From halves of 16 bits; of the middle products only 16 bits stay.
Value integer_multiply(Code& code, Value a, Value b) {
  code.remark("integer product");
  const Value half = code.constant_bits(0xFFFF);
  const Value a0 = code.bit_and(a, half), b0 = code.bit_and(b, half);
  const Value low = code.integer_add(code.shift_left(code.multiply_high(a0, b0), 23), code.multiply_low(a0, b0));
  const Value middle =
      code.integer_add(code.multiply_low(code.shift_right(a, 16), b0), code.multiply_low(a0, code.shift_right(b, 16)));
  return code.integer_add(low, code.shift_left(middle, 16));
}

Value integer_divide(Code& code, Value a, Value b) {
  code.remark("integer quotient");
  return divide_signed(code, a, b).quotient;
}
Value integer_modulo(Code& code, Value a, Value b) {
  code.remark("integer remainder");
  return divide_signed(code, a, b).remainder;
}

Value integer_negate(Code& code, Value x) { return code.integer_subtract(code.zero(), x); }
Value integer_abs(Code& code, Value x) { return with_sign(code, x, signs(code, x)); }
Value integer_sign(Code& code, Value x) {
  return code.bit_or(signs(code, x), code.select({Test::Zero, x}, code.zero(), integer(code, 1)));
}

Value integer_less(Code& code, Value a, Value b) {
  return flag(code, {Test::Greater, ordered(code, b), ordered(code, a)});
}
Value integer_less_equal(Code& code, Value a, Value b) {
  return flag(code, {Test::NotGreater, ordered(code, a), ordered(code, b)});
}
Value integer_equal(Code& code, Value a, Value b) { return flag(code, {Test::Zero, code.bit_xor(a, b)}); }
Value integer_not_equal(Code& code, Value a, Value b) { return flag(code, {Test::NotZero, code.bit_xor(a, b)}); }
Value integer_minimum(Code& code, Value a, Value b) {
  return code.select({Test::Greater, ordered(code, a), ordered(code, b)}, b, a);
}
Value integer_maximum(Code& code, Value a, Value b) {
  return code.select({Test::Greater, ordered(code, a), ordered(code, b)}, a, b);
}
Value clamp(Code& code, Value x, int32_t least, int32_t most) {
  const Value place = ordered(code, x);
  const Value not_small =
      code.select({Test::NotGreater, place, code.constant_bits(ordered(least - 1))}, integer(code, least), x);
  return code.select({Test::Greater, place, code.constant_bits(ordered(most))}, integer(code, most), not_small);
}

Value shift_left_by(Code& code, Value x, Value amount) {
  return shifted(code, amount, code.shift_by(x, amount), code.zero());
}
Value shift_right_by(Code& code, Value x, Value amount) {
  const Value result = code.shift_by_arithmetic(x, integer_negate(code, amount));
  return shifted(code, amount, result, signs(code, x));
}
Value shift_right_logical_by(Code& code, Value x, Value amount) {
  return shifted(code, amount, code.shift_by(x, integer_negate(code, amount)), code.zero());
}

Value to_integer(Code& code, Value x) {
  code.remark("to an integer");
  const Value magnitude = code.abs(x);
  const Value whole = with_sign(code, whole_part(code, magnitude), signs(code, x));
  const Value beyond = code.bit_xor(signs(code, x), code.constant_bits(kMost));
  const Value limited = code.select({Test::Greater, code.constant(2147483648.0f), magnitude}, whole, beyond);
  return code.select({Test::Greater, magnitude, code.constant_bits(kInfinity)}, code.zero(), limited);
}

Value to_fp32(Code& code, Value x) {
  code.remark("to a number");
  const Value number = code.magnitude_to_fp32(code.sign_magnitude(x));
  const Value least = code.bit_xor(x, code.constant_bits(kSign));
  return code.select({Test::Zero, least}, code.constant(-2147483648.0f), number);
}

// The magnitude to 11 bits, ties to even. FP16 of this hardware has no infinities; what would be denormal the packer
// would spoil.
Value round_to_even_bf16(Code& code, Value x) {
  const Value odd = code.bit_and(code.shift_right(x, 16), code.constant_bits(1));
  const Value carried = code.integer_add(code.integer_add(x, code.constant_bits(0x7FFF)), odd);
  return code.bit_and(carried, code.constant_bits(0xFFFF0000));
}

Value round_to_fp16(Code& code, Value x) {
  code.remark("to fp16");
  constexpr uint32_t kLargest = 0x47FFE000, kSmallest = 0x38800000;  // 131008, 2^-14
  const Value magnitude = code.abs(x);
  const Value odd = code.bit_and(code.shift_right(magnitude, 13), code.constant_bits(1));
  const Value carried = code.integer_add(code.integer_add(magnitude, code.constant_bits(0xFFF)), odd);
  const Value rounded = code.bit_and(carried, code.constant_bits(~0x1FFFu));
  const Value not_large =
      code.select({Test::Greater, magnitude, code.constant_bits(kLargest)}, code.constant_bits(kLargest), rounded);
  const Value number = code.select({Test::Greater, code.constant_bits(kSmallest), not_large}, code.zero(), not_large);
  return code.bit_or(number, code.bit_and(x, code.constant_bits(kSign)));
}

// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3; 2011):
// additions, rotations and exclusive ors only, so every host and every core makes the same bits.
Value random_bits(Code& code, Value counter, uint64_t key) {
  code.remark("threefry");
  constexpr std::array kRotations{13, 15, 26, 6, 17, 29, 16, 24};
  const auto low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  const std::array keys{low, high, 0x1BD11BDAu ^ low ^ high};
  const auto plus = [&](Value x, uint32_t constant) {
    return constant == 0 ? x : code.integer_add(x, code.constant_bits(constant));
  };
  Value x0 = plus(counter, keys[0]), x1 = code.constant_bits(keys[1]);
  for (uint32_t round = 0; round < 20; ++round) {
    x0 = code.integer_add(x0, x1);
    x1 = code.bit_xor(rotate_left(code, x1, kRotations[round % 8]), x0);
    if (round % 4 != 3) continue;
    const uint32_t turn = round / 4 + 1;
    x0 = plus(x0, keys[turn % 3]);
    x1 = plus(x1, keys[(turn + 1) % 3] + turn);
  }
  return x0;
}

}  // namespace kerr::kernels::vector
