#include "emu/tensix/fpu/max_pool.hpp"

namespace kerr::emu::tensix {
namespace {

using Source = MaxPoolMode::Source;
using Target = MaxPoolMode::Target;

// A datum as it is compared. Floating point: the sum of both exponents, ten bits of mantissa. Integers: 19 bits of
// magnitude, the upper nine in `exponent`.
struct Datum {
  bool negative = false;
  uint32_t exponent = 0;  // nine bits
  uint32_t mantissa = 0;

  int32_t order() const {
    const auto magnitude = static_cast<int32_t>((exponent << 10) + mantissa);
    return negative ? -magnitude : magnitude;
  }
};

constexpr uint32_t kBias8 = 127, kBias5 = 15;  // of the scale that a value in Dst is taken to have

Datum read_dst(uint32_t raw, Target target) {
  Datum d;
  d.negative = raw >> 31;
  switch (target) {
    case Target::Int32:
      d.mantissa = raw & 0x3FF;
      d.exponent = (raw >> 10 & 0x3F) | (raw >> 24 & 7) << 6;
      break;
    case Target::Fp16:
      d.exponent = (raw >> 16 & 0x1F) + kBias5;
      d.mantissa = raw >> 21 & 0x3FF;
      break;
    default:
      d.exponent = (raw >> 16 & 0xFF) + kBias8;
      d.mantissa = (raw >> 24 & 0x7F) << 3 | (target == Target::Tf32 ? raw >> 13 & 7 : 0);
      break;
  }
  return d;
}

// Takes the scale's bias out again, modulo the width of the exponent.
uint32_t write_dst(const Datum& d, Target target) {
  const uint32_t sign = d.negative ? 0x80000000u : 0;
  switch (target) {
    case Target::Int32: return sign | (d.exponent & 7) << 10 | d.mantissa;  // 13 bits of magnitude
    case Target::Fp16:
      if ((d.exponent & 0x3F) == 0) return 0;
      return sign | d.mantissa << 21 | ((d.exponent - kBias5) & 0x1F) << 16;
    default:
      if (d.exponent == 0) return 0;
      return sign | (d.mantissa & 0x3F8) << 21 | ((d.exponent - kBias8) & 0xFF) << 16 |
             (target == Target::Tf32 ? (d.mantissa & 7) << 13 : 0);
  }
}

Datum read_source(math::Cell a, Source source, math::Cell b) {
  const unsigned exponent = math::cell_exponent(a), scale = math::cell_exponent(b);
  if (scale == 0) return {true, 0x1FF, 0x3FF};  // below everything
  if (exponent == 0) return {};
  const bool negative = math::cell_negative(a);
  const unsigned mantissa = math::cell_mantissa(a);
  switch (source) {
    case Source::Int8: return {negative, 0, mantissa};
    case Source::Fp16: return {negative, (exponent & 0x1F) + (scale & 0x1F), mantissa};
    default: return {negative, exponent + scale, mantissa};
  }
}

// What the index of each of the first eight rows looks like.
constexpr uint32_t kIndexOfRow[8] = {0, 3, 6, 1, 4, 7, 2, 5};

}  // namespace

const char* choose_max_pool_mode(const math::FpuMode& mode, bool index, MaxPoolMode& out) {
  if (mode.int8_math) {
    out = {Source::Int8, Target::Int32, true, index};
    return nullptr;
  }
  if (!math::is_named(mode.src_a)) return "the format code is reserved";
  switch (math::style_of(mode.src_a)) {
    case math::Style::Tf32:
      out = {Source::Tf32, index ? Target::Int32 : mode.fp32_dst ? Target::Tf32 : Target::Bf16, mode.fp32_dst, index};
      return nullptr;
    case math::Style::Fp16:
      // The ISA page's model compares exponents of different bias here, against its own table of types.
      if (mode.fp32_dst && !index) return "the published model of FP16 data with a 32-bit Dst contradicts itself";
      out = {Source::Fp16, Target::Fp16, mode.fp32_dst, index};
      return nullptr;
    default:
      out = {Source::Bf16, mode.fp32_dst && !index ? Target::Tf32 : Target::Bf16, mode.fp32_dst, index};
      return nullptr;
  }
}

uint32_t max_pool(const MaxPoolMode& mode, uint32_t dst, const math::Cell (&a)[16], const math::Cell (&b)[16]) {
  Datum best = read_dst(dst, mode.target);
  uint32_t best_index = dst & 0xFF;
  const uint32_t phase = (dst + 0x100) & 0xF00;
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned row = k < 8 ? k ^ 4 : k;  // the order decides between equals, and so which index is told
    const Datum x = read_source(a[row], mode.source, b[row]);
    if (x.order() < best.order()) continue;
    best = x;
    if (row < 8) best_index = ((phase >> 4) + kIndexOfRow[row]) & 0xFF;
  }
  if (!mode.index) return write_dst(best, mode.target);
  const uint32_t told = phase | best_index;
  return mode.target == Target::Int32 ? told : write_dst(best, mode.target) | told;
}

}  // namespace kerr::emu::tensix
