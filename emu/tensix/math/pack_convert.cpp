#include "emu/tensix/math/pack_convert.hpp"

#include <algorithm>
#include <iterator>

#include "emu/tensix/math/unpack_convert.hpp"

namespace kerr::emu::math {
namespace {

constexpr unsigned kE5M6 = 2, kE8M6 = 6;

struct Path {
  bool read_32b;
  unsigned intermediate, out;
};

constexpr Path kPaths[] = {
    {false, 1, 0},     {false, 1, 1},     {false, 1, 5}, {false, 1, 10}, {false, kE5M6, 6}, {false, 5, 0},
    {false, 5, 5},     {false, 5, 6},     {false, 5, 7}, {false, 5, 15}, {false, kE8M6, 0}, {false, kE8M6, 5},
    {false, kE8M6, 6}, {false, kE8M6, 7}, {false, 9, 9}, {true, 0, 0},   {true, 0, 1},      {true, 0, 6},
    {true, 0, 7},      {true, 0, 15},     {true, 1, 1},  {true, 1, 10},  {true, 5, 5},      {true, kE8M6, 6},
    {true, kE8M6, 7},  {true, 8, 8},      {true, 9, 9},  {true, 14, 14},
};

// NaN becomes an infinity of its sign.
std::uint32_t without_nan(std::uint32_t v) { return (v & 0x7FFFFFFF) > 0x7F800000 ? (v & 0x80000000) | 0x7F800000 : v; }

std::uint32_t flush_below(std::uint32_t v, std::uint32_t magnitude_mask, std::uint32_t smallest) {
  return (v & magnitude_mask) < smallest ? 0 : v;
}

// 8-bit exponent to the 5-bit family: sign, exponent and ten mantissa bits.
std::uint32_t fp16_of(bool negative, int exponent, unsigned mantissa) {
  const std::uint32_t sign = negative ? 0x8000 : 0;
  const int e = exponent - 112;
  if (e < 0) return sign;
  if (e > 31) return sign | 0x7FFF;
  return sign | static_cast<std::uint32_t>(e) << 10 | mantissa;
}

std::uint32_t bf16_of_fp16(std::uint32_t v) {
  const std::uint32_t e = v >> 10 & 31;
  return e ? (v & 0x8000) | (e + 112) << 7 | (v >> 3 & 0x7F) : 0;
}

std::uint32_t fp8_of_fp16(std::uint32_t v, bool e4m3) {
  if (!e4m3) return v >> 8;
  const std::uint32_t sign = v >> 8 & 0x80;
  const std::uint32_t e = v >> 10 & 31;
  if (e <= 8) return sign;
  if (e >= 24) return sign | 0x7F;
  return sign | (e - 8) << 3 | (v >> 7 & 7);
}

// ReLU on a pattern whose sign bit and order are those of `sign_bit`'s width; non-negative patterns order like
// integers.
std::uint32_t relu(const PackFormat& f, std::uint32_t v, std::uint32_t sign_bit, std::uint32_t threshold) {
  if (f.relu_mode == 0) return v;
  if (v & sign_bit) return 0;
  if (f.relu_mode == 2 && v <= threshold) return 0;
  if (f.relu_mode == 3 && v > threshold) return threshold;
  return v;
}

std::uint32_t relu_fp32(const PackFormat& f, std::uint32_t v) {
  const std::uint32_t threshold = static_cast<std::uint32_t>(f.relu_threshold) << 16;
  // The clamp compares without the low 13 bits, so a value just above the threshold passes.
  if (f.relu_mode == 3 && !(v >> 31)) return v >> 13 > threshold >> 13 ? threshold : v;
  return relu(f, v, 0x80000000, threshold);
}

std::uint32_t relu_16(const PackFormat& f, std::uint32_t v) { return relu(f, v, 0x8000, f.relu_threshold); }

// Sign-magnitude 32 to INT8, saturating.
std::uint32_t int8_of(std::uint32_t v, bool is_unsigned) {
  const std::uint32_t magnitude = v & 0x7FFFFFFF;
  if (is_unsigned) return v >> 31 ? 0 : std::min(magnitude, 255u);
  return (v >> 31 << 7) + std::min(magnitude, 127u);
}

inline std::uint32_t from_wide_dst(const PackFormat& f, std::uint32_t raw) {
  const std::uint32_t v = decode_32(raw);
  switch (code_of(f.intermediate)) {
    case 0: return relu_fp32(f, v);
    case 8: return relu(f, v, 0x80000000, 0);
    case 5: return relu_16(f, flush_below((without_nan(v) + 0x8000) >> 16, 0x7FFF, 0x80));
    case kE8M6: return relu_16(f, flush_below(((without_nan(v) >> 16) + 1) & ~1u, 0x7FFF, 0x80));
    case 1: {  // rounded to TF32, clamped there, then narrowed
      std::uint32_t t = flush_below((without_nan(v) + 0x1000) >> 13, 0x3FFFF, 0x400);
      t = relu(f, t, kCellSign, static_cast<std::uint32_t>(f.relu_threshold) << 3);
      return fp16_of(cell_negative(t), static_cast<int>(cell_exponent(t)), cell_mantissa(t));
    }
    case 14: return int8_of(v, f.read_unsigned);
    default: return raw >> 16;  // 9: the high half as stored
  }
}

inline std::uint32_t from_narrow_dst(const PackFormat& f, std::uint32_t raw) {
  const std::uint16_t cell = static_cast<std::uint16_t>(raw);
  const std::uint32_t bf16 = decode_bf16(cell);
  const std::uint32_t clean_bf16 =
      flush_below((bf16 & 0x7FFF) > 0x7F80 ? (bf16 & 0x8000) | 0x7F80 : bf16, 0x7FFF, 0x80);
  switch (code_of(f.intermediate)) {
    case 5: return relu_16(f, clean_bf16);
    case kE8M6: return relu_16(f, (clean_bf16 + 1) & ~1u);
    case 1:
      if (f.round_10b_mantissa)  // Dst holds BF16 then
        return relu_16(f, fp16_of(bf16 >> 15, static_cast<int>(bf16 >> 7 & 0xFF), (bf16 & 0x7F) << 3));
      return relu_16(f, flush_below(decode_fp16(cell), 0x7FFF, 0x400));
    case kE5M6: {
      std::uint32_t v = decode_fp16(cell);
      v = (v & 0x7FFF) > 0x7FF7 ? (v & 0x8000) | 0x7FF0 : (v + 8) & ~15u;
      return relu_16(f, flush_below(v, 0x7FFF, 0x400));
    }
    default: return cell;  // 9
  }
}

std::uint32_t late(const PackFormat& f, std::uint32_t v) {
  switch (code_of(f.intermediate) << 4 | code_of(f.out)) {
    case 0x10: {
      const std::uint32_t e = v >> 10 & 31;
      return (v & 0x8000) << 16 | (e ? (e + 112) << 23 : 0) | (v & 0x3FF) << 13;
    }
    case 0x15:
    case kE5M6 << 4 | 6: return bf16_of_fp16(v);
    case 0x1A: return fp8_of_fp16(v, f.fp8_e4m3);
    case 0x50:
    case kE8M6 << 4 | 0: return v << 16;
    case 0x01: return truncate_to_fp16(v);
    case 0x06:
    case 0x07:
    case 0x0F: return flush_below(v >> 16, 0x7FFF, 0x80);
    default: return v;
  }
}

}  // namespace

const char* pack_refusal(const PackFormat& f) {
  const unsigned i = code_of(f.intermediate), out = code_of(f.out);
  const bool known = std::any_of(std::begin(kPaths), std::end(kPaths), [&](const Path& p) {
    return p.read_32b == f.read_32b && p.intermediate == i && p.out == out;
  });
  if (!known) return "no known conversion from this Dst width and intermediate format to this output format";
  if (f.read_raw) return "packing with Read_int8 is not modelled";
  const bool rounds = i == 1 && (f.read_32b || out == 10);
  if (f.read_32b && i == 1 && !f.round_10b_mantissa) return "FP16 from a 32-bit Dst is known with Round_10b_mant only";
  if (f.round_10b_mantissa && !rounds) return "Round_10b_mant has no known effect on this conversion";
  if (f.relu_mode > 3) return "ApplyRelu has modes 0 to 3";
  if (f.relu_mode != 0 && (i == 9 || i == 14)) return "ReLU on opaque or 8-bit integers has no known result";
  if (f.relu_mode > 1 && i == 8) return "ReLU with a threshold on INT32 has no known result";
  if (f.relu_mode > 1 && f.relu_threshold & 0x8000) return "the ReLU threshold must not be negative";
  return nullptr;
}

std::uint32_t pack_datum(const PackFormat& f, std::uint32_t raw) {
  return late(f, f.read_32b ? from_wide_dst(f, raw) : from_narrow_dst(f, raw));
}

void pack_datums(const PackFormat& f, const std::uint32_t* raw, std::size_t count, std::uint32_t* out) {
  // What a matrix product packs, with the path known to the compiler.
  const auto path = [&](bool read_32b, Format format) {
    return f.relu_mode == 0 && f.read_32b == read_32b && f.intermediate == format && f.out == format;
  };
  if (path(true, Format::Bf16)) {
    constexpr PackFormat kPath{.read_32b = true};
    for (std::size_t n = 0; n < count; ++n) out[n] = from_wide_dst(kPath, raw[n]);
  } else if (path(false, Format::Bf16)) {
    constexpr PackFormat kPath{};
    for (std::size_t n = 0; n < count; ++n) out[n] = from_narrow_dst(kPath, raw[n]);
  } else if (path(true, Format::Fp32)) {
    for (std::size_t n = 0; n < count; ++n) out[n] = decode_32(raw[n]);
  } else {
    for (std::size_t n = 0; n < count; ++n) out[n] = pack_datum(f, raw[n]);
  }
}

std::uint8_t assemble_bfp(Format out, const std::uint32_t* bf16, std::uint8_t* data) {
  const unsigned bits = datum_bits(out);
  unsigned exponent = 0;
  for (unsigned j = 0; j < 16; ++j) exponent = std::max(exponent, bf16[j] >> 7 & 0xFF);
  std::fill_n(data, 2 * bits, std::uint8_t{0});
  for (unsigned j = 0; j < 16; ++j) {
    const unsigned e = bf16[j] >> 7 & 0xFF;
    const unsigned m = (bf16[j] & 0x7F) | (e ? 0x80 : 0);
    const unsigned k = exponent - e;
    // Seven bits, half up, saturating instead of bumping the exponent; then truncated.
    const unsigned magnitude = (k >= 8 ? 0 : std::min((m + (1u << k)) >> (k + 1), 127u)) >> (8 - bits);
    const unsigned datum = magnitude ? (bf16[j] >> 15 & 1) << (bits - 1) | magnitude : 0;
    data[j * bits / 8] = static_cast<std::uint8_t>(data[j * bits / 8] | datum << (j * bits % 8));
  }
  return static_cast<std::uint8_t>(exponent);
}

}  // namespace kerr::emu::math
