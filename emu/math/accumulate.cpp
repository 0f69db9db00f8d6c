#include "emu/math/accumulate.hpp"

#include <algorithm>
#include <bit>

namespace kerr::emu::math {
namespace {

// Shifts m right by k and rounds half up; `negative` turns that into half down, i.e. half toward +infinity of the
// signed value.
int64_t align(uint32_t m, int k, bool negative) {
  if (k == 0) return m;
  if (k >= 31) return 0;
  return (static_cast<int64_t>(m) + (int64_t{1} << (k - 1)) - negative) >> k;
}

// A 16-bit Dst keeps ten fraction bits of every addend: a second rounding.
int64_t keep_ten_fraction_bits(int64_t x, bool negative) { return (x + 4096 - negative) & ~int64_t{8191}; }

}  // namespace

uint32_t accumulate(const FpuMode& mode, const Term& t0, const Term& t1, uint32_t dst) {
  const bool wide = mode.wide();
  const bool e8 = mode.wide_exponent();
  const bool dst_negative = dst >> 31;
  const int dst_exponent = static_cast<int>(dst >> 23 & 0xFF);
  const uint32_t dst_magnitude = dst_exponent ? 0x800000 | (dst & 0x7FFFFF) : 0;

  int e = std::max({t0.exponent, t1.exponent, dst_exponent});
  if (e <= 0) return 0;
  int64_t x0 = align(t0.magnitude, e - t0.exponent, t0.negative);
  int64_t x1 = align(t1.magnitude, e - t1.exponent, t1.negative);
  int64_t xd = align(dst_magnitude, e - dst_exponent, false);
  if (!wide) {
    x0 = keep_ten_fraction_bits(x0, t0.negative);
    x1 = keep_ten_fraction_bits(x1, t1.negative);
    xd = keep_ten_fraction_bits(xd, false);
  }
  const int64_t v = (t0.negative ? -x0 : x0) + (t1.negative ? -x1 : x1) + (dst_negative ? -xd : xd);
  if (v == 0) return 0;

  const uint32_t sign = v < 0 ? 0x80000000u : 0;
  uint64_t g = static_cast<uint64_t>(v < 0 ? -v : v);
  const int top = std::bit_width(g) - 1;
  e += top - 23;
  const int keep = wide ? 24 : e8 ? 8 : 11;
  const int drop = top + 1 - keep;
  g = drop > 0 ? (g + (uint64_t{1} << (drop - 1))) >> drop : g << -drop;
  if (g == uint64_t{1} << keep) {
    ++e;
    g >>= 1;
  }
  const uint32_t mantissa = static_cast<uint32_t>(g << (24 - keep)) & 0x7FFFFF;
  if (e <= 0) return 0;
  if (wide || e8) return e >= 255 ? sign | 0x7F800000 : sign | static_cast<uint32_t>(e) << 23 | mantissa;
  return e >= 32 ? sign | 31u << 23 | 0x3FFu << 13 : sign | static_cast<uint32_t>(e) << 23 | mantissa;
}

uint32_t read_dst(const FpuMode& mode, const DstRows& dst, unsigned r, unsigned c) {
  const uint16_t high = dst.high[kColumns * r + c];
  if (mode.wide()) return decode_32(static_cast<uint32_t>(high) << 16 | dst.low[kColumns * r + c]);
  if (mode.wide_exponent()) return static_cast<uint32_t>(decode_bf16(high)) << 16;
  const uint32_t v = decode_fp16(high);
  return (v & 0x8000) << 16 | (v & 0x7FFF) << 13;
}

void write_dst(const FpuMode& mode, const DstRows& dst, unsigned r, unsigned c, uint32_t v) {
  uint16_t& high = dst.high[kColumns * r + c];
  if (mode.wide()) {
    const uint32_t raw = encode_32(v);
    high = static_cast<uint16_t>(raw >> 16);
    dst.low[kColumns * r + c] = static_cast<uint16_t>(raw);
  } else if (mode.wide_exponent()) {
    high = encode_bf16(static_cast<uint16_t>(v >> 16));
  } else {
    high = encode_fp16(static_cast<uint16_t>((v >> 16 & 0x8000) | (v >> 13 & 0x7FFF)));
  }
}

uint32_t accumulate_integer(uint32_t dst, int64_t x) {
  constexpr int64_t kLimit = 0x7FFFFFFF;
  const int64_t magnitude = dst & 0x7FFFFFFF;
  const int64_t sum = std::clamp((dst >> 31 ? -magnitude : magnitude) + x, -kLimit, kLimit);
  return sum < 0 ? 0x80000000u | static_cast<uint32_t>(-sum) : static_cast<uint32_t>(sum);
}

}  // namespace kerr::emu::math
