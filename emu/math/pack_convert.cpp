#include "emu/math/pack_convert.hpp"

#include <algorithm>

#include "emu/math/unpack_convert.hpp"

namespace kerr::emu::math {
namespace {

constexpr Format kE5M6 = Format::Bfp8a, kE8M6 = Format::Bfp8;  // what these mean between the stages

// Which conversions the flags select: 12.6. Rows with Read_int8 and those to TF32, E5M7, FP8 and the sign are known
// from documents only; the others agree with the reference simulator.
Early early_of(const PackFormat& f) {
  if (f.from_l1) {
    if (f.late_tf32) return Early::Unknown;
    switch (f.intermediate) {
      case Format::Fp32:
      case Format::Fp16:
      case Format::Bf16:
      case Format::Int32:
      case Format::Int16:
      case Format::Fp8:
      case Format::Int8: return Early::KeepDatum;
      case kE5M6:
      case kE8M6: return Early::SignAndMantissa;
      default: return Early::Unknown;
    }
  }
  const bool raw = f.read_raw, ten = f.round_10b_mantissa, wide = f.read_32b;
  const bool to_fp16_by_tf32 = f.late_tf32 && f.out == Format::Fp16;
  if (f.late_tf32 && !(f.intermediate == Format::Bf16 && ten && to_fp16_by_tf32 && !raw)) return Early::Unknown;
  if (wide) {
    switch (f.intermediate) {
      case Format::Fp32: return ten && !raw ? Early::RoundTf32 : Early::Keep32;
      case Format::Fp16:
        return ten && !raw && (f.out == Format::Fp16 || f.out == Format::Fp8) ? Early::RoundTf32 : Early::Unknown;
      case Format::Tf32: return raw ? Early::Keep32 : Early::RoundTf32;
      case Format::Bf16:
        if (ten) return to_fp16_by_tf32 ? Early::RoundTf32 : Early::Unknown;
        return raw ? Early::TruncateBf16 : Early::RoundBf16;
      case kE8M6: return ten ? Early::Unknown : raw ? Early::TruncateBf16 : Early::RoundE8M6;
      case Format::Int32: return Early::Keep32;
      case Format::Int16: return ten || raw ? Early::Unknown : Early::HighHalf;
      case Format::Int8: return ten ? Early::Unknown : raw ? Early::LowBitsInt8 : Early::SaturateInt8;
      default: return Early::Unknown;
    }
  }
  switch (f.intermediate) {
    case Format::Fp32: return ten && !raw ? Early::Bf16AsTf32 : Early::Unknown;
    case Format::Fp16:
      if (ten) return !raw && f.out == Format::Fp8 ? Early::Bf16AsFp16 : Early::Unknown;
      return raw ? Early::KeepFp16 : Early::CleanFp16;
    case kE5M6: return ten ? Early::Unknown : raw ? Early::TruncateE5M7 : Early::RoundE5M6;
    case Format::Tf32: return raw ? Early::Unknown : Early::Bf16AsTf32;
    case Format::Bf16:
      if (ten) return to_fp16_by_tf32 ? Early::Bf16AsTf32 : Early::Unknown;
      return raw ? Early::KeepBf16 : Early::CleanBf16;
    case kE8M6: return ten ? Early::Unknown : raw ? Early::KeepBf16 : Early::CleanE8M6;
    case Format::Int16: return ten ? Early::Unknown : Early::Keep16;
    case Format::Fp8: return raw && !ten ? Early::TruncateFp8 : Early::Unknown;
    case Format::Int8: return raw && !ten && !f.read_unsigned ? Early::SignInt8 : Early::Unknown;
    default: return Early::Unknown;
  }
}

Middle middle_of_l1(Format intermediate) {
  switch (intermediate) {
    case Format::Bf16:
    case Format::Bfp8: return Middle::Bf16;
    case Format::Fp16:
    case Format::Bfp8a: return Middle::Fp16;
    case Format::Fp8: return Middle::Fp8;
    case Format::Int32: return Middle::Int32;
    case Format::Int16: return Middle::Int16;
    case Format::Int8: return Middle::Int8;
    default: return Middle::Fp32;
  }
}

Middle middle_of(const PackFormat& f, Early early) {
  switch (early) {
    case Early::RoundTf32:
    case Early::Bf16AsTf32: return Middle::Tf32;
    case Early::RoundBf16:
    case Early::TruncateBf16:
    case Early::RoundE8M6:
    case Early::CleanBf16:
    case Early::KeepBf16:
    case Early::CleanE8M6: return Middle::Bf16;
    case Early::Bf16AsFp16:
    case Early::CleanFp16:
    case Early::KeepFp16:
    case Early::TruncateE5M7:
    case Early::RoundE5M6: return Middle::Fp16;
    case Early::TruncateFp8: return Middle::Fp8;
    case Early::SaturateInt8:
    case Early::LowBitsInt8:
    case Early::SignInt8: return Middle::Int8;
    case Early::HighHalf:
    case Early::Keep16: return Middle::Int16;
    case Early::KeepDatum:
    case Early::SignAndMantissa: return middle_of_l1(f.intermediate);
    case Early::Keep32:
    case Early::Unknown: break;
  }
  return f.intermediate == Format::Int32 ? Middle::Int32 : Middle::Fp32;
}

const char* late_refusal(const PackFormat& f, Middle middle) {
  if (!is_named(f.out)) return "data format codes 12 and 13 are reserved";
  switch (middle) {
    case Middle::Int32: return f.out == Format::Int32 ? nullptr : "INT32 packs to INT32 only";
    case Middle::Int16: return f.out == Format::Int16 ? nullptr : "INT16 packs to INT16 only";
    case Middle::Int8: return f.out == Format::Int8 ? nullptr : "INT8 packs to INT8 only";
    case Middle::Fp32:
      if (f.out == Format::Tf32) return "FP32 becomes TF32 in the early conversion only (intermediate format TF32)";
      break;
    case Middle::Fp8:
      if (f.fp8_e4m3) return "no document says what e4m3 (Pac_LF8_4b_exp) makes of FP8 as the intermediate format";
      break;
    default: break;
  }
  if (f.out == Format::Int32 || f.out == Format::Int16 || f.out == Format::Int8)
    return "floating-point intermediate formats do not pack to integers";
  return nullptr;
}

// NaN becomes an infinity of its sign.
uint32_t without_nan(uint32_t v) { return (v & 0x7FFFFFFF) > 0x7F800000 ? (v & 0x80000000) | 0x7F800000 : v; }

uint32_t flush_below(uint32_t v, uint32_t magnitude_mask, uint32_t smallest) {
  return (v & magnitude_mask) < smallest ? 0 : v;
}

uint32_t clean_bf16(uint32_t v) { return flush_below((v & 0x7FFF) > 0x7F80 ? (v & 0x8000) | 0x7F80 : v, 0x7FFF, 0x80); }

// 8-bit exponent to the 5-bit family: sign, exponent and ten mantissa bits.
uint32_t fp16_of(bool negative, int exponent, unsigned mantissa) {
  const uint32_t sign = negative ? 0x8000 : 0;
  const int e = exponent - 112;
  if (e < 0) return sign;
  if (e > 31) return sign | 0x7FFF;
  return sign | static_cast<uint32_t>(e) << 10 | mantissa;
}

uint32_t bf16_of_fp16(uint32_t v) {
  const uint32_t e = v >> 10 & 31;
  return e ? (v & 0x8000) | (e + 112) << 7 | (v >> 3 & 0x7F) : 0;
}

uint32_t fp8_of_fp16(uint32_t v, bool e4m3) {
  if (!e4m3) return v >> 8;
  const uint32_t sign = v >> 8 & 0x80;
  const uint32_t e = v >> 10 & 31;
  if (e <= 8) return sign;
  if (e >= 24) return sign | 0x7F;
  return sign | (e - 8) << 3 | (v >> 7 & 7);
}

// Sign-magnitude 32 to INT8: shifted with rounding half away from zero, then saturated.
uint32_t int8_of(uint32_t v, bool is_unsigned, unsigned shift) {
  uint64_t magnitude = v & 0x7FFFFFFF;
  if (shift != 0) magnitude = (magnitude + (uint64_t{1} << (shift - 1))) >> shift;
  if (is_unsigned) return v >> 31 ? 0 : static_cast<uint32_t>(std::min<uint64_t>(magnitude, 255));
  return (v >> 31 << 7) + static_cast<uint32_t>(std::min<uint64_t>(magnitude, 127));
}

// All floating-point Middles in the three forms that the late conversion starts from.
uint32_t as_fp32(Middle m, uint32_t v) {
  switch (m) {
    case Middle::Tf32: return fp32_from_cell(v);
    case Middle::Bf16: return v << 16;
    case Middle::Fp16: {  // a denormal keeps its bits and loses its value
      const uint32_t e = v >> 10 & 31;
      return (v & 0x8000) << 16 | (e ? (e + 112) << 23 : 0) | (v & 0x3FF) << 13;
    }
    case Middle::Fp8: return as_fp32(Middle::Fp16, v << 8);
    default: return v;
  }
}

uint32_t as_bf16(Middle m, uint32_t v) {
  switch (m) {
    case Middle::Bf16: return v;
    case Middle::Fp16: return bf16_of_fp16(v);
    case Middle::Fp8: return bf16_of_fp16(v << 8);
    default: return flush_below(as_fp32(m, v) >> 16, 0x7FFF, 0x80);  // narrowing flushes denormals
  }
}

uint32_t as_fp16(Middle m, uint32_t v) {
  switch (m) {
    case Middle::Fp16: return v;
    case Middle::Fp8: return v << 8;
    default: return truncate_to_fp16(as_fp32(m, v));
  }
}

// Five exponent and seven mantissa bits, in the bits of FP16.
uint32_t as_e5m7(Middle m, Format intermediate, uint32_t v) {
  if (m == Middle::Fp16 && intermediate == Format::Fp16 && (v >> 10 & 31) == 0) return 0;
  return as_fp16(m, v) & ~7u;
}

}  // namespace

const char* pack_refusal(const PackFormat& f) {
  const Early early = early_of(f);
  if (early == Early::Unknown) {
    if (f.from_l1) return "no document has datums of L1 become this intermediate format";
    if (f.read_32b && f.intermediate == Format::Fp16 && !f.round_10b_mantissa)
      return "FP16 from a 32-bit Dst is known with Round_10b_mant only";
    if (f.round_10b_mantissa) return "Round_10b_mant has no known effect on this conversion";
    return "no known conversion from this Dst width to this intermediate format";
  }
  const Middle middle = middle_of(f, early);
  if (const char* why = late_refusal(f, middle)) return why;
  if (f.relu_mode > 3) return "ApplyRelu has modes 0 to 3";
  if (f.relu_mode > 1 && middle >= Middle::Int32) return "ReLU with a threshold on integers has no known result";
  if (f.relu_mode == 1 && middle == Middle::Int8 && f.read_unsigned) return "ReLU on UINT8 has no known result";
  if (f.relu_mode > 1 && f.relu_threshold & 0x8000) return "the ReLU threshold must not be negative";
  if (f.relu_mode == 3 && middle == Middle::Fp8 && f.relu_threshold & 0xFF)
    return "a ReLU threshold that FP8 does not hold has no known result";
  return nullptr;
}

PackPath::PackPath(const PackFormat& f) : f_(f), early_(early_of(f)), middle_(middle_of(f, early_)) {}

uint32_t PackPath::early(uint32_t raw) const {
  const uint32_t v = f_.read_32b ? decode_32(raw) : raw & 0xFFFF;
  const uint32_t bf16 = decode_bf16(static_cast<uint16_t>(raw));
  const uint32_t fp16 = decode_fp16(static_cast<uint16_t>(raw));
  switch (early_) {
    case Early::Unknown: break;
    case Early::Keep32: return v;
    case Early::RoundTf32: return flush_below((without_nan(v) + 0x1000) >> 13, 0x3FFFF, 0x400);
    case Early::RoundBf16: return flush_below((without_nan(v) + 0x8000) >> 16, 0x7FFF, 0x80);
    case Early::TruncateBf16: return v >> 16;
    case Early::RoundE8M6: return flush_below(((without_nan(v) >> 16) + 1) & ~1u, 0x7FFF, 0x80);
    case Early::SaturateInt8: return int8_of(v, f_.read_unsigned, f_.int_shift);
    case Early::LowBitsInt8: return f_.read_unsigned ? v & 0xFF : (v >> 31 << 7) | (v & 0x7F);
    case Early::HighHalf: return raw >> 16;
    case Early::Keep16: return v;
    case Early::CleanBf16: return clean_bf16(bf16);
    case Early::KeepBf16: return bf16;
    case Early::CleanE8M6: return (clean_bf16(bf16) + 1) & ~1u;
    case Early::Bf16AsTf32: return clean_bf16(bf16) << 3;
    case Early::Bf16AsFp16: return fp16_of(bf16 >> 15, static_cast<int>(bf16 >> 7 & 0xFF), (bf16 & 0x7F) << 3);
    case Early::CleanFp16: return flush_below(fp16, 0x7FFF, 0x400);
    case Early::KeepFp16: return fp16;
    case Early::TruncateE5M7: return fp16 & ~7u;
    case Early::RoundE5M6: {
      const uint32_t rounded = (fp16 & 0x7FFF) > 0x7FF7 ? (fp16 & 0x8000) | 0x7FF0 : (fp16 + 8) & ~15u;
      return flush_below(rounded, 0x7FFF, 0x400);
    }
    case Early::TruncateFp8: return fp16 >> 8;
    case Early::SignInt8: return v >> 15 << 7;
    case Early::KeepDatum: return raw;
    case Early::SignAndMantissa: return (raw & 0x80) << 8 | (raw & 0x7F) << (f_.intermediate == Format::Bfp8a ? 3 : 0);
  }
  return 0;
}

// Non-negative patterns order like integers, so everything compares as integers. 12.7
uint32_t PackPath::relu(uint32_t v) const {
  if (f_.relu_mode == 0) return v;
  uint32_t sign_bit = 0x8000, threshold = f_.relu_threshold;
  switch (middle_) {
    case Middle::Fp32:
      sign_bit = 0x80000000, threshold <<= 16;
      // The clamp compares without the low 13 bits, so a value just above the threshold passes.
      if (f_.relu_mode == 3 && !(v & sign_bit)) return v >> 13 > threshold >> 13 ? threshold : v;
      break;
    case Middle::Tf32: sign_bit = kCellSign, threshold <<= 3; break;
    case Middle::Int32: sign_bit = 0x80000000; break;
    case Middle::Fp8:  // compared as FP16
      if (f_.relu_mode == 2 && !(v & 0x80) && v << 8 <= threshold) return 0;
      sign_bit = 0x80, threshold >>= 8;
      if (f_.relu_mode == 2) return v & sign_bit ? 0 : v;
      break;
    case Middle::Int8: sign_bit = 0x80; break;
    default: break;
  }
  if (v & sign_bit) return 0;
  if (f_.relu_mode == 2 && v <= threshold) return 0;
  if (f_.relu_mode == 3 && v > threshold) return threshold;
  return v;
}

unsigned PackPath::exponent(uint32_t v) const {
  switch (middle_) {
    case Middle::Fp32:
    case Middle::Int32: return v >> 23 & 0xFF;
    case Middle::Tf32:
      if (f_.intermediate == Format::Fp16) return as_fp16(middle_, v) >> 10 & 31;
      return v >> 10 & 0xFF;
    case Middle::Bf16: return v >> 7 & 0xFF;
    case Middle::Fp16: return v >> 10 & 31;
    case Middle::Fp8: return v >> 2 & 31;
    case Middle::Int16: return v & 0xFF;
    case Middle::Int8: break;
  }
  return 0;
}

uint32_t PackPath::minus_infinity() const {
  switch (middle_) {
    case Middle::Fp32: return 0xFF800000;
    case Middle::Tf32: return cell_from_fp32(0xFF800000);
    case Middle::Bf16: return 0xFF80;
    // The 5-bit family has no infinity of its own: its largest number takes that meaning.
    case Middle::Fp16: return early_ == Early::RoundE5M6 ? 0xFFF0 : early_ == Early::TruncateE5M7 ? 0xFFF8 : 0xFFFF;
    case Middle::Fp8: return 0xFF;
    default: return 0;
  }
}

uint32_t PackPath::late(uint32_t v) const {
  switch (f_.out) {
    case Format::Fp32:
    case Format::Tf32: return as_fp32(middle_, v);
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2: return as_bf16(middle_, v);
    case Format::Fp16: return as_fp16(middle_, v);
    case Format::Fp8:
      if (middle_ == Middle::Fp8) return v;
      if (middle_ == Middle::Fp16 && (v >> 10 & 31) == 0) v &= 0x8000;  // narrowing flushes denormals
      return fp8_of_fp16(as_fp16(middle_, v), f_.fp8_e4m3);
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a: return as_e5m7(middle_, f_.intermediate, v);
    default: return v;
  }
}

uint8_t assemble_bfp(Format out, const uint32_t* patterns, uint8_t* data) {
  const unsigned bits = datum_bits(out);
  const bool five = style_of(out) == Style::Fp16;
  unsigned e[16], m[16], exponent = 0;
  for (unsigned j = 0; j < 16; ++j) {
    e[j] = five ? patterns[j] >> 10 & 31 : patterns[j] >> 7 & 0xFF;
    m[j] = (five ? patterns[j] >> 3 & 0x7F : patterns[j] & 0x7F) | (e[j] ? 0x80 : 0);
    exponent = std::max(exponent, e[j]);
  }
  std::fill_n(data, 2 * bits, uint8_t{0});
  for (unsigned j = 0; j < 16; ++j) {
    const unsigned k = exponent - e[j];
    // Seven bits, half up, saturating instead of bumping the exponent; then truncated.
    const unsigned magnitude = (k >= 8 ? 0 : std::min((m[j] + (1u << k)) >> (k + 1), 127u)) >> (8 - bits);
    const unsigned datum = magnitude ? (patterns[j] >> 15 & 1) << (bits - 1) | magnitude : 0;
    data[j * bits / 8] = static_cast<uint8_t>(data[j * bits / 8] | datum << (j * bits % 8));
  }
  return static_cast<uint8_t>(exponent);
}

}  // namespace kerr::emu::math
