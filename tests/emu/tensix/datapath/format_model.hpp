// What tensix-datapath.md 11.5, 12.6 and 12.8 say about number formats, written down a second time: in real numbers
// instead of bit patterns, and without the code that it is compared with. All exponents are ordinary here, 255 and 31
// too.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace kerr::emu::format_model {

enum Code : unsigned { F32, F16, B8a, B4a, T32, BF, B8, B4, I32, I16, F8, B2a, I8 = 14, B2 };

/// How a pattern is put together: sign, exponent, mantissa.
struct Shape {
  int exponent_bits, mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int top() const { return (1 << exponent_bits) - 1; }
};
inline constexpr Shape kF32{8, 23}, kT32{8, 10}, kBf{8, 7}, kF16{5, 10}, kE5m2{5, 2}, kE4m3{4, 3};

/// The value of a pattern whose exponent is not 0; with exponent 0 what the bits after it say, with no hidden one.
struct Number {
  bool negative = false;
  int exponent = 0;     // the field; 0: no hidden one
  double fraction = 0;  // [0, 1)
};

inline Number take_apart(uint32_t bits, Shape s) {
  const double unit = std::ldexp(1.0, s.mantissa_bits);
  return {(bits >> (s.exponent_bits + s.mantissa_bits) & 1) != 0,
          static_cast<int>(bits >> s.mantissa_bits & static_cast<unsigned>(s.top())),
          static_cast<double>(bits & ((1u << s.mantissa_bits) - 1)) / unit};
}

/// The other way, cutting off what the mantissa does not hold.
inline uint32_t put_together(Number n, Shape s) {
  const auto mantissa = static_cast<uint32_t>(std::floor(std::ldexp(n.fraction, s.mantissa_bits)));
  return (n.negative ? 1u << (s.exponent_bits + s.mantissa_bits) : 0) |
         static_cast<uint32_t>(n.exponent) << s.mantissa_bits | mantissa;
}

/// To another exponent: below its range a zero of the sign, above it all ones. Exponent 0 keeps its mantissa.
inline uint32_t convert(Number n, Shape from, Shape to) {
  n.exponent += to.bias() - from.bias();
  if (n.exponent < 0) return put_together({n.negative, 0, 0}, to);
  if (n.exponent > to.top()) return put_together({n.negative, to.top(), 1 - std::ldexp(1.0, -to.mantissa_bits)}, to);
  return put_together(n, to);
}

/// Half away from zero to `bits` of mantissa, in the shape's own width.
inline Number round(Number n, int bits) {
  n.fraction = std::ldexp(std::floor(std::ldexp(n.fraction, bits) + 0.5), -bits);
  if (n.fraction >= 1) n.fraction = 0, ++n.exponent;
  return n;
}

/// NaN to infinity, rounding, then everything without a hidden one to +0.
inline Number clean(Number n, Shape s, int bits) {
  if (s.exponent_bits == 8 && n.exponent == s.top()) n.fraction = 0;
  n = round(n, bits);
  return n.exponent == 0 ? Number{} : n;
}

// ---------------------------------------------------------------- unpackers

/// Into a 19-bit cell (sign, 8 exponent bits, 10 mantissa bits), of a datum whose shared exponent is `shared`.
inline uint32_t cell_of(unsigned in, unsigned out, uint32_t datum, unsigned shared, bool e4m3, bool is_unsigned) {
  const auto narrow = [&](int bits, bool five) {
    const bool negative = (datum >> (bits - 1) & 1) != 0;
    const double magnitude = std::ldexp(static_cast<double>(datum & ((1u << (bits - 1)) - 1)), 7 - (bits - 1)) / 64;
    const Shape s = five ? kF16 : kBf;
    if (magnitude == 0) return put_together(negative ? Number{true, s.top(), 0} : Number{}, s);
    const int down = -static_cast<int>(std::floor(std::log2(magnitude)));
    const int mask = s.top();
    return put_together({negative, (static_cast<int>(shared) - down) & mask, std::ldexp(magnitude, down) - 1}, s);
  };
  const auto from_bf = [](uint32_t v) { return v << 3; };
  const auto from_f16 = [](uint32_t v) { return (v >> 15) << 18 | (v & 0x7FFF); };
  switch (in) {
    case F32: {
      const Number n = take_apart(datum, kF32);
      if (out == T32) return put_together(n, kT32);
      if (out == F16) return from_f16(convert(n, kF32, kF16));
      return from_bf(n.exponent == 0 ? put_together({n.negative, 0, 0}, kBf) : put_together(n, kBf));
    }
    case BF: return from_bf(datum);
    case F16: return from_f16(datum);
    case B8: return from_bf(narrow(8, false));
    case B4: return from_bf(narrow(4, false));
    case B2: return from_bf(narrow(2, false));
    case B8a: return from_f16(narrow(8, true));
    case B4a: return from_f16(narrow(4, true));
    case B2a: return from_f16(narrow(2, true));
    case F8: {
      const Shape s = e4m3 ? kE4m3 : kE5m2;
      const Number n = take_apart(datum, s);
      uint32_t v = put_together({n.negative, n.exponent == 0 ? 0 : n.exponent + 15 - s.bias(), n.fraction}, kF16);
      if ((datum & 0x7F) == 0x7F) v |= e4m3 ? 0x7F : 0xFF;  // the largest stays the largest
      return from_f16(v);
    }
    case I8: {
      const uint32_t magnitude = is_unsigned ? datum : datum & 0x7F;
      return (!is_unsigned && datum >> 7 ? 1u << 18 : 0) | (magnitude ? 16u << 10 : 0) | magnitude;
    }
    case I16:  // s, mantissa bits 9..3 = bits 15..8; exponent field = bits 7..0
      return (datum >> 15) << 18 | (datum & 0xFF) << 10 | (datum >> 8 & 0x7F) << 3;
    default: return ~0u;
  }
}

inline bool unpacks_to_src(unsigned in, unsigned out) {
  if (in == F32) return out == T32 || out == BF || out == F16;
  if (in == BF || in == B8 || in == B4 || in == B2) return out == in || out == BF || out == T32;
  if (in == F8 || in == B8a || in == B4a || in == B2a) return out == in || out == F16;
  return out == in && (in == F16 || in == I8 || in == I16);
}
inline bool unpacks_to_dst(unsigned in, unsigned out) {
  if (in == F32 || in == T32) return out == F32 || out == T32 || (in == F32 && (out == BF || out == F16));
  if (in == I32) return out == I32;
  return out != T32 && unpacks_to_src(in, out);
}

// ---------------------------------------------------------------- packer

/// Where a datum stands between the two conversions of the packer.
struct Middle {
  enum Kind { Float32, Float19, Float16e8, Float16e5, Float8, Bits32, Bits16, Bits8 } kind;
  uint32_t bits;
};

struct Path {
  bool wide, raw, ten, late_tf32, is_unsigned, e4m3;
  unsigned intermediate, out;
};

/// 12.6, for a decoded datum (and the stored bits, for what is not decoded).
inline std::optional<Middle> early(const Path& p, uint32_t value, uint32_t stored) {
  const bool plain = !p.raw && !p.ten;
  if (p.late_tf32 && !(p.intermediate == BF && p.ten && !p.raw && p.out == F16)) return {};
  const auto tf32 = [](Number n) { return Middle{Middle::Float19, put_together(clean(n, kF32, 10), kT32)}; };
  if (p.wide) {
    const Number n = take_apart(value, kF32);
    switch (p.intermediate) {
      case F32: return p.ten && !p.raw ? tf32(n) : Middle{Middle::Float32, value};
      case F16:
        if (p.ten && !p.raw && (p.out == F16 || p.out == F8)) return tf32(n);
        return {};
      case T32: return p.raw ? Middle{Middle::Float32, value} : tf32(n);
      case BF:
        if (p.ten) return p.late_tf32 ? std::optional(tf32(n)) : std::nullopt;
        return Middle{Middle::Float16e8, put_together(p.raw ? n : clean(n, kF32, 7), kBf)};
      case B8: {
        if (p.ten) return {};
        if (p.raw) return Middle{Middle::Float16e8, put_together(n, kBf)};
        Number cut = n;  // rounded from the upper half
        cut.fraction = std::floor(std::ldexp(n.fraction, 7)) / 128;
        return Middle{Middle::Float16e8, put_together(clean(cut, kF32, 6), kBf)};
      }
      case I32: return Middle{Middle::Bits32, value};
      case I16: return plain ? std::optional(Middle{Middle::Bits16, stored >> 16}) : std::nullopt;
      case I8: {
        if (p.ten) return {};
        const uint32_t sign = value >> 31, m = value & 0x7FFFFFFF;
        if (p.raw) return Middle{Middle::Bits8, p.is_unsigned ? value & 0xFF : sign << 7 | (value & 0x7F)};
        if (p.is_unsigned) return Middle{Middle::Bits8, sign ? 0 : m > 255 ? 255 : m};
        return Middle{Middle::Bits8, sign << 7 | (m > 127 ? 127 : m)};
      }
      default: return {};
    }
  }
  const Number bf = take_apart(value, kBf), half = take_apart(value, kF16);  // `value` is decoded as either
  switch (p.intermediate) {
    case F32:
      if (p.ten && !p.raw) return Middle{Middle::Float19, put_together(clean(bf, kBf, 7), kT32)};
      return {};
    case T32:
      if (p.raw) return {};
      return Middle{Middle::Float19, put_together(clean(bf, kBf, 7), kT32)};
    case F16:
      if (p.ten) {
        if (p.raw || p.out != F8) return {};
        return Middle{Middle::Float16e5, convert(bf, kBf, kF16)};
      }
      if (p.raw) return Middle{Middle::Float16e5, value};
      return Middle{Middle::Float16e5, half.exponent == 0 ? 0 : value};
    case B8a: {
      if (p.ten) return {};
      if (p.raw) return Middle{Middle::Float16e5, value & 0xFFF8};
      Number r = round(half, 6);
      if (r.exponent > 31) r = {half.negative, 31, 63.0 / 64};
      return Middle{Middle::Float16e5, r.exponent == 0 ? 0 : put_together(r, kF16)};
    }
    case BF:
      if (p.ten) {
        if (!p.late_tf32) return {};
        return Middle{Middle::Float19, put_together(clean(bf, kBf, 7), kT32)};
      }
      return Middle{Middle::Float16e8, p.raw ? value : put_together(clean(bf, kBf, 7), kBf)};
    case B8: {
      if (p.ten) return {};
      if (p.raw) return Middle{Middle::Float16e8, value};
      const Number flushed = clean(bf, kBf, 7);  // flushed before it is rounded
      return Middle{Middle::Float16e8, flushed.exponent == 0 ? 0 : put_together(clean(flushed, kBf, 6), kBf)};
    }
    case I16: return p.ten ? std::nullopt : std::optional(Middle{Middle::Bits16, stored});
    case F8: return p.raw && !p.ten ? std::optional(Middle{Middle::Float8, value >> 8}) : std::nullopt;
    case I8:
      if (p.raw && !p.ten && !p.is_unsigned) return Middle{Middle::Bits8, (stored >> 15) << 7};
      return {};
    default: return {};
  }
}

/// 12.8: a whole datum, or the BF16 or FP16 pattern that goes into a block float.
inline std::optional<uint32_t> late(const Path& p, Middle m) {
  switch (m.kind) {
    case Middle::Bits32: return p.out == I32 ? std::optional(m.bits) : std::nullopt;
    case Middle::Bits16: return p.out == I16 ? std::optional(m.bits) : std::nullopt;
    case Middle::Bits8: return p.out == I8 ? std::optional(m.bits) : std::nullopt;
    default: break;
  }
  if (p.out == I32 || p.out == I16 || p.out == I8) return {};
  if (m.kind == Middle::Float32 && p.out == T32) return {};
  if (m.kind == Middle::Float8 && p.e4m3) return {};

  if (m.kind == Middle::Float8 && p.out == F8) return m.bits;
  if (m.kind == Middle::Float8) m = {Middle::Float16e5, m.bits << 8};
  const bool five = m.kind == Middle::Float16e5;
  const Shape shape = five ? kF16 : m.kind == Middle::Float32 ? kF32 : m.kind == Middle::Float19 ? kT32 : kBf;
  const Number n = take_apart(m.bits, shape);
  const uint32_t half = five ? m.bits : convert(n, shape, kF16);
  switch (p.out) {
    case F32:
    case T32:
      if (!five) return put_together(n, kF32);
      return put_together({n.negative, n.exponent ? n.exponent + 112 : 0, n.fraction}, kF32);
    case BF:
    case B8:
    case B4:
    case B2:
      if (m.kind == Middle::Float16e8) return m.bits;
      if (n.exponent == 0) return 0;
      return put_together({n.negative, n.exponent + (five ? 112 : 0), n.fraction}, kBf);
    case F16: return half;
    case F8: {
      Number h = take_apart(half, kF16);
      if (five && h.exponent == 0) h.fraction = 0;
      if (!p.e4m3) return put_together(h, kE5m2);
      if (h.exponent <= 8) return put_together({h.negative, 0, 0}, kE4m3);
      return convert(h, kF16, kE4m3);
    }
    default: {  // the 5-bit family of block floats takes seven bits of mantissa
      if (five && p.intermediate == F16 && n.exponent == 0) return 0;
      return half & ~7u;
    }
  }
}

/// The magnitude of one of sixteen datums behind the largest exponent `shared`, and its sign above it.
inline uint32_t in_block(unsigned out, uint32_t pattern, int shared) {
  const bool five = out == B8a || out == B4a || out == B2a;
  const int bits = out == B8 || out == B8a ? 8 : out == B4 || out == B4a ? 4 : 2;
  const Number n = take_apart(pattern, five ? kF16 : kBf);
  const double one = std::floor(std::ldexp(n.fraction, 7)) / 128 + (n.exponent ? 1 : 0);
  double magnitude = std::floor(std::ldexp(one, 6 - (shared - n.exponent)) + 0.5);
  if (shared - n.exponent >= 8) magnitude = 0;
  if (magnitude > 127) magnitude = 127;
  const auto kept = static_cast<uint32_t>(std::floor(std::ldexp(magnitude, bits - 8)));
  return kept == 0 ? 0 : (n.negative ? 1u << (bits - 1) : 0) | kept;
}

}  // namespace kerr::emu::format_model
