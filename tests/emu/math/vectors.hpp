// Helpers to run one element of a matrix unit operation on decoded (IEEE order) values.
#pragma once

#include <cstdint>
#include <memory>

#include "emu/math/accumulate.hpp"
#include "emu/math/src_bank.hpp"

namespace kerr::emu::math::test {

/// SrcA, SrcB and eight rows of Dst.
struct Fixture {
  std::unique_ptr<SrcBank> a = std::make_unique<SrcBank>();
  std::unique_ptr<SrcBank> b = std::make_unique<SrcBank>();
  alignas(64) uint16_t high[8 * 16] = {};
  alignas(64) uint16_t low[8 * 16] = {};

  DstRows dst(const FpuMode& mode) { return {high, mode.wide() ? low : nullptr}; }

  /// Value of a Dst element in IEEE order: 32 bits, or 16 for a 16-bit Dst.
  uint32_t get(const FpuMode& mode, unsigned r, unsigned c) {
    const uint32_t v = read_dst(mode, dst(mode), r, c);
    if (mode.wide()) return v;
    if (mode.wide_exponent()) return v >> 16;
    return (v >> 16 & 0x8000) | (v >> 13 & 0x7FFF);
  }
  void set(const FpuMode& mode, unsigned r, unsigned c, uint32_t v) {
    if (!mode.wide()) v = mode.wide_exponent() ? v << 16 : (v & 0x8000) << 16 | (v & 0x7FFF) << 13;
    write_dst(mode, dst(mode), r, c, v);
  }
};

/// Cell of an operand written as in the tables of tensix-math.md 15: an FP32 pattern, or FP16 bits.
inline Cell cell_of(Format f, uint32_t value) {
  return style_of(f) == Style::Fp16 ? cell_from_fp16(static_cast<uint16_t>(value)) : cell_from_fp32(value);
}

}  // namespace kerr::emu::math::test
