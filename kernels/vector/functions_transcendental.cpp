// Exponentials, logarithms, and what is made of them.
#include <array>
#include <span>

#include "kernels/vector/functions.hpp"

namespace kerr::kernels::vector {

namespace {

constexpr uint32_t kInfinity = 0x7F800000, kNaN = 0x7FC00000, kLargest = 0x7F7FFFFF, kSign = 0x80000000;
// 1.5 x 2^23: added to a float, rounds it to an integer in the low bits.
constexpr uint32_t kRoundingBits = 0x4B400000;
constexpr float kRounding = 12582912.0f;

// ((last x + ...) x + first), coefficients from the first on.
Value polynomial(Code& code, Value x, std::span<const float> coefficients) {
  Value sum = code.constant(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = code.mad(sum, x, code.constant(coefficients[i]));
  return sum;
}

// NaN stays NaN where a formula has made a number of it.
Value keep_nan(Code& code, Value x, Value result) {
  return code.select({Test::Greater, code.abs(x), code.constant_bits(kInfinity)}, x, result);
}

// exp(r) for |r| <= ln 2 / 2.
Value exp_near_zero(Code& code, Value r) {
  constexpr std::array kP{0.49999994f, 0.166665152f, 0.041668456f, 0.00836941879f, 0.00138131459f};
  const Value p = polynomial(code, r, kP);
  return code.add(code.mad(code.multiply(r, r), p, r), code.one());
}

struct Split {
  Value shifted;   // rounding bits + the integer
  Value fraction;  // what is left, -0.5 to 0.5
};

// p * 2^k, where k is in the low bits of `shifted`: k goes to the exponent.
Value scale(Code& code, Value p, Value shifted) {
  return code.integer_add(p, code.shift_left(shifted, 23));  // the rounding bits leave at the top
}

// Results below 2^-126 are 0, from 2^128 on infinity.
Value limit(Code& code, Value x, float lowest, float highest, Value result) {
  const Value not_small = code.select({Test::Greater, code.constant(lowest), x}, code.zero(), result);
  const Value not_large =
      code.select({Test::NotGreater, code.constant(highest), x}, code.constant_bits(kInfinity), not_small);
  return keep_nan(code, x, not_large);
}

// exp(x + correction) for a small correction; not limited.
Value exp_core(Code& code, Value x, Value correction) {
  const Value shift = code.constant(kRounding);
  const Value shifted = code.mad(x, code.constant(1.44269504f), shift);
  const Value k = code.subtract(shifted, shift);
  const Value r1 = code.mad_negative(k, code.constant(0.693115234375f), x);
  const Value r2 = code.mad_negative(k, code.constant(3.19461833e-05f), r1);
  return scale(code, exp_near_zero(code, code.add(r2, correction)), shifted);
}

struct Logarithm {
  Value exponent;  // as a number
  Value mantissa;  // log of what is left, which lies from sqrt(1/2) to sqrt(2)
};

Logarithm log_parts(Code& code, Value x) {
  constexpr uint32_t kRootHalf = 0x3F3504F3;
  const Value e = code.shift_right_arithmetic(code.integer_subtract(x, code.constant_bits(kRootHalf)), 23);
  const Value exponent =
      code.subtract(code.integer_add(e, code.constant_bits(kRoundingBits)), code.constant(kRounding));
  const Value m = code.integer_subtract(x, code.shift_left(e, 23));
  const Value f = code.subtract(m, code.one());
  constexpr std::array kP{0.333333313f, -0.250008196f, 0.200012267f, -0.166233599f,
                          0.142017469f, -0.131601438f, 0.12761651f,  -0.0763470158f};
  const Value p = polynomial(code, f, kP);
  const Value ff = code.multiply(f, f);
  const Value cubic = code.multiply(code.multiply(f, p), ff);
  const Value tail = code.mad(ff, code.constant(-0.5f), cubic);
  return {exponent, code.add(f, tail)};
}

Value limit_log(Code& code, Value x, Value result) {
  const Value finite = code.select({Test::Greater, x, code.constant_bits(kLargest)}, x, result);
  const Value denormal =
      code.select({Test::Greater, code.constant_bits(0x00800000), x}, code.constant_bits(kInfinity | kSign), finite);
  return keep_nan(
      code, x,
      code.select({Test::Greater, code.constant_bits(kSign | 0x007FFFFF), x}, code.constant_bits(kNaN), denormal));
}

// sin(r) for |r| <= pi / 2.
Value sin_near_zero(Code& code, Value r) {
  constexpr std::array kP{-0.166666672f, 0.00833333097f, -0.000198408656f, 2.75252569e-06f, -2.38866242e-08f};
  const Value rr = code.multiply(r, r);
  return code.mad(code.multiply(rr, r), polynomial(code, rr, kP), r);
}

// x - q pi, pi in four parts of which the first three times q are exact.
Value less_multiple_of_pi(Code& code, Value x, Value q) {
  const Value r1 = code.mad_negative(q, code.constant(3.140625f), x);
  const Value r2 = code.mad_negative(q, code.constant_bits(0x3A7DA000), r1);
  const Value r3 = code.mad_negative(q, code.constant_bits(0x34222000), r2);
  return code.mad_negative(q, code.constant(5.12668814e-12f), r3);
}

// exp(-|x|), between 1 and 0.
Value exp_of_minus_magnitude(Code& code, Value x) { return exp(code, code.negate(code.abs(x))); }

// exp(u^2) erfc(u) for u >= 1.
Value scaled_tail(Code& code, Value u) {
  constexpr std::array kP{0.564193487f, 0.563993156f, 0.286423296f, -0.336837769f, -0.266569674f,
                          -2.44813299f, 9.5013504f,   -14.0482826f, 10.2260323f,   -3.07766676f};
  const Value t = reciprocal(code, code.add(u, code.one()));
  return code.multiply(t, polynomial(code, t, kP));
}

// exp(-factor x^2), with what the square is rounded by.
Value gaussian(Code& code, Value x, float factor) {
  const Value square = code.multiply(x, x);
  const Value rest = code.mad_subtract(x, x, square);
  const Value minus = code.constant(-factor);
  const Value exponent = code.multiply(square, minus);
  return limit(code, exponent, -87.33655f, 88.72284f, exp_core(code, exponent, code.multiply(rest, minus)));
}

// erf(u) / u for u <= 1.
Value erf_slope(Code& code, Value u) {
  constexpr std::array kP{1.12837923f,    -0.376126379f,   0.112837806f,    -0.0268653259f,
                          0.00522071635f, -0.00084792485f, 0.000112293259f, -9.55815085e-06f};
  return polynomial(code, code.multiply(u, u), kP);
}

}  // namespace

Value exp(Code& code, Value x) {
  code.remark("exp");
  return limit(code, x, -87.33655f, 88.72284f, exp_core(code, x, code.zero()));
}

Value exp2(Code& code, Value x) {
  code.remark("exp2");
  const Value shift = code.constant(kRounding);
  const Value shifted = code.add(x, shift);
  const Value f = code.subtract(x, code.subtract(shifted, shift));
  const Value p = exp_near_zero(code, code.multiply(f, code.constant(0.693147182f)));
  return limit(code, x, -126.0f, 128.0f, scale(code, p, shifted));
}

Value log(Code& code, Value x) {
  code.remark("log");
  const Logarithm parts = log_parts(code, x);
  const Value low = code.mad(parts.exponent, code.constant(3.19461833e-05f), parts.mantissa);
  return limit_log(code, x, code.mad(parts.exponent, code.constant(0.693115234375f), low));
}

Value log2(Code& code, Value x) {
  code.remark("log2");
  const Logarithm parts = log_parts(code, x);
  return limit_log(code, x, code.mad(parts.mantissa, code.constant(1.44269504f), parts.exponent));
}

// 2^(exponent * log2 |base|), with the sign of odd powers. A negative base has real powers of integers only.
Value power(Code& code, Value any, Value exponent) {
  code.remark("power");
  const Value base = code.add(any, code.zero());
  const Value magnitude = exp2(code, code.multiply(exponent, log2(code, code.abs(base))));
  const Value whole = round_even(code, exponent);
  const Value half = round_even(code, code.multiply(whole, code.constant(0.5f)));
  const Value odd = code.mad_negative(half, code.constant(2.0f), whole);  // 0, or +-1
  const Value negative = code.bit_xor(magnitude, code.constant_bits(kSign));
  const Value integral = code.select({Test::NotZero, code.shift_left(odd, 1)}, negative, magnitude);
  const Value not_integral = code.bit_xor(whole, exponent);
  const Value of_negative =
      code.select({Test::NotZero, code.shift_left(not_integral, 1)}, code.constant_bits(kNaN), integral);
  const Value signed_power = code.select({Test::Negative, base}, of_negative, magnitude);
  return code.select({Test::Zero, code.add(exponent, code.zero())}, code.one(), signed_power);
}

Value sin(Code& code, Value x) {
  code.remark("sin");
  const Value shift = code.constant(kRounding);
  const Value shifted = code.mad(x, code.constant(0.318309886f), shift);
  const Value r = less_multiple_of_pi(code, x, code.subtract(shifted, shift));
  return code.bit_xor(sin_near_zero(code, r), code.shift_left(shifted, 31));  // minus for odd multiples
}

// sin(x + pi / 2): the nearest q + 1/2 takes the place of the nearest q.
Value cos(Code& code, Value x) {
  code.remark("cos");
  const Value shift = code.constant(kRounding);
  const Value shifted = code.add(code.mad(x, code.constant(0.318309886f), code.constant(-0.5f)), shift);
  const Value half_odd = code.add(code.subtract(shifted, shift), code.constant(0.5f));
  const Value r = less_multiple_of_pi(code, x, half_odd);
  const Value sine = sin_near_zero(code, r);
  return code.bit_xor(code.negate(sine), code.shift_left(shifted, 31));
}

// The quotient of sin and cos of what is left of multiples of pi / 2; odd multiples turn it over.
Value tan(Code& code, Value x) {
  code.remark("tan");
  constexpr std::array kCos{-0.5f, 0.0416666418f, -0.00138887553f, 2.44331568e-05f};
  const Value shift = code.constant(kRounding);
  const Value shifted = code.mad(x, code.constant(0.636619772f), shift);
  const Value q = code.multiply(code.subtract(shifted, shift), code.constant(0.5f));
  const Value r = less_multiple_of_pi(code, x, q);
  const Value rr = code.multiply(r, r);
  const Value sine = sin_near_zero(code, r);
  const Value cosine = code.mad(rr, polynomial(code, rr, kCos), code.one());
  const Value odd = code.shift_left(shifted, 31);
  const Value upper = code.select({Test::Zero, odd}, sine, cosine);
  const Value lower = code.select({Test::Zero, odd}, cosine, sine);
  return code.bit_xor(divide(code, upper, lower), odd);
}

Value tanh(Code& code, Value x) {
  code.remark("tanh");
  constexpr std::array kP{-0.333333284f, 0.133331522f, -0.053939946f, 0.0216634162f, -0.00808565598f, 0.00205960521f};
  const Value xx = code.multiply(x, x);
  const Value near = code.mad(code.multiply(xx, x), polynomial(code, xx, kP), x);
  const Value magnitude = code.abs(x);
  const Value e = exp(code, code.add(magnitude, magnitude));
  const Value quotient = reciprocal(code, code.add(e, code.one()));
  const Value far = code.mad(quotient, code.constant(-2.0f), code.one());
  const Value signed_far = code.bit_or(far, code.bit_and(x, code.constant_bits(kSign)));
  return keep_nan(code, x, code.select({Test::Greater, magnitude, code.constant(0.625f)}, signed_far, near));
}

// From e = exp(-|x|): 1 / (1 + e) on the right, e / (1 + e) on the left.
Value sigmoid(Code& code, Value x) {
  code.remark("sigmoid");
  const Value e = exp_of_minus_magnitude(code, x);
  const Value right = reciprocal(code, code.add(e, code.one()));
  return code.select({Test::Negative, x}, code.multiply(e, right), right);
}

Value silu(Code& code, Value x) {
  const Value s = sigmoid(code, x);
  const Value product = code.multiply(x, s);
  return code.select({Test::Zero, s}, code.zero(), product);  // -inf times 0
}

// max(x, 0) + log(1 + e), e = exp(-|x|): log(1 + e) = 2 atanh(e / (2 + e)).
Value softplus(Code& code, Value x) {
  code.remark("softplus");
  constexpr std::array kP{0.333333373f, 0.199994385f, 0.143084422f, 0.107138231f, 0.121504873f};
  const Value e = exp_of_minus_magnitude(code, x);
  const Value s = code.multiply(e, reciprocal(code, code.add(e, code.constant(2.0f))));
  const Value ss = code.multiply(s, s);
  const Value half = code.mad(code.multiply(ss, s), polynomial(code, ss, kP), s);
  return code.add(maximum(code, x, code.zero()), code.add(half, half));
}

Value erf(Code& code, Value x) {
  code.remark("erf");
  const Value u = code.abs(x);
  const Value far = code.mad_negative(scaled_tail(code, u), gaussian(code, u, 1.0f), code.one());
  const Value signed_far = code.bit_or(far, code.bit_and(x, code.constant_bits(kSign)));
  const Value near = code.multiply(x, erf_slope(code, u));
  return keep_nan(code, x, code.select({Test::Greater, u, code.one()}, signed_far, near));
}

namespace {

// x erfc(-x / sqrt 2) / 2: on the left the tail itself, on the right what it leaves of 2. `near`: the tail up to u = 1;
// `far`: beyond.
Value gelu_near(Code& code, Value u) { return code.mad_negative(u, erf_slope(code, u), code.one()); }
Value gelu_far(Code& code, Value x, Value u) { return code.multiply(gaussian(code, x, 0.5f), scaled_tail(code, u)); }
Value gelu(Code& code, Value x, Value u, Value near, Value far) {
  const Value tail = code.select({Test::Greater, u, code.one()}, far, near);
  const Value integral = code.select({Test::Negative, x}, tail, code.mad(tail, code.minus_one(), code.constant(2.0f)));
  const Value product = code.multiply(code.multiply(x, code.constant(0.5f)), integral);
  return keep_nan(code, x, code.select({Test::Zero, integral}, code.zero(), product));
}

}  // namespace

Value gelu(Code& code, Value x) {
  code.remark("gelu");
  const Value u = code.multiply(code.abs(x), code.constant(0.707106769f));
  const Value near = gelu_near(code, u);
  return gelu(code, x, u, near, gelu_far(code, x, u));
}

Value gelu_in_few_registers(Code& code, Value x) {
  const Value u = code.multiply(code.abs(x), code.constant(0.707106769f));
  const Value far = gelu_far(code, x, u);
  return gelu(code, x, u, gelu_near(code, u), far);
}

}  // namespace kerr::kernels::vector
