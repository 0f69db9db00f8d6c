// Number formats of tiles in L1 and DRAM, and what they are on the way through the coprocessor.
// docs/hardware/tensix-math.md 1.1,
// tensix-datapath.md 7.5
//
// Integers of 8 and 32 bits are sign and magnitude, as the coprocessor has them; those of 16 bits two's complement. In
// INT32 what would be -0 stands for -2^31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arch/data_format.hpp"

namespace kerr::kernels {

inline constexpr uint32_t kTileDim = 32;            // rows and columns of a tile
inline constexpr uint32_t kLargestSize = 1u << 20;  // of a matrix: rows or columns

enum class Format : uint8_t { Fp32, Fp16, Bf16, Bfp8, Bfp4, Int8, Int32, Int16, Uint16, Uint8 };

struct FormatInfo {
  Format format;
  std::string_view name;
  arch::DataFormat in_l1;
  arch::DataFormat in_source;  // what the unpackers make of it in SrcA and SrcB
};

inline constexpr FormatInfo kFormats[] = {
    {Format::Fp32, "fp32", arch::DataFormat::Fp32, arch::DataFormat::Tf32},
    {Format::Fp16, "fp16", arch::DataFormat::Fp16, arch::DataFormat::Fp16},
    {Format::Bf16, "bf16", arch::DataFormat::Bf16, arch::DataFormat::Bf16},
    {Format::Bfp8, "bfp8", arch::DataFormat::Bfp8, arch::DataFormat::Bfp8},
    {Format::Bfp4, "bfp4", arch::DataFormat::Bfp4, arch::DataFormat::Bfp4},
    {Format::Int8, "int8", arch::DataFormat::Int8, arch::DataFormat::Int8},
    {Format::Int32, "int32", arch::DataFormat::Int32, arch::DataFormat::Int32},
    {Format::Int16, "int16", arch::DataFormat::Int16, arch::DataFormat::Int16},
    {Format::Uint16, "uint16", arch::DataFormat::Int16, arch::DataFormat::Int16},
    {Format::Uint8, "uint8", arch::DataFormat::Int8, arch::DataFormat::Int8},
};

constexpr const FormatInfo& info(Format format) { return kFormats[static_cast<int>(format)]; }
constexpr bool is_integer(Format format) { return format == Format::Int8 || format >= Format::Int32; }
/// 32 bits a datum, which the unpacker moves straight to Dst.
constexpr bool is_wide(Format format) { return format == Format::Fp32 || format == Format::Int32; }
/// Whether the 16 datums of a row of a face share an exponent.
constexpr bool shares_exponents(Format format) { return arch::has_shared_exponent(info(format).in_l1); }
/// A tile in L1 and DRAM, shared exponents included.
constexpr uint32_t tile_bytes(Format format) {
  constexpr uint32_t kDatums = kTileDim * kTileDim;
  return kDatums * arch::datum_bits(info(format).in_l1) / 8 + (shares_exponents(format) ? kDatums / 16 : 0);
}

constexpr std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& f : kFormats) {
    if (f.name == name) return f.format;
  }
  return std::nullopt;
}

}  // namespace kerr::kernels
