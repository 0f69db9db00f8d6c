// Floats as bits: the rules by which float32 is computed, and the other formats made of it.
//                                                                          docs/reference/loop-programs.md "Floats"
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace kerr::loops {

/// The host's floats as IEEE 754 says, while it lives: a caller may have had denormals flushed, or rounds upwards.
class IeeeFloats {
 public:
  IeeeFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~IeeeFloats() { std::fesetenv(&before_); }
  IeeeFloats(const IeeeFloats&) = delete;
  IeeeFloats& operator=(const IeeeFloats&) = delete;

 private:
  std::fenv_t before_;
};

inline constexpr uint32_t kNanF32 = 0x7FC00000;
inline constexpr uint16_t kNanF16 = 0x7E00, kNanBf16 = 0x7FC0;
inline constexpr uint64_t kNanF64 = 0x7FF8000000000000;

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }

/// A denormal becomes zero of its sign.
constexpr uint32_t flush(uint32_t bits) { return (bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits; }
/// What an operation on float32 gives for what IEEE 754 gives.
inline uint32_t result_f32(float value) { return value != value ? kNanF32 : flush(std::bit_cast<uint32_t>(value)); }
inline uint64_t result_f64(double value) { return value != value ? kNanF64 : std::bit_cast<uint64_t>(value); }

/// To float32: exact, f16 denormals too.
inline uint32_t f32_of_f16(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  if (exponent == 31) return fraction != 0 ? kNanF32 : sign | 0x7F800000;
  if (exponent == 0) return sign | std::bit_cast<uint32_t>(static_cast<float>(fraction) * 0x1p-24f);
  return sign | (exponent + 112) << 23 | fraction << 13;
}
constexpr uint32_t f32_of_bf16(uint32_t bits) { return bits << 16; }

/// From float32, to the nearest, of two the even one.
inline uint32_t f16_of_f32(uint32_t bits) {
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return kNanF16;
  if (magnitude >= 0x47800000) return sign | 0x7C00;  // 2^16
  // Below 2^-14 the last bit is worth 2^-24, as that of numbers from 0.5 on is.
  if (magnitude < 0x38800000) return sign | (std::bit_cast<uint32_t>(as_float(magnitude) + 0.5f) - 0x3F000000);
  magnitude -= 0x38000000;
  return sign | (magnitude + 0xFFF + (magnitude >> 13 & 1)) >> 13;
}
constexpr uint32_t bf16_rounded(uint32_t bits) {
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return kNanBf16;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}
constexpr uint32_t bf16_of_f32(uint32_t bits) { return bf16_rounded(flush(bits)); }

inline uint32_t f32_of_f64(uint64_t bits) { return result_f32(static_cast<float>(as_double(bits))); }
inline uint64_t f64_of_f32(uint32_t bits) { return result_f64(as_float(bits)); }

}  // namespace kerr::loops
