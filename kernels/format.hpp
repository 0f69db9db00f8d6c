// Number formats of tiles in L1 and DRAM, and what they are on the way through the coprocessor.   docs/hardware/tensix-math.md 1.1,
// tensix-datapath.md 7.5
//
// Integers of 8 and 32 bits are sign and magnitude, as the coprocessor has them; those of 16 bits two's complement. In
// INT32 what would be -0 stands for -2^31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kerr::kernels {

enum class Format : uint8_t { Fp32, Fp16, Bf16, Bfp8, Bfp4, Int8, Int32, Int16, Uint16, Uint8 };

struct FormatInfo {
  Format format;
  std::string_view name;
  uint32_t code;         // in configuration registers
  uint32_t source_code;  // of what the unpackers make of it in SrcA and SrcB
  uint32_t tile_bytes;   // of 32 x 32 datums, shared exponents included
};

inline constexpr FormatInfo kFormats[] = {
    {Format::Fp32, "fp32", 0, 4, 4096},     {Format::Fp16, "fp16", 1, 1, 2048},
    {Format::Bf16, "bf16", 5, 5, 2048},     {Format::Bfp8, "bfp8", 6, 6, 1088},
    {Format::Bfp4, "bfp4", 7, 7, 576},      {Format::Int8, "int8", 14, 14, 1024},
    {Format::Int32, "int32", 8, 8, 4096},   {Format::Int16, "int16", 9, 9, 2048},
    {Format::Uint16, "uint16", 9, 9, 2048}, {Format::Uint8, "uint8", 14, 14, 1024},
};

constexpr const FormatInfo& info(Format format) { return kFormats[static_cast<int>(format)]; }
constexpr bool is_integer(Format format) { return format == Format::Int8 || format >= Format::Int32; }
/// 32 bits a datum, which the unpacker moves straight to Dst.
constexpr bool is_wide(Format format) { return format == Format::Fp32 || format == Format::Int32; }
/// Whether the 16 datums of a row of a face share an exponent.
constexpr bool shares_exponents(Format format) { return format == Format::Bfp8 || format == Format::Bfp4; }
constexpr uint32_t tile_bytes(Format format) { return info(format).tile_bytes; }

constexpr std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& f : kFormats) {
    if (f.name == name) return f.format;
  }
  return std::nullopt;
}

}  // namespace kerr::kernels
