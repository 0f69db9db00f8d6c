#include "loops/scalar/select.hpp"

#include <stdexcept>

namespace kerr::loops::scalar {
namespace {

using Op = Builder::Op;

// ---- integers of up to 32 bits, and bool

// Counts of 32 and more: `limited` is what a shift by them gives.
Scalar shift_narrow(Builder& b, Verb verb, Type type, RegId value, Scalar count, Type count_type) {
  const bool arithmetic = verb == Verb::Shr && info(type).is_signed;
  const bool left = verb == Verb::Shl;
  if (const auto k = b.known(count.low); k && (!is_wide(count_type) || b.known(count.high))) {
    const uint64_t n = is_wide(count_type) && *b.known(count.high) != 0 ? 64 : *k;
    if (n >= 32) return {arithmetic ? b.shift_right(value, 31, true) : kZero};
    const RegId shifted = left ? b.shift_left(value, static_cast<uint32_t>(n))
                               : b.shift_right(value, static_cast<uint32_t>(n), arithmetic);
    return {left ? b.normal(type, shifted) : shifted};
  }
  RegId n = count.low;
  if (is_wide(count_type)) n = b.or_(n, b.op2(Op::Sub, kZero, b.is_not_zero(count.high)));
  if (arithmetic) return {b.op2(Op::Sra, value, b.op2(Op::Minu, n, b.constant(31)))};
  const RegId fits = b.op2(Op::Sub, kZero, b.less(n, b.constant(32), false));
  const RegId shifted = b.and_(b.op2(left ? Op::Sll : Op::Srl, value, n), fits);
  return {left ? b.normal(type, shifted) : shifted};
}

Scalar compute_narrow(Builder& b, Verb verb, Type type, std::span<const Scalar> in, Type count_type) {
  const bool is_signed = info(type).is_signed;
  const RegId x = in[0].low, y = in.size() > 1 ? in[1].low : kZero;
  switch (verb) {
    case Verb::Add: return {b.normal(type, b.add(x, y))};
    case Verb::Sub: return {b.normal(type, b.sub(x, y))};
    case Verb::Mul: return {b.normal(type, b.mul(x, y))};
    case Verb::Neg: return {b.normal(type, b.op2(Op::Sub, kZero, x))};
    case Verb::Max: return {b.op2(is_signed ? Op::Max : Op::Maxu, x, y)};
    case Verb::Cdiv: return {b.normal(type, b.op2(is_signed ? Op::Div : Op::Divu, x, y))};
    case Verb::Cmod: return {b.normal(type, b.op2(is_signed ? Op::Rem : Op::Remu, x, y))};
    case Verb::Shl:
    case Verb::Shr: return shift_narrow(b, verb, type, x, in[1], count_type);
    case Verb::And: return {b.and_(x, y)};
    case Verb::Or: return {b.or_(x, y)};
    case Verb::Xor: return {b.xor_(x, y)};
    case Verb::Cmplt: return {b.less(x, y, is_signed)};
    case Verb::Cmpne: return {b.is_not_zero(b.xor_(x, y))};
    case Verb::Cmpeq: return {b.is_zero(b.xor_(x, y))};
    default: throw std::logic_error("an operation of floats on integers");
  }
}

// ---- 64 bits

RegId less_wide(Builder& b, Scalar x, Scalar y, bool is_signed) {
  const RegId high = b.less(x.high, y.high, is_signed);
  const RegId same = b.is_zero(b.xor_(x.high, y.high));
  return b.or_(high, b.and_(same, b.less(x.low, y.low, false)));
}
RegId differ_wide(Builder& b, Scalar x, Scalar y) {
  return b.is_not_zero(b.or_(b.xor_(x.low, y.low), b.xor_(x.high, y.high)));
}
Scalar subtract_wide(Builder& b, Scalar x, Scalar y) {
  const RegId low = b.sub(x.low, y.low);
  const RegId borrow = b.less(x.low, y.low, false);
  return {low, b.op2(Op::Sub, b.op2(Op::Sub, x.high, y.high), borrow)};
}

Scalar shift_wide(Builder& b, Verb verb, Type type, Scalar x, Scalar count, Type count_type) {
  const bool arithmetic = info(type).is_signed;
  const auto low = b.known(count.low), high = is_wide(count_type) ? b.known(count.high) : std::optional<uint32_t>(0);
  if (low && high) {
    const uint32_t n = *high != 0 || *low > 63 ? 64 : *low;
    if (n == 0) return x;
    if (verb == Verb::Shl) {
      if (n == 64) return {};
      if (n >= 32) return {kZero, b.shift_left(x.low, n - 32)};
      return {b.shift_left(x.low, n), b.or_(b.shift_left(x.high, n), b.shift_right(x.low, 32 - n, false))};
    }
    const RegId fill = arithmetic ? b.shift_right(x.high, 31, true) : kZero;
    if (n == 64) return {fill, fill};
    if (n >= 32) return {b.shift_right(x.high, n - 32, arithmetic), fill};
    return {b.or_(b.shift_right(x.low, n, false), b.shift_left(x.high, 32 - n)), b.shift_right(x.high, n, arithmetic)};
  }
  const Routine routine = verb == Verb::Shl ? Routine::ShlI64 : arithmetic ? Routine::ShrI64 : Routine::ShrU64;
  // The count is zero-extended from its own type; a negative one is beyond all widths either way.
  return b.call(routine, {x.low, x.high, count.low, is_wide(count_type) ? count.high : kZero}, 2);
}

Scalar compute_wide(Builder& b, Verb verb, Type type, std::span<const Scalar> in, Type count_type) {
  const bool is_signed = info(type).is_signed;
  const Scalar x = in[0], y = in.size() > 1 ? in[1] : Scalar{};
  const auto divide = [&](Routine for_signed, Routine for_unsigned) {
    return b.call(is_signed ? for_signed : for_unsigned, {x.low, x.high, y.low, y.high}, 2);
  };
  switch (verb) {
    case Verb::Add: {
      const RegId low = b.add(x.low, y.low);
      if (low == x.low) return {low, b.add(x.high, y.high)};  // y.low is 0
      if (low == y.low) return {low, b.add(x.high, y.high)};
      return {low, b.add(b.add(x.high, y.high), b.op2(Op::Sltu, low, x.low))};
    }
    case Verb::Sub: return subtract_wide(b, x, y);
    case Verb::Neg: return subtract_wide(b, {}, x);
    case Verb::Mul:
      return {b.mul(x.low, y.low), b.add(b.op2(Op::Mulhu, x.low, y.low), b.add(b.mul(x.low, y.high), b.mul(x.high, y.low)))};
    case Verb::Max: return b.select(less_wide(b, x, y, is_signed), y, x, true);
    case Verb::Cdiv: return divide(Routine::DivI64, Routine::DivU64);
    case Verb::Cmod: return divide(Routine::ModI64, Routine::ModU64);
    case Verb::Shl:
    case Verb::Shr: return shift_wide(b, verb, type, x, y, count_type);
    case Verb::And: return {b.and_(x.low, y.low), b.and_(x.high, y.high)};
    case Verb::Or: return {b.or_(x.low, y.low), b.or_(x.high, y.high)};
    case Verb::Xor: return {b.xor_(x.low, y.low), b.xor_(x.high, y.high)};
    case Verb::Cmplt: return {less_wide(b, x, y, is_signed)};
    case Verb::Cmpne: return {differ_wide(b, x, y)};
    case Verb::Cmpeq: return {b.op1(Op::Xori, differ_wide(b, x, y), 1)};
    case Verb::Threefry: return b.call(Routine::Threefry, {x.low, x.high, y.low, y.high}, 2);
    default: throw std::logic_error("an operation of floats on integers");
  }
}

// ---- floats

RegId widen(Builder& b, Type type, RegId bits) {
  if (type == Type::Bf16) return b.to_float(b.shift_left(bits, 16));
  return b.call(Routine::F16ToF32, {bits}, 1, true).low;
}
RegId narrow(Builder& b, Type type, RegId value) {
  return b.call(type == Type::Bf16 ? Routine::F32ToBf16 : Routine::F32ToF16, {value}, 1).low;
}

RegId compute_single(Builder& b, Verb verb, RegId x, RegId y) {
  const auto by_routine = [&](Routine routine) { return b.call(routine, {x}, 1, true).low; };
  switch (verb) {
    case Verb::Add: return b.float2(Op::FaddS, x, y);
    case Verb::Sub: return b.float2(Op::FsubS, x, y);
    case Verb::Mul: return b.float2(Op::FmulS, x, y);
    case Verb::Neg: return b.float2(Op::FsgnjnS, x, x);
    case Verb::Max: return b.select(b.compare(Op::FltS, x, y), y, x);
    case Verb::Cmplt: return b.compare(Op::FltS, x, y);
    case Verb::Cmpeq: return b.compare(Op::FeqS, x, y);
    case Verb::Cmpne: return b.op1(Op::Xori, b.compare(Op::FeqS, x, y), 1);
    case Verb::Fdiv: return b.call(Routine::DivF32, {x, y}, 1, true).low;
    case Verb::Sqrt: return by_routine(Routine::SqrtF32);
    case Verb::Trunc: return by_routine(Routine::TruncF32);
    case Verb::Exp2: return by_routine(Routine::Exp2F32);
    case Verb::Log2: return by_routine(Routine::Log2F32);
    case Verb::Sin: return by_routine(Routine::SinF32);
    default: throw std::logic_error("an operation of integers on floats");
  }
}

Scalar compute_half(Builder& b, Verb verb, Type type, std::span<const Scalar> in) {
  const RegId x = in[0].low;
  if (verb == Verb::Neg) return {b.xor_(x, b.constant(0x8000))};
  const RegId wide_x = widen(b, type, x);
  const RegId wide_y = in.size() > 1 ? widen(b, type, in[1].low) : kZero;
  if (verb == Verb::Max) return {b.select(b.compare(Op::FltS, wide_x, wide_y), in[1].low, x)};
  const RegId result = compute_single(b, verb, wide_x, wide_y);
  if (operation(verb).kind == OperandKind::Compare) return {result};
  return {narrow(b, type, result)};
}

Scalar compute_double(Builder& b, Verb verb, std::span<const Scalar> in) {
  const Scalar x = in[0], y = in.size() > 1 ? in[1] : Scalar{};
  const auto test = [&](Routine routine) { return b.call(routine, {x.low, x.high, y.low, y.high}, 1).low; };
  switch (verb) {
    case Verb::Neg: return {x.low, b.xor_(x.high, b.constant(0x80000000))};
    case Verb::Max: return b.select(test(Routine::LessF64), y, x, true);
    case Verb::Cmplt: return {test(Routine::LessF64)};
    case Verb::Cmpeq: return {test(Routine::EqualF64)};
    case Verb::Cmpne: return {b.op1(Op::Xori, test(Routine::EqualF64), 1)};
    default: break;
  }
  const Routine routine = arithmetic_routine(verb, Type::F64).value();
  if (in.size() == 1) return b.call(routine, {x.low, x.high}, 2);
  return b.call(routine, {x.low, x.high, y.low, y.high}, 2);
}

// ---- conversions

Scalar to_bool(Builder& b, Type from, Scalar value) {
  switch (from) {
    case Type::F32: return {b.is_not_zero(b.shift_left(b.to_bits(value.low), 1))};
    case Type::F16:
    case Type::Bf16: return {b.is_not_zero(b.and_(value.low, b.constant(0x7FFF)))};
    case Type::F64: return {b.is_not_zero(b.or_(value.low, b.shift_left(value.high, 1)))};
    case Type::I64:
    case Type::U64: return {b.is_not_zero(b.or_(value.low, value.high))};
    default: return {b.is_not_zero(value.low)};
  }
}

Scalar integer_to_integer(Builder& b, Type to, Type from, Scalar value) {
  if (!is_wide(to)) return {b.normal(to, value.low)};
  if (is_wide(from)) return value;
  return {value.low, info(from).is_signed ? b.shift_right(value.low, 31, true) : kZero};
}

RegId integer_to_single(Builder& b, Type from, Scalar value) {
  if (is_wide(from)) {
    return b.call(from == Type::I64 ? Routine::I64ToF32 : Routine::U64ToF32, {value.low, value.high}, 1, true).low;
  }
  const RegId rd = b.make(true);
  b.put(from == Type::U32 ? Op::FcvtSWu : Op::FcvtSW, rd, value.low);
  return rd;
}

Scalar single_to_integer(Builder& b, Type to, RegId value) {
  switch (to) {
    case Type::I64: return b.call(Routine::F32ToI64, {value}, 2);
    case Type::U64: return b.call(Routine::F32ToU64, {value}, 2);
    case Type::U32: return b.call(Routine::F32ToU32, {value}, 1);
    default: return {b.normal(to, b.call(Routine::F32ToI32, {value}, 1).low)};
  }
}

}  // namespace

Scalar compute(Builder& b, Verb verb, Type type, std::span<const Scalar> inputs, Type count_type) {
  if (verb == Verb::Where) return b.select(inputs[0].low, inputs[1], inputs[2], is_wide(type));
  switch (type) {
    case Type::F32: return {compute_single(b, verb, inputs[0].low, inputs.size() > 1 ? inputs[1].low : kZero)};
    case Type::F16:
    case Type::Bf16: return compute_half(b, verb, type, inputs);
    case Type::F64: return compute_double(b, verb, inputs);
    case Type::I64:
    case Type::U64: return compute_wide(b, verb, type, inputs, count_type);
    default: return compute_narrow(b, verb, type, inputs, count_type);
  }
}

Scalar convert(Builder& b, Type to, Type from, Scalar value) {
  if (to == from) return value;
  if (to == Type::Bool) return to_bool(b, from, value);
  if (!info(from).is_float && !info(to).is_float) return integer_to_integer(b, to, from, value);
  if (from == Type::F64) {
    if (to == Type::F16 || to == Type::Bf16) {
      return {narrow(b, to, b.call(Routine::F64ToF32, {value.low, value.high}, 1, true).low)};
    }
    if (const auto routine = conversion_routine(to, from)) {
      return b.call(*routine, {value.low, value.high}, is_wide(to) ? 2 : 1, in_float_file(to));
    }
    return {b.normal(to, b.call(Routine::F64ToI32, {value.low, value.high}, 1).low)};
  }
  if (to == Type::F64) {
    if (info(from).is_float) {
      const RegId single = from == Type::F32 ? value.low : widen(b, from, value.low);
      return b.call(Routine::F32ToF64, {single}, 2);
    }
    if (is_wide(from)) return b.call(from == Type::I64 ? Routine::I64ToF64 : Routine::U64ToF64, {value.low, value.high}, 2);
    return b.call(from == Type::U32 ? Routine::U32ToF64 : Routine::I32ToF64, {value.low}, 2);
  }
  // Through float32, which all others are next to.
  const RegId single = from == Type::F32      ? value.low
                       : info(from).is_float ? widen(b, from, value.low)
                                             : integer_to_single(b, from, value);
  if (to == Type::F32) return {single};
  if (info(to).is_float) return {narrow(b, to, single)};
  return single_to_integer(b, to, single);
}

Scalar bitcast(Builder& b, Type to, Type from, Scalar value) {
  if (in_float_file(from) && !in_float_file(to)) return {b.to_bits(value.low)};
  if (in_float_file(to) && !in_float_file(from)) return {b.to_float(value.low)};
  if (is_wide(to) || in_float_file(to)) return value;
  if (to == Type::Bool) return {b.is_not_zero(value.low)};
  // float16 and bfloat16 are kept like u16.
  const Type as = to == Type::F16 || to == Type::Bf16 ? Type::U16 : to;
  return {b.normal(as, value.low)};
}

Scalar number(Builder& b, Type type, uint64_t bits) {
  if (in_float_file(type)) return {b.float_constant(static_cast<uint32_t>(bits))};
  if (is_wide(type)) return b.constant64(bits);
  const auto low = static_cast<uint32_t>(bits);
  if (type == Type::Bool) return {b.constant(low != 0)};
  return {b.normal(type, b.constant(low))};
}

}  // namespace kerr::loops::scalar
