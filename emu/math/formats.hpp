// Number formats of the Tensix data path: SrcA/SrcB cells, Dst cells.
// docs/hardware/tensix-math.md 1, tensix-datapath.md 9.
#pragma once

#include <cstdint>

#include "arch/data_format.hpp"

namespace kerr::emu::math {

using Format = arch::DataFormat;
using arch::code_of;
using arch::datum_bits;
using arch::format_from_code;
using arch::has_shared_exponent;
using arch::is_named;
using arch::name_of;

/// The three ways in which the matrix unit reads a cell (column "FPU style" of 1.1).
enum class Style : uint8_t { Bf16, Fp16, Tf32 };

constexpr Style style_of(Format f) {
  switch (f) {
    case Format::Fp16:
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Fp8:
    case Format::Bfp2a:
    case Format::Int8: return Style::Fp16;
    case Format::Tf32: return Style::Tf32;
    default: return Style::Bf16;
  }
}

// ---------------------------------------------------------------- SrcA / SrcB cells, 1.2
/// 19 bits in emulator order: sign [18], exponent [17:10], mantissa [9:0] - the top 19 bits of an FP32 pattern.
/// FP16 keeps its 5-bit exponent in the low bits of the exponent field.
using Cell = uint32_t;

inline constexpr Cell kCellMask = 0x7FFFF;
inline constexpr Cell kCellSign = 0x40000;

constexpr bool cell_negative(Cell c) { return (c & kCellSign) != 0; }
constexpr unsigned cell_exponent(Cell c) { return c >> 10 & 0xFF; }
constexpr unsigned cell_mantissa(Cell c) { return c & 0x3FF; }
constexpr Cell make_cell(bool negative, unsigned exponent, unsigned mantissa) {
  return (negative ? kCellSign : 0) | (exponent & 0xFF) << 10 | (mantissa & 0x3FF);
}

constexpr Cell cell_from_fp32(uint32_t v) { return v >> 13; }
constexpr uint32_t fp32_from_cell(Cell c) { return c << 13; }
constexpr Cell cell_from_bf16(uint16_t v) { return static_cast<Cell>(v) << 3; }
constexpr uint16_t bf16_from_cell(Cell c) { return static_cast<uint16_t>(c >> 3); }
constexpr Cell cell_from_fp16(uint16_t v) { return (v & 0x8000u) << 3 | (v & 0x7FFFu); }
constexpr uint16_t fp16_from_cell(Cell c) {
  return static_cast<uint16_t>((c & kCellSign) >> 3 | (c & 0x7FFF));
}

/// The order in which the chip stores the 19 bits (debug read-out): sign, mantissa(10), exponent(8).
constexpr uint32_t hardware_order(Cell c) { return (c & kCellSign) | (c & 0x3FF) << 8 | cell_exponent(c); }
constexpr Cell cell_from_hardware_order(uint32_t h) {
  return (h & kCellSign) | (h & 0xFF) << 10 | (h >> 8 & 0x3FF);
}

/// What the matrix unit makes of an operand's format: only exponents of five bits drop anything, 3.2.
constexpr Cell trim(Cell c, Format f) {
  return c & (f == Format::Fp16 || f == Format::Fp8 ? 0x47FFF : kCellMask);
}

// ---------------------------------------------------------------- Dst cells, 1.3
// Dst holds 16-bit cells with shuffled fields; the shuffled bits are architectural.
constexpr uint16_t encode_bf16(uint16_t v) {
  return static_cast<uint16_t>((v & 0x8000) | (v & 0x7F) << 8 | (v >> 7 & 0xFF));
}
constexpr uint16_t decode_bf16(uint16_t d) {
  return static_cast<uint16_t>((d & 0x8000) | (d & 0xFF) << 7 | (d >> 8 & 0x7F));
}
constexpr uint16_t encode_fp16(uint16_t v) {
  return static_cast<uint16_t>((v & 0x8000) | (v & 0x3FF) << 5 | (v >> 10 & 0x1F));
}
constexpr uint16_t decode_fp16(uint16_t d) {
  return static_cast<uint16_t>((d & 0x8000) | (d & 0x1F) << 10 | (d >> 5 & 0x3FF));
}
/// FP32 and sign-magnitude integer 32 alike: the high half goes through the BF16 shuffle.
constexpr uint32_t encode_32(uint32_t v) {
  return static_cast<uint32_t>(encode_bf16(static_cast<uint16_t>(v >> 16))) << 16 | (v & 0xFFFF);
}
constexpr uint32_t decode_32(uint32_t d) {
  return static_cast<uint32_t>(decode_bf16(static_cast<uint16_t>(d >> 16))) << 16 | (d & 0xFFFF);
}

// ---------------------------------------------------------------- Dst rows, 2
inline constexpr unsigned kDstRows = 1024;
inline constexpr unsigned kSrcRows = 64;
inline constexpr unsigned kColumns = 16;

/// Physical row of logical row `r` (10 bits) of the 16-bit view.
constexpr unsigned dst_row_16(unsigned r, bool remap_addrs = false) {
  r &= 0x3FF;
  return remap_addrs ? (r & 0x3C7) ^ (r & 0x030) >> 1 ^ (r & 0x008) << 2 : r;
}
/// Physical row of the high half of logical row `r` of the 32-bit view; the low half lies 8 rows further.
constexpr unsigned dst_row_32(unsigned r, bool remap_addrs = false, bool swizzle_32b = false) {
  r = dst_row_16(r, remap_addrs);
  if (swizzle_32b) r = (r & 0x3F3) ^ (r & 0x018) >> 1 ^ (r & 0x004) << 1;
  return (r & 0x1F8) << 1 | (r & 0x207);
}

}  // namespace kerr::emu::math
