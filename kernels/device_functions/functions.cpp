#include "kernels/device_functions/functions.hpp"

#include "kernels/vector/functions.hpp"

namespace kerr::kernels {

using namespace vector;

namespace {

using Values = const Value*;
constexpr uint32_t kInfinity = 0x7F800000, kSign = 0x80000000;

Value one_where(Code& c, const Condition& condition) { return c.select(condition, c.one(), c.zero()); }
Value magnitude_is(Code& c, Test test, Value x, uint32_t bits) {
  return one_where(c, {test, c.abs(x), c.constant_bits(bits)});
}
Value exactly(Code& c, Value x, uint32_t bits) {
  return one_where(c, {Test::Zero, c.bit_xor(x, c.constant_bits(bits))});
}

Value elu(Code& c, Value x, Value alpha) {
  const Value below = c.multiply(alpha, c.subtract(exp(c, x), c.one()));
  return c.select({Test::Negative, x}, below, x);
}
Value clamped(Code& c, Value x, Value least, Value most) { return minimum(c, maximum(c, x, least), most); }
Value integer_flag(Code& c, const Condition& condition) { return c.select(condition, c.constant_bits(1), c.zero()); }

constexpr auto kF = Numbers::Floats;
constexpr auto kI = Numbers::Integers;

// Name, numbers, sources, parameters, and the function of x[] and p[] that follows.
#define F(name, sources, parameters, ...)                              \
  {                                                                    \
#name, kF, sources, parameters,                                    \
        []([[maybe_unused]] Code & c, [[maybe_unused]] Values x,       \
           [[maybe_unused]] Values p) -> Value { return __VA_ARGS__; } \
  }
#define I(name, sources, parameters, ...)                              \
  {                                                                    \
#name, kI, sources, parameters,                                    \
        []([[maybe_unused]] Code & c, [[maybe_unused]] Values x,       \
           [[maybe_unused]] Values p) -> Value { return __VA_ARGS__; } \
  }

constexpr DeviceFunction kFunctions[] = {
    {"copied", Numbers::Copied, 1, 0, [](Code&, Values x, Values) -> Value { return x[0]; }},
    // of one tile
    F(abs, 1, 0, c.abs(x[0])),
    F(negate, 1, 0, c.negate(x[0])),
    F(sign, 1, 0, sign(c, x[0])),
    F(signbit, 1, 0, one_where(c, {Test::Negative, x[0]})),
    F(square, 1, 0, c.multiply(x[0], x[0])),
    F(recip, 1, 0, reciprocal(c, x[0])),
    F(sqrt, 1, 0, square_root(c, x[0])),
    F(rsqrt, 1, 0, reciprocal_square_root(c, x[0])),
    F(exp, 1, 0, exp(c, x[0])),
    F(exp_scaled, 1, 1, exp(c, c.multiply(x[0], p[0]))),
    F(exp2, 1, 0, exp2(c, x[0])),
    F(expm1, 1, 0, c.subtract(exp(c, x[0]), c.one())),
    F(log, 1, 0, log(c, x[0])),
    F(log2, 1, 0, log2(c, x[0])),
    F(log_times, 1, 1, c.multiply(log(c, x[0]), p[0])),
    F(log1p, 1, 0, log(c, c.add(x[0], c.one()))),
    F(sin, 1, 0, sin(c, x[0])),
    F(cos, 1, 0, cos(c, x[0])),
    F(tanh, 1, 0, tanh(c, x[0])),
    F(sigmoid, 1, 0, sigmoid(c, x[0])),
    F(silu, 1, 0, silu(c, x[0])),
    F(erf, 1, 0, erf(c, x[0])),
    F(erfc, 1, 0, c.subtract(c.one(), erf(c, x[0]))),
    F(gelu, 1, 0, gelu_in_few_registers(c, x[0])),
    F(softsign, 1, 0, divide(c, x[0], c.add(c.abs(x[0]), c.one()))),
    F(hardsigmoid, 1, 0, clamped(c, c.mad(x[0], c.constant(1.0f / 6), c.constant(0.5f)), c.zero(), c.one())),
    F(floor, 1, 0, floor(c, x[0])),
    F(ceil, 1, 0, ceil(c, x[0])),
    F(trunc, 1, 0, truncate(c, x[0])),
    F(round, 1, 0, round_even(c, x[0])),
    F(frac, 1, 0, c.subtract(x[0], truncate(c, x[0]))),
    F(relu, 1, 0, maximum(c, x[0], c.zero())),
    F(eqz, 1, 0, equal(c, x[0], c.zero())),
    F(nez, 1, 0, not_equal(c, x[0], c.zero())),
    F(ltz, 1, 0, less(c, x[0], c.zero())),
    F(gtz, 1, 0, less(c, c.zero(), x[0])),
    F(lez, 1, 0, less_equal(c, x[0], c.zero())),
    F(gez, 1, 0, less_equal(c, c.zero(), x[0])),
    F(isinf, 1, 0, exactly(c, c.abs(x[0]), kInfinity)),
    F(isposinf, 1, 0, exactly(c, x[0], kInfinity)),
    F(isneginf, 1, 0, exactly(c, x[0], kInfinity | kSign)),
    F(isnan, 1, 0, magnitude_is(c, Test::Greater, x[0], kInfinity)),
    F(isfinite, 1, 0, magnitude_is(c, Test::NotGreater, x[0], kInfinity - 1)),
    // of one tile and numbers
    F(fill, 0, 1, p[0]),
    F(add_number, 1, 1, c.add(x[0], p[0])),
    F(subtract_number, 1, 1, c.subtract(x[0], p[0])),
    F(subtract_from, 1, 1, c.subtract(p[0], x[0])),
    F(multiply_number, 1, 1, c.multiply(x[0], p[0])),
    F(number_divided, 1, 1, divide(c, p[0], x[0])),
    F(power_number, 1, 1, power(c, x[0], p[0])),
    F(power_of_number, 1, 1, power(c, p[0], x[0])),
    F(larger_number, 1, 1, maximum(c, x[0], p[0])),
    F(smaller_number, 1, 1, minimum(c, x[0], p[0])),
    F(eq_number, 1, 1, equal(c, x[0], p[0])),
    F(ne_number, 1, 1, not_equal(c, x[0], p[0])),
    F(lt_number, 1, 1, less(c, x[0], p[0])),
    F(gt_number, 1, 1, less(c, p[0], x[0])),
    F(le_number, 1, 1, less_equal(c, x[0], p[0])),
    F(ge_number, 1, 1, less_equal(c, p[0], x[0])),
    F(relu_max, 1, 1, maximum(c, minimum(c, x[0], p[0]), c.zero())),
    F(relu_min, 1, 1, maximum(c, x[0], p[0])),
    F(leaky_relu, 1, 1, c.select({Test::Negative, x[0]}, c.multiply(x[0], p[0]), x[0])),
    F(elu, 1, 1, elu(c, x[0], p[0])),
    F(selu, 1, 2, c.multiply(elu(c, x[0], p[1]), p[0])),
    F(celu, 1, 2,
      c.select({Test::Negative, x[0]}, c.multiply(p[0], c.subtract(exp(c, c.multiply(x[0], p[1])), c.one())), x[0])),
    F(clamp, 1, 2, clamped(c, x[0], p[0], p[1])),
    F(threshold, 1, 2, c.select({Test::Greater, x[0], p[0]}, x[0], p[1])),
    F(softshrink, 1, 1,
      c.select({Test::Greater, x[0], p[0]}, c.subtract(x[0], p[0]),
               c.select({Test::Greater, c.negate(p[0]), x[0]}, c.add(x[0], p[0]), c.zero()))),
    F(softplus_scaled, 1, 3,
      c.select({Test::Greater, c.multiply(x[0], p[0]), p[2]}, x[0],
               c.multiply(softplus(c, c.multiply(x[0], p[0])), p[1]))),
    F(heaviside, 1, 1,
      c.select({Test::Zero, c.bit_and(x[0], c.constant_bits(~kSign))}, p[0], one_where(c, {Test::NotNegative, x[0]}))),
    // of two tiles and more
    F(add, 2, 0, c.add(x[0], x[1])),
    F(subtract, 2, 0, c.subtract(x[0], x[1])),
    F(multiply, 2, 0, c.multiply(x[0], x[1])),
    F(divide, 2, 0, divide(c, x[0], x[1])),
    F(power, 2, 0, power(c, x[0], x[1])),
    F(maximum, 2, 0, maximum(c, x[0], x[1])),
    F(minimum, 2, 0, minimum(c, x[0], x[1])),
    F(eq, 2, 0, equal(c, x[0], x[1])),
    F(ne, 2, 0, not_equal(c, x[0], x[1])),
    F(lt, 2, 0, less(c, x[0], x[1])),
    F(gt, 2, 0, less(c, x[1], x[0])),
    F(le, 2, 0, less_equal(c, x[0], x[1])),
    F(ge, 2, 0, less_equal(c, x[1], x[0])),
    F(mask, 2, 0, where(c, x[1], x[0], c.zero())),
    F(mask_infinity, 2, 0, where(c, x[1], x[0], c.constant_bits(kInfinity))),
    F(where, 3, 0, where(c, x[0], x[1], x[2])),
    // integers
    I(abs_int, 1, 0, integer_abs(c, x[0])),
    I(negate_int, 1, 0, integer_negate(c, x[0])),
    I(not_int, 1, 0, c.bit_not(x[0])),
    I(relu_int, 1, 0, integer_maximum(c, x[0], c.zero())),
    I(signbit_int, 1, 0, integer_flag(c, {Test::Negative, x[0]})),
    I(logical_not_int, 1, 0, integer_flag(c, {Test::Zero, x[0]})),
    I(eqz_int, 1, 0, integer_flag(c, {Test::Zero, x[0]})),
    I(nez_int, 1, 0, integer_flag(c, {Test::NotZero, x[0]})),
    I(ltz_int, 1, 0, integer_flag(c, {Test::Negative, x[0]})),
    I(gez_int, 1, 0, integer_flag(c, {Test::NotNegative, x[0]})),
    I(gtz_int, 1, 0, integer_less(c, c.zero(), x[0])),
    I(lez_int, 1, 0, integer_less_equal(c, x[0], c.zero())),
    I(add_number_int, 1, 1, c.integer_add(x[0], p[0])),
    I(subtract_number_int, 1, 1, c.integer_subtract(x[0], p[0])),
    I(subtract_from_int, 1, 1, c.integer_subtract(p[0], x[0])),
    I(larger_number_int, 1, 1, integer_maximum(c, x[0], p[0])),
    I(smaller_number_int, 1, 1, integer_minimum(c, x[0], p[0])),
    I(clamp_int, 1, 2, integer_minimum(c, integer_maximum(c, x[0], p[0]), p[1])),
    I(eq_number_int, 1, 1, integer_equal(c, x[0], p[0])),
    I(ne_number_int, 1, 1, integer_not_equal(c, x[0], p[0])),
    I(lt_number_int, 1, 1, integer_less(c, x[0], p[0])),
    I(gt_number_int, 1, 1, integer_less(c, p[0], x[0])),
    I(le_number_int, 1, 1, integer_less_equal(c, x[0], p[0])),
    I(ge_number_int, 1, 1, integer_less_equal(c, p[0], x[0])),
    I(and_number, 1, 1, c.bit_and(x[0], p[0])),
    I(or_number, 1, 1, c.bit_or(x[0], p[0])),
    I(xor_number, 1, 1, c.bit_xor(x[0], p[0])),
    I(shift_left_number, 1, 1, shift_left_by(c, x[0], p[0])),
    I(shift_right_number, 1, 1, shift_right_by(c, x[0], p[0])),
    I(add_int, 2, 0, c.integer_add(x[0], x[1])),
    I(subtract_int, 2, 0, c.integer_subtract(x[0], x[1])),
    I(multiply_int, 2, 0, integer_multiply(c, x[0], x[1])),
    I(maximum_int, 2, 0, integer_maximum(c, x[0], x[1])),
    I(minimum_int, 2, 0, integer_minimum(c, x[0], x[1])),
    I(eq_int, 2, 0, integer_equal(c, x[0], x[1])),
    I(ne_int, 2, 0, integer_not_equal(c, x[0], x[1])),
    I(lt_int, 2, 0, integer_less(c, x[0], x[1])),
    I(gt_int, 2, 0, integer_less(c, x[1], x[0])),
    I(le_int, 2, 0, integer_less_equal(c, x[0], x[1])),
    I(ge_int, 2, 0, integer_less_equal(c, x[1], x[0])),
    I(bit_and, 2, 0, c.bit_and(x[0], x[1])),
    I(bit_or, 2, 0, c.bit_or(x[0], x[1])),
    I(bit_xor, 2, 0, c.bit_xor(x[0], x[1])),
    I(shift_left, 2, 0, shift_left_by(c, x[0], x[1])),
    I(shift_right, 2, 0, shift_right_by(c, x[0], x[1])),
    I(shift_right_logical, 2, 0, shift_right_logical_by(c, x[0], x[1])),
    I(fill_int, 0, 1, p[0]),
    I(where_int, 3, 0, c.select({Test::NotZero, x[0]}, x[1], x[2])),
    // typecasts in a Dst of 32 bits
    {"to_int", Numbers::Bits, 1, 0, [](Code& c, Values x, Values) -> Value { return to_integer(c, x[0]); }},
    {"to_float", Numbers::Bits, 1, 0, [](Code& c, Values x, Values) -> Value { return to_fp32(c, x[0]); }},
};
#undef F
#undef I

}  // namespace

std::span<const DeviceFunction> device_functions() { return kFunctions; }

}  // namespace kerr::kernels
