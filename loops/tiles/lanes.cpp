#include "loops/tiles/lanes.hpp"

#include <algorithm>

#include "kernels/vector/functions.hpp"
#include "loops/tiles/float_lanes.hpp"
#include "loops/tiles/quick_lanes.hpp"

namespace kerr::loops::tiles {

namespace {

using kernels::vector::Test;
namespace vec = kernels::vector;

constexpr uint32_t kSign = 0x80000000;

bool is_f32_or_bf16(Type type) { return type == Type::F32 || type == Type::Bf16; }

Value flipped(Code& code, Value truth) { return code.bit_xor(truth, code.constant_bits(1)); }

// The order of unsigned numbers is that of signed ones half the range away.
Value less_integer(Code& code, Type type, Value a, Value b) {
  if (type == Type::I32) return vec::integer_less(code, a, b);
  const Value half = code.constant_bits(kSign);
  return vec::integer_less(code, code.bit_xor(a, half), code.bit_xor(b, half));
}

std::optional<Value> compute_bool(Code& code, Verb verb, Value a, Value b) {
  switch (verb) {
    case Verb::And: return code.bit_and(a, b);
    case Verb::Or:
    case Verb::Max: return code.bit_or(a, b);
    case Verb::Xor:
    case Verb::Cmpne: return code.bit_xor(a, b);
    case Verb::Cmpeq: return flipped(code, code.bit_xor(a, b));
    case Verb::Cmplt: return code.bit_and(flipped(code, a), b);
    default: return std::nullopt;
  }
}

std::optional<Value> compute_integer(Code& code, Verb verb, Type type, Value a, Value b) {
  const bool is_signed = type == Type::I32;
  switch (verb) {
    case Verb::Add: return code.integer_add(a, b);
    case Verb::Sub: return code.integer_subtract(a, b);
    case Verb::Mul: return vec::integer_multiply(code, a, b);
    case Verb::Neg: return vec::integer_negate(code, a);
    case Verb::Max: return code.select({Test::NotZero, less_integer(code, type, a, b)}, b, a);
    case Verb::And: return code.bit_and(a, b);
    case Verb::Or: return code.bit_or(a, b);
    case Verb::Xor: return code.bit_xor(a, b);
    case Verb::Shl: return vec::shift_left_by(code, a, b);
    case Verb::Shr: return is_signed ? vec::shift_right_by(code, a, b) : vec::shift_right_logical_by(code, a, b);
    case Verb::Cmplt: return less_integer(code, type, a, b);
    case Verb::Cmpeq: return vec::integer_equal(code, a, b);
    case Verb::Cmpne: return vec::integer_not_equal(code, a, b);
    case Verb::Cdiv:
      if (is_signed) return vec::integer_divide(code, a, b);
      return std::nullopt;
    case Verb::Cmod:
      if (is_signed) return vec::integer_modulo(code, a, b);
      return std::nullopt;
    default: return std::nullopt;
  }
}

// Operations that keep bits or give a bool.
std::optional<Value> compute_unrounded(Code& code, Verb verb, Value a, Value b) {
  switch (verb) {
    case Verb::Neg: return code.negate(a);
    case Verb::Max: return maximum_f32(code, a, b);
    case Verb::Cmplt: return less_f32(code, a, b);
    case Verb::Cmpeq: return equal_f32(code, a, b);
    case Verb::Cmpne: return flipped(code, equal_f32(code, a, b));
    default: return std::nullopt;
  }
}

std::optional<Value> compute_quickly(Code& code, Verb verb, Value a, Functions& functions) {
  if (!functions.quick) return std::nullopt;
  switch (verb) {
    case Verb::Exp2: return quick_exp2_f32(code, a);
    case Verb::Log2: return quick_log2_f32(code, a);
    case Verb::Sin: {
      const QuickSin result = quick_sin_f32(code, a);
      functions.beyond.push_back(result.beyond);
      return result.sine;
    }
    default: return std::nullopt;
  }
}
std::optional<Value> compute_f32(Code& code, Verb verb, Value a, Value b, Functions& functions) {
  if (const auto result = compute_quickly(code, verb, a, functions)) return result;
  switch (verb) {
    case Verb::Add: return code.add(a, b);
    case Verb::Sub: return code.subtract(a, b);
    case Verb::Mul: return multiply_f32(code, a, b);
    case Verb::Fdiv: return functions.quick_quotients ? quick_divide_f32(code, a, b) : divide_f32(code, a, b);
    case Verb::Sqrt: return square_root_f32(code, a);
    case Verb::Trunc: return truncate_f32(code, a);
    case Verb::Exp2: return exp2_f32(code, a);
    default: return std::nullopt;
  }
}

// Denormals to zeros of their sign, NaN to the one NaN.
Value flushed(Code& code, Value x) { return multiply_f32(code, x, code.one()); }

}  // namespace

bool has_lanes(Type type) {
  return is_f32_or_bf16(type) || type == Type::I32 || type == Type::U32 || type == Type::Bool;
}

Value lane_constant(Code& code, Type type, uint64_t bits) {
  return code.constant_bits(static_cast<uint32_t>(type == Type::Bf16 ? bits << 16 : bits));
}

std::optional<Value> lane_compute(Code& code, Verb verb, Type type, std::span<const Value> inputs,
                                  Functions& functions) {
  const Value a = inputs[0], b = inputs.size() > 1 ? inputs[1] : Value{};
  if (!has_lanes(type)) return std::nullopt;
  if (verb == Verb::Where) return code.select({Test::NotZero, a}, b, inputs[2]);
  if (type == Type::Bool) return compute_bool(code, verb, a, b);
  if (!is_f32_or_bf16(type)) return compute_integer(code, verb, type, a, b);
  if (const auto result = compute_unrounded(code, verb, a, b)) return result;
  const auto result = compute_f32(code, verb, a, b, functions);
  return result && type == Type::Bf16 ? rounded_to_bf16(code, *result) : result;
}

std::optional<Value> lane_cast(Code& code, Type to, Type from, Value x) {
  if (!has_lanes(to) || !has_lanes(from)) return std::nullopt;
  if (to == from || (!is_f32_or_bf16(to) && from == Type::Bool)) return x;
  if (to == Type::Bool) {
    const Value bits = is_f32_or_bf16(from) ? code.shift_left(x, 1) : x;
    return code.select({Test::Zero, bits}, code.zero(), code.loaded_constant(1));
  }
  if (is_f32_or_bf16(to)) {
    if (from == Type::Bf16) return x;
    if (from == Type::F32) return rounded_to_bf16(code, flushed(code, x));
    if (from == Type::Bool) return code.select({Test::Zero, x}, code.zero(), code.one());
    const Value number = from == Type::I32 ? vec::to_fp32(code, x) : u32_to_f32(code, x);
    return to == Type::Bf16 ? rounded_to_bf16(code, number) : number;
  }
  if (is_f32_or_bf16(from)) {
    if (to == Type::I32) return to_i32(code, x);
    return std::nullopt;
  }
  return x;  // between i32 and u32
}

Value lane_of_half(Code& code, Value word, bool upper) {
  return upper ? code.bit_and(word, code.constant_bits(0xFFFF0000)) : code.shift_left(word, 16);
}
Value halves_joined(Code& code, Value lower, Value upper) { return code.bit_or(code.shift_right(lower, 16), upper); }

}  // namespace kerr::loops::tiles
