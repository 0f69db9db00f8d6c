// What the unpackers do to a datum on its way from L1 to SrcA, SrcB or Dst. docs/hardware/tensix-datapath.md 11.5.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emu/math/formats.hpp"

namespace kerr::emu::math {

struct UnpackFormat {
  Format in = Format::Bf16;    ///< in L1
  Format out = Format::Bf16;   ///< as configured; decides only for FP32 data
  bool fp8_e4m3 = false;       ///< LF8_4b_exp; otherwise FP8 is e5m2
  bool unsigned_int8 = false;  ///< ALU_FORMAT_SPEC_REG0_SrcAUnsigned or SrcBUnsigned
};

/// A sentence why the pair cannot go to SrcA or SrcB (Dst), or nullptr.
const char* unpack_to_src_refusal(const UnpackFormat& f);
const char* unpack_to_dst_refusal(const UnpackFormat& f);

/// Datum `index` of `data`, right-aligned. Several datums of a byte: the first lies in the lowest bits.
uint32_t datum_at(Format f, const uint8_t* data, size_t index);

/// Converts `count` datums starting with datum `first` of `data`. `exponents` holds the shared exponent of datums
/// 0..15, 16..31 and so on of `data`, and is read only if has_shared_exponent(f.in). `f` must not be refused.
void unpack_to_src(const UnpackFormat& f, const uint8_t* data, const uint8_t* exponents, size_t first, size_t count,
                   Cell* out);

/// The same into raw (shuffled) Dst cells: 32 bits wide if unpacks_to_wide_dst(f), otherwise in the low 16 bits.
void unpack_to_dst(const UnpackFormat& f, const uint8_t* data, const uint8_t* exponents, size_t first, size_t count,
                   uint32_t* out);

constexpr bool unpacks_to_wide_dst(const UnpackFormat& f) { return datum_bits(f.out) == 32 && datum_bits(f.in) == 32; }

// ---------------------------------------------------------------- one datum
/// FP32 to BF16 by truncation; an exponent of 0 gives a zero of the same sign.
constexpr uint16_t truncate_to_bf16(uint32_t v) {
  return static_cast<uint16_t>(v & 0x7F800000 ? v >> 16 : v >> 16 & 0x8000);
}
/// FP32 to FP16 by truncation: too small gives a signed zero, too large (NaN, infinity) 0x7FFF with the sign.
constexpr uint16_t truncate_to_fp16(uint32_t v) {
  const int e = static_cast<int>(v >> 23 & 0xFF) - 112;
  const unsigned sign = v >> 16 & 0x8000;
  if (e < 0) return static_cast<uint16_t>(sign);
  if (e > 31) return static_cast<uint16_t>(sign | 0x7FFF);
  return static_cast<uint16_t>(sign | static_cast<unsigned>(e) << 10 | (v >> 13 & 0x3FF));
}
/// BFP8/4/2 datum (left-justified in 8 bits: sign, magnitude) with its exponent to BF16. The exponent wraps modulo 256.
uint16_t bf16_from_bfp(unsigned datum8, unsigned exponent);
/// BFP8a/4a/2a to FP16. Only if the exponent fits: leading zeros lower it, and it must stay within five bits.
uint16_t fp16_from_bfpa(unsigned datum8, unsigned exponent);
constexpr bool bfpa_exponent_fits(unsigned datum8, unsigned exponent) {
  const unsigned magnitude = datum8 << 1 & 0xFF;
  return magnitude == 0 || exponent - static_cast<unsigned>(std::countl_zero(static_cast<uint8_t>(magnitude))) < 32;
}
uint16_t fp16_from_fp8(unsigned datum, bool e4m3);
/// INT8 to sign, magnitude 10, exponent 16.
Cell cell_from_int8(unsigned datum, bool is_unsigned);

}  // namespace kerr::emu::math
