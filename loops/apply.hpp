// The arithmetic of loop programs as templates over verb and type, for compute() and the interpreter alike.
#pragma once

#include <limits>
#include <type_traits>

#include "loops/arithmetic.hpp"
#include "loops/floats.hpp"
#include "loops/functions.hpp"
#include "loops/threefry.hpp"

namespace kerr::loops {

template <Type t>
constexpr auto integer_of_type() {
  if constexpr (t == Type::I8)
    return int8_t{};
  else if constexpr (t == Type::I16)
    return int16_t{};
  else if constexpr (t == Type::I32)
    return int32_t{};
  else if constexpr (t == Type::I64)
    return int64_t{};
  else if constexpr (t == Type::Bool || t == Type::U8)
    return uint8_t{};
  else if constexpr (t == Type::U16 || t == Type::F16 || t == Type::Bf16)
    return uint16_t{};
  else if constexpr (t == Type::U32 || t == Type::F32)
    return uint32_t{};
  else
    return uint64_t{};
}
/// The C++ integer whose bits a number of the type is.
template <Type t>
using IntegerOf = decltype(integer_of_type<t>());

/// An integer of the type as the word that holds its bits.
template <Type t>
constexpr uint64_t word_of(IntegerOf<t> value) {
  return static_cast<std::make_unsigned_t<IntegerOf<t>>>(value);
}

/// A float of the type as float32, and back.
template <Type t>
uint32_t widen(uint64_t bits) {
  const auto word = static_cast<uint32_t>(bits);
  if constexpr (t == Type::F16)
    return f32_of_f16(word);
  else if constexpr (t == Type::Bf16)
    return f32_of_bf16(word);
  else if constexpr (t == Type::F64)
    return f32_of_f64(bits);
  else
    return word;
}
template <Type t>
uint64_t narrow(uint32_t bits) {
  if constexpr (t == Type::F16)
    return f16_of_f32(bits);
  else if constexpr (t == Type::Bf16)
    return bf16_of_f32(bits);
  else if constexpr (t == Type::F64)
    return f64_of_f32(bits);
  else
    return bits;
}
/// The value of a float of the type, exact: a float or a double.
template <Type t>
auto value_of(uint64_t bits) {
  if constexpr (t == Type::F64)
    return as_double(bits);
  else
    return as_float(widen<t>(bits));
}

template <Type t>
bool less(uint64_t a, uint64_t b) {
  if constexpr (info(t).is_float)
    return value_of<t>(a) < value_of<t>(b);
  else
    return static_cast<IntegerOf<t>>(a) < static_cast<IntegerOf<t>>(b);
}
template <Type t>
bool equal(uint64_t a, uint64_t b) {
  if constexpr (info(t).is_float)
    return value_of<t>(a) == value_of<t>(b);
  else
    return a == b;
}

/// Modulo 2^n. A division by zero and one that overflows give what RISC-V's div and rem give.
template <Verb v, Type t>
uint64_t apply_integer(uint64_t a, uint64_t b) {
  using T = IntegerOf<t>;
  constexpr unsigned kBits = 8 * sizeof(T);
  [[maybe_unused]] const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (v == Verb::Add)
    return word_of<t>(static_cast<T>(a + b));
  else if constexpr (v == Verb::Sub)
    return word_of<t>(static_cast<T>(a - b));
  else if constexpr (v == Verb::Mul)
    return word_of<t>(static_cast<T>(a * b));
  else if constexpr (v == Verb::Neg)
    return word_of<t>(static_cast<T>(0 - a));
  else if constexpr (v == Verb::Shl)
    return b >= kBits ? 0 : word_of<t>(static_cast<T>(a << b));
  else if constexpr (v == Verb::Shr) {
    if constexpr (std::is_signed_v<T>)
      return word_of<t>(static_cast<T>(x >> (b >= kBits ? kBits - 1 : b)));
    else
      return b >= kBits ? 0 : a >> b;
  } else if constexpr (v == Verb::And)
    return a & b;
  else if constexpr (v == Verb::Or)
    return a | b;
  else if constexpr (v == Verb::Xor)
    return a ^ b;
  else if constexpr (v == Verb::Threefry)
    return threefry(a, b);
  else {
    static_assert(v == Verb::Cdiv || v == Verb::Cmod);
    if (y == 0) return v == Verb::Cdiv ? word_of<t>(static_cast<T>(-1)) : a;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return v == Verb::Cdiv ? word_of<t>(static_cast<T>(0 - a)) : 0;
    }
    return word_of<t>(static_cast<T>(v == Verb::Cdiv ? x / y : x % y));
  }
}

template <Verb v>
uint32_t apply_f32(uint32_t a, uint32_t b) {
  if constexpr (v == Verb::Exp2)
    return exp2_f32(a);
  else if constexpr (v == Verb::Log2)
    return log2_f32(a);
  else if constexpr (v == Verb::Sin)
    return sin_f32(a);
  else {
    [[maybe_unused]] const float x = as_float(flush(a)), y = as_float(flush(b));
    if constexpr (v == Verb::Add)
      return result_f32(x + y);
    else if constexpr (v == Verb::Sub)
      return result_f32(x - y);
    else if constexpr (v == Verb::Mul)
      return result_f32(x * y);
    else if constexpr (v == Verb::Fdiv)
      return result_f32(x / y);
    else if constexpr (v == Verb::Sqrt)
      return result_f32(std::sqrt(x));
    else {
      static_assert(v == Verb::Trunc);
      return result_f32(std::trunc(x));
    }
  }
}

// IEEE 754, denormals and all.
template <Verb v>
uint64_t apply_f64(uint64_t a, uint64_t b) {
  [[maybe_unused]] const double x = as_double(a), y = as_double(b);
  if constexpr (v == Verb::Add)
    return result_f64(x + y);
  else if constexpr (v == Verb::Sub)
    return result_f64(x - y);
  else if constexpr (v == Verb::Mul)
    return result_f64(x * y);
  else if constexpr (v == Verb::Fdiv)
    return result_f64(x / y);
  else if constexpr (v == Verb::Sqrt)
    return result_f64(std::sqrt(x));
  else if constexpr (v == Verb::Exp2)
    return exp2_f64(a);
  else if constexpr (v == Verb::Log2)
    return log2_f64(a);
  else if constexpr (v == Verb::Sin)
    return sin_f64(a);
  else {
    static_assert(v == Verb::Trunc);
    return result_f64(std::trunc(x));
  }
}

/// compute() of what computes(v, t) allows.
template <Verb v, Type t>
uint64_t apply(uint64_t a, uint64_t b, uint64_t c) {
  if constexpr (v == Verb::Where)
    return a != 0 ? b : c;
  else if constexpr (v == Verb::Max)
    return less<t>(a, b) ? b : a;
  else if constexpr (v == Verb::Cmplt)
    return less<t>(a, b);
  else if constexpr (v == Verb::Cmpeq)
    return equal<t>(a, b);
  else if constexpr (v == Verb::Cmpne)
    return !equal<t>(a, b);
  else if constexpr (!info(t).is_float)
    return apply_integer<v, t>(a, b);
  else if constexpr (v == Verb::Neg)
    return a ^ uint64_t { 1 } << (8 * info(t).bytes - 1);
  else if constexpr (t == Type::F64)
    return apply_f64<v>(a, b);
  else
    return narrow<t>(apply_f32<v>(widen<t>(a), widen<t>(b)));
}

/// Towards zero, clamped to the type, NaN as its largest.
template <class Integer>
Integer clamped(double value) {
  using Limits = std::numeric_limits<Integer>;
  constexpr double kEnd = 2.0 * static_cast<double>(uint64_t{1} << (Limits::digits - 1));  // the largest and one
  if (value != value || value >= kEnd) return Limits::max();
  if (value < static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<Integer>(value);
}

/// convert().
template <Type to, Type from>
uint64_t apply_cast(uint64_t bits) {
  constexpr TypeInfo kTo = info(to), kFrom = info(from);
  if constexpr (to == from)
    return bits;
  else if constexpr (kTo.is_float && kFrom.is_float)
    return narrow<to>(widen<from>(bits));
  else if constexpr (kTo.is_float) {
    const auto value = static_cast<IntegerOf<from>>(bits);
    if constexpr (to == Type::F64)
      return std::bit_cast<uint64_t>(static_cast<double>(value));
    else
      return narrow<to>(std::bit_cast<uint32_t>(static_cast<float>(value)));
  } else if constexpr (to == Type::Bool) {
    if constexpr (kFrom.is_float)
      return bits << (65 - 8 * kFrom.bytes) != 0;
    else
      return bits != 0;
  } else if constexpr (kFrom.is_float) {
    using Exact = std::conditional_t<(kTo.bytes < 4), int32_t, IntegerOf<to>>;
    return word_of<to>(static_cast<IntegerOf<to>>(clamped<Exact>(value_of<from>(bits))));
  } else {
    return word_of<to>(static_cast<IntegerOf<to>>(static_cast<IntegerOf<from>>(bits)));
  }
}

}  // namespace kerr::loops
