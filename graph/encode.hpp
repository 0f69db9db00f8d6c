// Numbers to the bits of a format and back: sixteen of a row of a face at a time, which share an exponent in block
// formats. docs/hardware/tensix-datapath.md 7.5, 11.5
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/format.hpp"

namespace kerr::graph {

using kernels::Format;

constexpr float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

/// Round to nearest even; NaN stays NaN.
constexpr uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// FP16 has no infinities here: what is too large becomes its largest number.
uint16_t float_to_fp16(float value);
float fp16_to_float(uint16_t bits);

/// Writes row `row` of face `face` of `tile` (tile_bytes(format)). Rounds to the nearest number of the format, ties to
/// even; integers and shared exponents saturate, FP16 overflows to its largest number. In INT32, -0's code means -2^31.
void encode_row(Format format, std::span<const double, 16> numbers, uint32_t face, uint32_t row,
                std::span<std::byte> tile);
void decode_row(Format format, std::span<const std::byte> tile, uint32_t face, uint32_t row,
                std::span<double, 16> numbers);

}  // namespace kerr::graph
