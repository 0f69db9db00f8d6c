#include "loops/tiles/quick_lanes.hpp"

#include <span>

#include "loops/tiles/float_lanes.hpp"

namespace kerr::loops::tiles {

namespace {

using kernels::vector::Test;

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7F800000, kNan = 0x7FC00000, kLargest = 0x7F7FFFFF;
// 1.5 * 2^23: an integer is in the low bits of a sum with it.
constexpr float kRounding = 12582912.0f;
constexpr uint32_t kRoundingBits = 0x4B400000;

// ((last x + ...) x + first), coefficients from the first on.
Value polynomial(Code& code, Value x, std::span<const float> coefficients) {
  Value sum = code.constant(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = code.mad(sum, x, code.constant(coefficients[i]));
  return sum;
}

}  // namespace

// x = k + r with an integer k and |r| <= 1/2, both exact; 2^r = 1 + r q(r), minimax, off by 2^-25.9. Rounding adds at
// most 0.68 of a unit in the last place.
Value quick_exp2_f32(Code& code, Value x) {
  code.remark("exp2");
  constexpr float kQ[] = {0.693147182f, 0.240226477f, 0.0555033237f, 0.00961843692f, 0.0013398875f, 0.00015353362f};
  const Value shifted = code.add(x, code.constant(kRounding));
  const Value r = code.subtract(x, code.subtract(shifted, code.constant(kRounding)));
  const Value q = polynomial(code, r, kQ);
  const Value power = code.integer_add(code.mad(q, r, code.one()), code.shift_left(shifted, 23));
  const Value not_small = code.select({Test::Greater, code.constant(-126.0f), x}, code.zero(), power);
  const Value not_large =
      code.select({Test::NotGreater, code.constant(128.0f), x}, code.constant_bits(kInfinity), not_small);
  return code.select({Test::Greater, code.abs(x), code.constant_bits(kInfinity)}, code.constant_bits(kNan), not_large);
}

// The mantissas' quotient is corrected by what its product leaves of the dividend, then multiplied by two powers of
// two: one alone would not always be a number.
Value quick_divide_f32(Code& code, Value a, Value b) {
  code.remark("quotient");
  const auto mantissa = [&](Value x) {
    return code.bit_or(code.bit_and(x, code.constant_bits(0x007FFFFF)), code.one());
  };
  const Value divisor = mantissa(b);
  const Value y0 = code.reciprocal_estimate(divisor);
  const Value y1 = code.mad(y0, code.mad_negative(divisor, y0, code.one()), y0);
  const Value y = code.mad(y1, code.mad_negative(divisor, y1, code.one()), y1);
  const Value dividend = mantissa(a);
  const Value rough = code.multiply(dividend, y);
  const Value better = code.mad(code.mad_negative(rough, divisor, dividend), y, rough);
  const Value k = code.integer_subtract(code.bit_and(a, code.constant_bits(kInfinity)),
                                        code.bit_and(b, code.constant_bits(kInfinity)));
  const Value half = code.bit_and(code.shift_right_arithmetic(k, 1), code.constant_bits(0xFF800000));
  const Value first = code.multiply(better, code.integer_add(half, code.one()));
  const Value second = code.integer_add(code.integer_subtract(k, half), code.one());
  return completed_quotient(code, a, b, code.multiply(first, second));
}

// x = 2^e m with m from sqrt(1/2) to sqrt(2), so that e and log2(m) cancel nowhere; m = 1 + f exactly, and log2(m) =
// f / ln 2 + f^2 q(f), minimax, off by 2^-26.6. What the float 1 / ln 2 is short of goes to the smaller term.
Value quick_log2_f32(Code& code, Value any) {
  code.remark("log2");
  constexpr uint32_t kRootHalf = 0x3F3504F3;
  constexpr float kSlope = 1.44269502f, kRestOfSlope = 1.92596303e-08f;
  constexpr float kQ[] = {-0.721347332f, 0.480898231f,  -0.360696644f, 0.288567662f, -0.239617646f,
                          0.204596549f,  -0.191058293f, 0.186197966f,  -0.109985828f};
  const Value x = multiply_f32(code, any, code.one());  // no denormals, and one NaN
  const Value e = code.shift_right_arithmetic(code.integer_subtract(x, code.constant_bits(kRootHalf)), 23);
  const Value exponent =
      code.subtract(code.integer_add(e, code.constant_bits(kRoundingBits)), code.constant(kRounding));
  const Value f = code.subtract(code.integer_subtract(x, code.shift_left(e, 23)), code.one());
  const Value slope = code.mad(f, polynomial(code, f, kQ), code.constant(kRestOfSlope));
  const Value fraction = code.mad(f, code.constant(kSlope), code.multiply(f, slope));
  const Value finite = code.add(fraction, exponent);
  const Value number = code.select({Test::Greater, x, code.constant_bits(kLargest)}, x, finite);
  const Value positive = code.select({Test::Negative, x}, code.constant_bits(kNan), number);
  return code.select({Test::Zero, code.shift_left(x, 1)}, code.constant_bits(kSign | kInfinity), positive);
}

namespace {

// x less q times pi/2: `high`, and what it is rounded by.
struct Rest {
  Value high, low;
};

// Parts of pi/2 have 11 bits, so that their products with q, which has 15, are exact, as are the first two differences.
// A rounded one gives what it is rounded by, exactly.
Rest less_multiple_of_half_pi(Code& code, Value x, Value q) {
  constexpr uint32_t kParts[] = {0x3FC90000, 0x39FDA000, 0x33A22000, 0x2C346000, 0x248D3132};
  const auto less = [&](Value from, int part) { return code.mad_negative(q, code.constant_bits(kParts[part]), from); };
  const Value r2 = less(less(x, 0), 1);
  const Value r3 = less(r2, 2), rounded3 = less(code.subtract(r2, r3), 2);
  const Value r4 = less(r3, 3), rounded4 = less(code.subtract(r3, r4), 3);
  return {r4, less(code.add(rounded3, rounded4), 4)};
}

}  // namespace

// With q the integer nearest to x 2/pi, what is left is r + low with |r| up to pi/4: then sin r = r + r u s(u) and
// cos r = 1 - u c(u) with u the square of r + low, minimax, off by 2^-27.4 and 2^-28.9.
QuickSin quick_sin_f32(Code& code, Value x) {
  code.remark("sin");
  constexpr float kS[] = {-0.166666538f, 0.00833212025f, -0.00019509664f};
  constexpr float kC[] = {0.5f, -0.0416666195f, 0.0013886604f, -2.43762697e-05f};
  constexpr uint32_t kTiny = 0x39800000;  // 2^-12: below, the sine of x is x
  const Value shift = code.constant(kRounding);
  const Value shifted = code.mad(x, code.constant(0.636619772f), shift);
  const auto [r, low] = less_multiple_of_half_pi(code, x, code.subtract(shifted, shift));
  const Value u = code.mad(r, r, code.multiply(r, code.add(low, low)));
  const Value cosine = code.mad_negative(u, polynomial(code, u, kC), code.one());
  const Value sine = code.add(r, code.mad(code.multiply(r, u), polynomial(code, u, kS), low));
  const Value either = code.select({Test::Zero, code.shift_left(shifted, 31)}, sine, cosine);
  const Value sign = code.bit_and(code.shift_left(shifted, 30), code.constant_bits(kSign));
  const Value size = code.abs(x);
  const Value number = code.select({Test::Greater, code.constant_bits(kTiny), size}, multiply_f32(code, x, code.one()),
                                   code.bit_xor(either, sign));
  // Infinity and NaN have become NaN, with an even q.
  const Value beyond = code.integer_subtract(code.constant(kMostOfQuickSin), size);
  const Value finite = code.integer_subtract(size, code.constant_bits(kInfinity));
  return {number, code.bit_and(beyond, finite)};
}

}  // namespace kerr::loops::tiles
