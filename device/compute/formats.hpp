// What the build says of a compute kernel: the number format of each circular buffer, the fidelity of products, the
// width of Dst. kerr_add_kernel(... FORMATS 0=bf16 16=fp32 FIDELITY hifi4 FP32_DEST)
#pragma once

#include "device/compute/threads.hpp"
#include "device/formats.hpp"
#include "device/uses.hpp"

#ifndef KERR_FIDELITY_PHASES  // phases of a product
#define KERR_FIDELITY_PHASES 4
#endif
#ifndef KERR_FP32_DEST
#define KERR_FP32_DEST 0
#endif

namespace kerr::device {

inline constexpr uint32_t kPhases = KERR_FIDELITY_PHASES;
static_assert(kPhases >= 1 && kPhases <= 4, "the fidelity is one of lofi, hifi2, hifi3, hifi4");
/// Dst holds 32 bits a datum: four tiles in the half that a kernel has, otherwise eight.
inline constexpr bool kDst32 = KERR_FP32_DEST != 0;
inline constexpr uint32_t kDstTiles = kDst32 ? 4 : 8;

using Format = arch::DataFormat;  // as the hardware knows it

/// How tiles of a circular buffer lie in L1.
constexpr Format format_in_l1(uint32_t buffer) {
  return arch::format_from_code(static_cast<unsigned>(kFormats.of[buffer]));
}
constexpr bool is_unsigned_byte(uint32_t buffer) { return kFormats.of[buffer] == ::DataFormat::UInt8; }
/// What the unpackers make of it in SrcA and SrcB.
constexpr Format format_in_source(uint32_t buffer) {
  const Format format = format_in_l1(buffer);
  return format == Format::Fp32 ? Format::Tf32 : format;
}
/// 32 bits a datum: unpacked straight to a Dst of that width, past SrcA.
constexpr bool goes_straight_to_dst(uint32_t buffer) {
  return kDst32 && (format_in_l1(buffer) == Format::Fp32 || format_in_l1(buffer) == Format::Int32);
}
constexpr bool is_integer(Format format) {
  return format == Format::Int8 || format == Format::Int16 || format == Format::Int32;
}
constexpr bool any_fp16() {
  for (uint32_t i = 0; i < kCircularBuffers; ++i) {
    if (kFormats.said[i] && format_in_l1(i) == Format::Fp16) return true;
  }
  return false;
}
/// A Dst of 16 bits holds FP16 if FORMATS says that of any buffer, otherwise BF16.
inline constexpr bool kDstFp16 = !kDst32 && any_fp16();

/// The packer's intermediate format between Dst and a buffer.   docs/hardware/tensix-datapath.md 12.6
constexpr Format packed_from(uint32_t buffer) {
  const Format out = format_in_l1(buffer);
  if (is_integer(out)) return out;
  if (kDst32) return out == Format::Bf16 ? Format::Bf16 : Format::Fp32;
  return kDstFp16 ? Format::Fp16 : Format::Bf16;
}
/// Whether the packer makes a buffer's format of what Dst holds.
constexpr bool can_be_packed(uint32_t buffer) {
  const Format out = format_in_l1(buffer);
  if (out == Format::Int32 || out == Format::Int8) return kDst32;
  return !kDstFp16 || !arch::has_shared_exponent(out);
}
[[gnu::error(
    "int8 and int32 are packed from a Dst of 32 bits (FP32_DEST of kerr_add_kernel), bfp8 and bfp4 not from a Dst of "
    "fp16")]] void
this_format_cannot_be_packed();
FORCE_INLINE void check_can_be_packed(uint32_t buffer) {
  if (__builtin_constant_p(buffer) && !can_be_packed(buffer)) this_format_cannot_be_packed();
}

[[gnu::error("there are 8 tiles in the half of Dst that a kernel has, 4 with FP32_DEST of kerr_add_kernel")]] void
there_is_no_such_tile_in_dst();
/// Numbers that are known to the compiler are checked.
FORCE_INLINE void check_dst_tile(uint32_t tile) {
  if (__builtin_constant_p(tile) && tile >= kDstTiles) there_is_no_such_tile_in_dst();
}
/// The program's pages are held against the tiles of a format that FORMATS says (image/kernel_code.hpp).
FORCE_INLINE void check_pages(uint32_t buffer) {
  if (!__builtin_constant_p(buffer) || !kFormats.said[buffer]) return;
  KERR_USES(Use::TileBytes, buffer | tile_bytes(kFormats.of[buffer]) << 8);
}

}  // namespace kerr::device

// tt-metal's names, for templates.
inline constexpr bool DST_ACCUM_MODE = kerr::device::kDst32;
inline constexpr int MATH_FIDELITY = kerr::device::kPhases;
