// What the build says of a compute kernel: the number format of each circular buffer, the fidelity of products, the width of Dst.
// kerr_add_kernel(... FORMATS 0=bf16 16=fp32 FIDELITY hifi4 FP32_DEST)
#pragma once

#include "device/compute/threads.hpp"
#include "device/formats.hpp"

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
/// The packer's intermediate format between Dst and a buffer.   docs/hardware/tensix-datapath.md 12.6
constexpr Format packed_from(uint32_t buffer) {
  const Format out = format_in_l1(buffer);
  if (is_integer(out)) return out;
  if (kDst32) return out == Format::Bf16 ? Format::Bf16 : Format::Fp32;
  return out == Format::Fp16 ? Format::Fp16 : Format::Bf16;
}

}  // namespace kerr::device

// tt-metal's names, for templates.
inline constexpr bool DST_ACCUM_MODE = kerr::device::kDst32;
inline constexpr int MATH_FIDELITY = kerr::device::kPhases;
