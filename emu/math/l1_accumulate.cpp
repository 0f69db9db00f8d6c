// Accumulation in L1: docs/hardware/tensix-datapath.md 12.8, end. The three formats differ in more than their width.
#include <bit>
#include <cstring>

#include "emu/math/fma.hpp"
#include "emu/math/pack_convert.hpp"

namespace kerr::emu::math {
namespace {

// IEEE addition with denormals flushed is the multiply-add with a factor of one.
uint32_t add_fp32(uint32_t x, uint32_t y) { return fma(x, 0x3F800000, y); }

constexpr double kHuge = 0x1.FFFFFFFFFFFFFp+1023;

// Exponent 0 is a zero of its sign, exponent 255 with a mantissa is handled by the caller.
double double_of_bf16(uint32_t v) {
  const uint64_t sign = static_cast<uint64_t>(v >> 15) << 63;
  const uint64_t e = v >> 7 & 0xFF;
  if (e == 0) return std::bit_cast<double>(sign);
  if (e == 255 && (v & 0x7F) == 0) return std::bit_cast<double>(sign | uint64_t{0x7FF} << 52);
  return std::bit_cast<double>(sign | (e + 1023 - 127) << 52 | static_cast<uint64_t>(v & 0x7F) << 45);
}

uint32_t bf16_of_double(double d) {
  const uint64_t bits = std::bit_cast<uint64_t>(d);
  const uint32_t sign = static_cast<uint32_t>(bits >> 63) << 15;
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  const uint64_t even = magnitude >> 45 & 1;
  const int64_t rounded = static_cast<int64_t>((magnitude + (uint64_t{1} << 44) - 1 + even) >> 45);
  const int64_t e = (rounded >> 7) - (1023 - 127);
  if (e <= 0) return sign;
  if (e >= 255) return sign | 0x7F80;
  return sign | static_cast<uint32_t>(e) << 7 | static_cast<uint32_t>(rounded & 0x7F);
}

bool is_nan_bf16(uint32_t v) { return (v & 0x7FFF) > 0x7F80; }

uint32_t add_bf16(uint32_t old, uint32_t added) {
  if ((old & 0x7FFF) == 0x7F80 && (added & 0x7FFF) == 0x7F80 && old != added) return 0x7FC0;
  // A NaN in L1 acts as a huge number; one that arrives as 2^128 * 1.m, which double_of_bf16 gives.
  const double x = is_nan_bf16(old) ? (old & 0x8000 ? -kHuge : kHuge) : double_of_bf16(old);
  return bf16_of_double(x + double_of_bf16(added));
}

uint32_t fp32_of_fp16(uint32_t v) {
  const uint32_t sign = (v & 0x8000) << 16, e = v >> 10 & 31;
  return e ? sign | (e + 112) << 23 | (v & 0x3FF) << 13 : sign;
}

// On silicon a sum too small for FP16 becomes the largest number, and so does an exact zero of large operands.
uint32_t add_fp16(uint32_t old, uint32_t added, bool fault) {
  const uint32_t sum = add_fp32(fp32_of_fp16(old), fp32_of_fp16(added));
  const uint32_t sign = sum >> 16 & 0x8000;
  if ((sum & 0x7FFFFFFF) == 0) return fault && (old >> 10 & 31) >= 30 ? sign | 0x7FFF : sign;
  const int e = static_cast<int>(sum >> 23 & 0xFF) - 112;
  if (e < 0 && fault) return sign | 0x7FFF;
  if (e <= 0) return sign;
  uint32_t v = static_cast<uint32_t>(e) << 23 | (sum & 0x7FFFFF);
  v = (v + 0xFFF + (v >> 13 & 1)) >> 13;
  return v > 0x7FFF ? sign | 0x7FFF : sign | v;
}

constexpr size_t kMostBytes = 320;

// Both formats have the exponent of FP32. Where no operand is infinite or NaN, the host's addition with denormals as
// zero is the definition, and rounding its FP32 sum once more to the eight bits of BF16 loses nothing (24 >= 2 * 8 +
// 2).
constexpr uint32_t kSign = 0x80000000, kExponent = 0x7F800000;

uint32_t flushed(uint32_t v) { return v & kExponent ? v : v & kSign; }

uint32_t add_finite(uint32_t x, uint32_t y) {
  return flushed(std::bit_cast<uint32_t>(std::bit_cast<float>(flushed(x)) + std::bit_cast<float>(flushed(y))));
}

template <class Datum>
bool add_finite_datums(const uint8_t* old, const uint8_t* added, size_t bytes, uint8_t* sums) {
  constexpr unsigned kShift = 32 - 8 * sizeof(Datum);
  constexpr size_t kMost = kMostBytes / sizeof(Datum);
  const size_t count = bytes / sizeof(Datum);
  Datum x[kMost], y[kMost], sum[kMost];
  std::memcpy(x, old, bytes);
  std::memcpy(y, added, bytes);
  uint32_t special = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t a = static_cast<uint32_t>(x[i]) << kShift, b = static_cast<uint32_t>(y[i]) << kShift;
    special |= (a & kExponent) == kExponent || (b & kExponent) == kExponent;
    const uint32_t exact = add_finite(a, b);
    constexpr uint32_t kHalf = kShift == 0 ? 0 : 0x7FFF;
    const uint32_t even = kShift == 0 ? 0 : exact >> 16 & 1;
    sum[i] = static_cast<Datum>((exact + kHalf + even) >> kShift);
  }
  if (special) return false;
  std::memcpy(sums, sum, bytes);
  return true;
}

}  // namespace

const char* l1_accumulate_refusal(Format out) {
  const bool known = out == Format::Fp32 || out == Format::Bf16 || out == Format::Fp16;
  return known ? nullptr : "accumulation in L1 is known for FP32, BF16 and FP16 only";
}

uint32_t l1_accumulate(Format out, uint32_t old, uint32_t added, bool fp16_fault) {
  if (out == Format::Fp32) return add_fp32(old, added);
  return out == Format::Bf16 ? add_bf16(old, added) : add_fp16(old, added, fp16_fault);
}

void l1_accumulate_datums(Format out, const uint8_t* old, const uint8_t* added, size_t bytes, uint8_t* sums,
                          bool fp16_fault) {
  if (out == Format::Fp32 && add_finite_datums<uint32_t>(old, added, bytes, sums)) return;
  if (out == Format::Bf16 && add_finite_datums<uint16_t>(old, added, bytes, sums)) return;
  const size_t size = out == Format::Fp32 ? 4 : 2;
  for (size_t at = 0; at < bytes; at += size) {
    uint32_t x = 0, y = 0;
    std::memcpy(&x, old + at, size);
    std::memcpy(&y, added + at, size);
    const uint32_t sum = l1_accumulate(out, x, y, fp16_fault);
    std::memcpy(sums + at, &sum, size);
  }
}

}  // namespace kerr::emu::math
