// Functions of all elements of tiles in Dst. What each does to 32 lanes is written by kerr_device_functions, which asks
// kernels/vector: the results are bit for bit those of `kerr eval`. Parameters are the bits of FP32 numbers where
// nothing else is said. Integers have 32 bits in two's complement and need FP32_DEST.   docs/guide/kernels-in-cpp.md
#pragma once

#include "device/compute/names.hpp"
#include "device/compute/vector.hpp"
#include "device/generated/vector_words.hpp"

namespace kerr::device {

FORCE_INLINE uint32_t row_of_tile(uint32_t tile) {
  check_dst_tile(tile);
  return kTileRows * tile;
}

constexpr uint32_t faces_of(int vector_mode) {
  return vector_mode == ckernel::VectorMode::R ? 0b0011 : vector_mode == ckernel::VectorMode::C ? 0b0101 : kAllFaces;
}
inline constexpr int kWholeTile = ckernel::VectorMode::RC;

}  // namespace kerr::device

// Options of tt-metal's templates (approximations, old behaviour) change nothing here.
#define KERR_INIT(name)      \
  template <auto... options> \
  ALWI void name##_tile_init() {}
#define KERR_UNARY_AS(name, lanes_name)                                             \
  template <auto... options>                                                        \
  ALWI void name(uint32_t tile, int vector_mode = kerr::device::kWholeTile) {       \
    const uint32_t row = kerr::device::row_of_tile(tile);                           \
    vector_function([&] { kerr::device::lanes::lanes_name(KERR_DST{}, row, row); }, \
                    kerr::device::faces_of(vector_mode));                           \
  }
#define KERR_NUMBER_AS(name, lanes_name)                                                   \
  template <auto... options>                                                               \
  ALWI void name(uint32_t tile, uint32_t p0, int vector_mode = kerr::device::kWholeTile) { \
    const uint32_t row = kerr::device::row_of_tile(tile);                                  \
    vector_function([&] { kerr::device::lanes::lanes_name(KERR_DST{}, row, row, p0); },    \
                    kerr::device::faces_of(vector_mode));                                  \
  }
#define KERR_TWO_NUMBERS_AS(name, lanes_name)                                                           \
  template <auto... options>                                                                            \
  ALWI void name(uint32_t tile, uint32_t p0, uint32_t p1, int vector_mode = kerr::device::kWholeTile) { \
    const uint32_t row = kerr::device::row_of_tile(tile);                                               \
    vector_function([&] { kerr::device::lanes::lanes_name(KERR_DST{}, row, row, p0, p1); },             \
                    kerr::device::faces_of(vector_mode));                                               \
  }
#define KERR_BINARY_AS(name, lanes_name)                                                                    \
  template <auto... options>                                                                                \
  ALWI void name(uint32_t tile0, uint32_t tile1, uint32_t to, int vector_mode = kerr::device::kWholeTile) { \
    const uint32_t x0 = kerr::device::row_of_tile(tile0), x1 = kerr::device::row_of_tile(tile1);            \
    const uint32_t row = kerr::device::row_of_tile(to);                                                     \
    vector_function([&] { kerr::device::lanes::lanes_name(KERR_DST{}, x0, x1, row); },                      \
                    kerr::device::faces_of(vector_mode));                                                   \
  }
#define KERR_TERNARY_AS(name, lanes_name)                                                        \
  template <auto... options>                                                                     \
  ALWI void name(uint32_t tile0, uint32_t tile1, uint32_t tile2, uint32_t to,                    \
                 int vector_mode = kerr::device::kWholeTile) {                                   \
    const uint32_t x0 = kerr::device::row_of_tile(tile0), x1 = kerr::device::row_of_tile(tile1); \
    const uint32_t x2 = kerr::device::row_of_tile(tile2), row = kerr::device::row_of_tile(to);   \
    vector_function([&] { kerr::device::lanes::lanes_name(KERR_DST{}, x0, x1, x2, row); },       \
                    kerr::device::faces_of(vector_mode));                                        \
  }
#define KERR_UNARY(name, lanes_name) KERR_INIT(name) KERR_UNARY_AS(name##_tile, lanes_name)
#define KERR_NUMBER(name, lanes_name) KERR_INIT(name) KERR_NUMBER_AS(name##_tile, lanes_name)
#define KERR_TWO_NUMBERS(name, lanes_name) KERR_INIT(name) KERR_TWO_NUMBERS_AS(name##_tile, lanes_name)
#define KERR_BINARY(name, lanes_name) KERR_INIT(name) KERR_BINARY_AS(name##_tile, lanes_name)

namespace ckernel {

// ---- floats, as wide as Dst
#define KERR_DST kerr::device::FloatDst

KERR_UNARY(identity, copied)
KERR_UNARY(abs, abs)
KERR_UNARY(negative, negate)
KERR_UNARY(sign, sign)        // -1, 0 or 1
KERR_UNARY(signbit, signbit)  // 1 or 0
KERR_UNARY(square, square)
KERR_UNARY(recip, recip)
KERR_UNARY(sqrt, sqrt)
KERR_UNARY(rsqrt, rsqrt)
KERR_UNARY(exp2, exp2)
KERR_UNARY(expm1, expm1)  // exp(x) - 1: loses places near 0
KERR_UNARY(log, log)
KERR_NUMBER(log_with_base, log_times)  // p0: 1 / ln(base)
KERR_UNARY(log1p, log1p)               // log(1 + x): loses places near 0
KERR_UNARY(sin, sin)
KERR_UNARY(cos, cos)
KERR_UNARY(tanh, tanh)
KERR_UNARY(silu, silu)
KERR_UNARY(erf, erf)
KERR_UNARY(erfc, erfc)
KERR_UNARY(gelu, gelu)
KERR_UNARY(softsign, softsign)
KERR_UNARY(hardsigmoid, hardsigmoid)
KERR_UNARY(isinf, isinf)
KERR_UNARY(isposinf, isposinf)
KERR_UNARY(isneginf, isneginf)
KERR_UNARY(isnan, isnan)
KERR_UNARY(isfinite, isfinite)

KERR_INIT(exp)
/// With `scaled`, of x times `scale`, the bits of a BF16 number.
template <bool approximate = false, bool fast = true, bool scaled = false, auto... options>
ALWI void exp_tile(uint32_t tile, int vector_mode = kerr::device::kWholeTile, uint16_t scale = 0x3F80) {
  const uint32_t row = kerr::device::row_of_tile(tile);
  const auto group = [&] {
    if constexpr (scaled) {
      kerr::device::lanes::exp_scaled(KERR_DST{}, row, row, uint32_t{scale} << 16);
    } else {
      kerr::device::lanes::exp(KERR_DST{}, row, row);
    }
  };
  vector_function(group, kerr::device::faces_of(vector_mode));
}
// tt-metal puts the vector mode into the template here.
KERR_INIT(sigmoid)
template <int vector_mode = kerr::device::kWholeTile, bool = false>
ALWI void sigmoid_tile(uint32_t tile) {
  const uint32_t row = kerr::device::row_of_tile(tile);
  vector_function([&] { kerr::device::lanes::sigmoid(KERR_DST{}, row, row); }, kerr::device::faces_of(vector_mode));
}

// Rounding to whole numbers; round: halves to even.
KERR_INIT(rounding_op)
KERR_UNARY(floor, floor)
KERR_UNARY(ceil, ceil)
KERR_UNARY(trunc, trunc)
KERR_UNARY(frac, frac)
KERR_UNARY_AS(floor_tile_float32, floor)
KERR_UNARY_AS(ceil_tile_float32, ceil)
KERR_UNARY_AS(trunc_tile_float32, trunc)
KERR_UNARY_AS(frac_tile_float32, frac)

// 1 where it holds, else 0.
KERR_UNARY(eqz, eqz)
KERR_UNARY(nez, nez)
KERR_UNARY(ltz, ltz)
KERR_UNARY(gtz, gtz)
KERR_UNARY(lez, lez)
KERR_UNARY(gez, gez)
KERR_UNARY(logical_not_unary, eqz)
KERR_NUMBER(unary_eq, eq_number)
KERR_NUMBER(unary_ne, ne_number)
KERR_NUMBER(unary_lt, lt_number)
KERR_NUMBER(unary_gt, gt_number)
KERR_NUMBER(unary_le, le_number)
KERR_NUMBER(unary_ge, ge_number)

KERR_UNARY(relu, relu)
KERR_NUMBER(relu_max, relu_max)  // 0 up to p0
KERR_NUMBER(relu_min, relu_min)  // at least p0
KERR_NUMBER(leaky_relu, leaky_relu)
KERR_NUMBER(prelu, leaky_relu)
KERR_NUMBER(elu, elu)
KERR_TWO_NUMBERS(selu, selu)  // scale, alpha
KERR_TWO_NUMBERS(celu, celu)  // alpha, 1 / alpha
KERR_TWO_NUMBERS(clamp, clamp)
KERR_TWO_NUMBERS(hardtanh, clamp)
KERR_TWO_NUMBERS(threshold, threshold)  // p1 where x <= p0
KERR_NUMBER(heaviside, heaviside)
KERR_NUMBER(softshrink, softshrink)
KERR_INIT(softplus)
/// log(1 + exp(beta x)) / beta, or x where beta x is above the threshold.
template <auto... options>
ALWI void softplus_tile(uint32_t tile, uint32_t beta, uint32_t inverse_of_beta, uint32_t threshold) {
  const uint32_t row = kerr::device::row_of_tile(tile);
  vector_function(
      [&] { kerr::device::lanes::softplus_scaled(KERR_DST{}, row, row, beta, inverse_of_beta, threshold); });
}
KERR_NUMBER(unary_max, larger_number)
KERR_NUMBER(unary_min, smaller_number)

KERR_INIT(binop_with_scalar)
KERR_NUMBER_AS(add_unary_tile, add_number)
KERR_NUMBER_AS(sub_unary_tile, subtract_number)
KERR_NUMBER_AS(mul_unary_tile, multiply_number)
KERR_NUMBER_AS(div_unary_tile, multiply_number)  // p0: 1 / divisor
KERR_NUMBER_AS(rsub_unary_tile, subtract_from)   // p0 - x
KERR_NUMBER(rsub, subtract_from)
KERR_NUMBER(rdiv, number_divided)  // p0 / x
KERR_NUMBER(rpow, power_of_number)

KERR_INIT(power)
/// x to a number: a whole one up to 0x7FFFFF, as older kernels give it, or the bits of an FP32, as later ones do.
template <auto... options>
ALWI void power_tile(uint32_t tile, uint32_t exponent, int vector_mode = kerr::device::kWholeTile) {
  const float value = static_cast<float>(exponent);
  const uint32_t row = kerr::device::row_of_tile(tile);
  const uint32_t p0 = exponent < 0x800000 ? __builtin_bit_cast(uint32_t, value) : exponent;
  vector_function([&] { kerr::device::lanes::power_number(KERR_DST{}, row, row, p0); },
                  kerr::device::faces_of(vector_mode));
}

KERR_INIT(power_iterative)
template <auto... options>
ALWI void power_iterative_tile(uint32_t tile, uint32_t exponent, int vector_mode = kerr::device::kWholeTile) {
  power_tile(tile, exponent, vector_mode);
}

KERR_INIT(fill)
/// The same number everywhere.
template <auto... options>
ALWI void fill_tile_bitcast(uint32_t tile, uint32_t bits) {
  const uint32_t row = kerr::device::row_of_tile(tile);
  vector_function([&] { kerr::device::lanes::fill(KERR_DST{}, row, bits); });
}
template <auto... options>
ALWI void fill_tile(uint32_t tile, float value) {
  fill_tile_bitcast(tile, __builtin_bit_cast(uint32_t, value));
}

// Two tiles; the result may take the place of one.
KERR_BINARY(add_binary, add)
KERR_BINARY(sub_binary, subtract)
KERR_BINARY(mul_binary, multiply)
KERR_BINARY(div_binary, divide)
KERR_BINARY(power_binary, power)
KERR_BINARY(binary_max, maximum)
KERR_BINARY(binary_min, minimum)
KERR_BINARY(eq_binary, eq)
KERR_BINARY(ne_binary, ne)
KERR_BINARY(lt_binary, lt)
KERR_BINARY(gt_binary, gt)
KERR_BINARY(le_binary, le)
KERR_BINARY(ge_binary, ge)
KERR_INIT(rsub_binary)
template <auto... options>
ALWI void rsub_binary_tile(uint32_t tile0, uint32_t tile1, uint32_t to) {
  sub_binary_tile(tile1, tile0, to);
}
KERR_INIT(max)
template <auto... options>
ALWI void max_tile(uint32_t tile0, uint32_t tile1, int vector_mode = kerr::device::kWholeTile) {
  binary_max_tile(tile0, tile1, tile0, vector_mode);
}
KERR_INIT(copy_dest_values)
/// Tile `from` to tile `to`.
template <auto... options>
ALWI void copy_dest_values(uint32_t to, uint32_t from) {
  const uint32_t x0 = kerr::device::row_of_tile(from), row = kerr::device::row_of_tile(to);
  vector_function([&] { kerr::device::lanes::copied(KERR_DST{}, x0, row); });
}
/// Zeros in `tile` where the mask, in the tile behind it, is zero.
KERR_INIT(mask)
template <auto... options, class... Format>
ALWI void mask_tile(uint32_t tile, uint32_t mask, Format...) {
  const uint32_t x0 = kerr::device::row_of_tile(tile), x1 = kerr::device::row_of_tile(mask);
  vector_function([&] { kerr::device::lanes::mask(KERR_DST{}, x0, x1, x0); });
}
template <auto... options>
ALWI void mask_posinf_tile(uint32_t tile, uint32_t mask) {
  const uint32_t x0 = kerr::device::row_of_tile(tile), x1 = kerr::device::row_of_tile(mask);
  vector_function([&] { kerr::device::lanes::mask_infinity(KERR_DST{}, x0, x1, x0); });
}
KERR_INIT(where)
KERR_TERNARY_AS(where_tile, where)
KERR_TERNARY_AS(where_fp32_tile, where)

#undef KERR_DST

// ---- integers
#define KERR_DST kerr::device::Int32Dst

KERR_UNARY_AS(abs_tile_int32, abs_int)
KERR_UNARY_AS(negative_tile_int32, negate_int)
KERR_UNARY(bitwise_not, not_int)
KERR_UNARY_AS(relu_tile_int32, relu_int)
KERR_UNARY_AS(signbit_tile_int32, signbit_int)
KERR_UNARY_AS(logical_not_unary_tile_int32, logical_not_int)
KERR_UNARY_AS(logical_not_unary_tile_uint32, logical_not_int)
KERR_UNARY_AS(eqz_tile_int32, eqz_int)
KERR_UNARY_AS(nez_tile_int32, nez_int)
KERR_UNARY_AS(eqz_tile_uint32, eqz_int)
KERR_UNARY_AS(nez_tile_uint32, nez_int)
KERR_UNARY_AS(ltz_tile_int32, ltz_int)
KERR_UNARY_AS(gez_tile_int32, gez_int)
KERR_UNARY_AS(gtz_tile_int32, gtz_int)
KERR_UNARY_AS(lez_tile_int32, lez_int)
KERR_NUMBER_AS(add_unary_tile_int32, add_number_int)
KERR_NUMBER_AS(sub_unary_tile_int32, subtract_number_int)
KERR_NUMBER_AS(rsub_unary_int32_tile, subtract_from_int)
KERR_INIT(rsub_unary_int32)
KERR_NUMBER_AS(unary_max_int32_tile, larger_number_int)
KERR_NUMBER_AS(unary_min_int32_tile, smaller_number_int)
KERR_NUMBER_AS(relu_min_tile_int32, larger_number_int)
KERR_TWO_NUMBERS_AS(clamp_tile_int32, clamp_int)
KERR_NUMBER_AS(unary_eq_tile_int32, eq_number_int)
KERR_NUMBER_AS(unary_ne_tile_int32, ne_number_int)
KERR_NUMBER_AS(unary_lt_tile_int32, lt_number_int)
KERR_NUMBER_AS(unary_gt_tile_int32, gt_number_int)
KERR_NUMBER_AS(unary_le_tile_int32, le_number_int)
KERR_NUMBER_AS(unary_ge_tile_int32, ge_number_int)
KERR_NUMBER(bitwise_and, and_number)
KERR_NUMBER(bitwise_or, or_number)
KERR_NUMBER(bitwise_xor, xor_number)
KERR_NUMBER(left_shift, shift_left_number)
KERR_NUMBER(right_shift, shift_right_number)

KERR_INIT(add_int)
KERR_INIT(add_int32)
KERR_BINARY_AS(add_int32_tile, add_int)
KERR_BINARY_AS(add_uint32_tile, add_int)
KERR_INIT(sub_int)
KERR_INIT(sub_int32)
KERR_BINARY_AS(sub_int32_tile, subtract_int)
KERR_BINARY_AS(sub_uint32_tile, subtract_int)
KERR_INIT(rsub_int32)
template <auto... options>
ALWI void rsub_int32_tile(uint32_t tile0, uint32_t tile1, uint32_t to) {
  sub_int32_tile(tile1, tile0, to);
}
KERR_INIT(mul_int)
KERR_INIT(mul_int32)
KERR_BINARY_AS(mul_int32_tile, multiply_int)
KERR_BINARY_AS(mul_uint32_tile, multiply_int)
KERR_BINARY_AS(binary_max_int32_tile, maximum_int)
KERR_BINARY_AS(binary_min_int32_tile, minimum_int)
KERR_INIT(binary_max_int32)
KERR_INIT(binary_min_int32)
KERR_BINARY(eq_int32, eq_int)
KERR_BINARY(ne_int32, ne_int)
KERR_BINARY(lt_int32, lt_int)
KERR_BINARY(gt_int32, gt_int)
KERR_BINARY(le_int32, le_int)
KERR_BINARY(ge_int32, ge_int)
KERR_INIT(binary_bitwise)
KERR_BINARY_AS(bitwise_and_binary_tile, bit_and)
KERR_BINARY_AS(bitwise_or_binary_tile, bit_or)
KERR_BINARY_AS(bitwise_xor_binary_tile, bit_xor)
KERR_BINARY_AS(bitwise_and_uint32_binary_tile, bit_and)
KERR_BINARY_AS(bitwise_or_uint32_binary_tile, bit_or)
KERR_BINARY_AS(bitwise_xor_uint32_binary_tile, bit_xor)
KERR_INIT(binary_shift)
KERR_BINARY_AS(binary_left_shift_tile, shift_left)
KERR_BINARY_AS(binary_left_shift_int32_tile, shift_left)
KERR_BINARY_AS(binary_right_shift_tile, shift_right)
KERR_BINARY_AS(binary_right_shift_int32_tile, shift_right)
KERR_BINARY_AS(binary_logical_right_shift_tile, shift_right_logical)
KERR_BINARY_AS(binary_logical_right_shift_int32_tile, shift_right_logical)
KERR_TERNARY_AS(where_int32_tile, where_int)
KERR_TERNARY_AS(where_uint32_tile, where_int)

template <auto... options>
ALWI void fill_tile_int(uint32_t tile, uint32_t value) {
  const uint32_t row = kerr::device::row_of_tile(tile);
  vector_function([&] { kerr::device::lanes::fill_int(KERR_DST{}, row, value); });
}
#undef KERR_DST

// ---- from one kind to the other
KERR_INIT(typecast)
/// Elements of the first format become the second, which the buffer has that they are packed to. Both are codes of
/// DataFormat.
template <uint32_t from, uint32_t to>
ALWI void typecast_tile(uint32_t tile) {
  using kerr::device::is_integer, kerr::arch::format_from_code;
  constexpr bool kFrom = is_integer(format_from_code(from)), kTo = is_integer(format_from_code(to));
  constexpr uint32_t kInt32 = static_cast<uint32_t>(::DataFormat::Int32);
  static_assert((!kFrom || from == kInt32) && (!kTo || to == kInt32),
                "typecast_tile knows floating-point formats and Int32");
  static_assert(kFrom == kTo || kerr::device::kDst32, "typecast_tile of Int32 needs FP32_DEST of kerr_add_kernel");
  const uint32_t row = kerr::device::row_of_tile(tile);
  if constexpr (kFrom && !kTo)
    vector_function([&] { kerr::device::lanes::to_float(kerr::device::Fp32Dst{}, row, row); });
  if constexpr (kTo && !kFrom) vector_function([&] { kerr::device::lanes::to_int(kerr::device::Fp32Dst{}, row, row); });
}

}  // namespace ckernel

#undef KERR_UNARY
#undef KERR_NUMBER
#undef KERR_TWO_NUMBERS
#undef KERR_BINARY
#undef KERR_UNARY_AS
#undef KERR_NUMBER_AS
#undef KERR_TWO_NUMBERS_AS
#undef KERR_BINARY_AS
#undef KERR_TERNARY_AS
#undef KERR_INIT
