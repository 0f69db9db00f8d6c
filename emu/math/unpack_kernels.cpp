#include "emu/math/unpack_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/math/unpack_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one lane gains nothing over the definition
UnpackFunction FindUnpack(const UnpackFormat&) { return nullptr; }
#else
using U = hn::CappedTag<uint32_t, 16>;
using V = hn::Vec<U>;
using I = hn::RebindToSigned<U>;
using F = hn::Rebind<float, U>;

enum class Rule { Bf16, Fp16, Int16, Tf32, Fp32ToBf16, Fp32ToFp16, Bfp, Bfpa, E5M2, E4M3, Int8, Uint8 };

HWY_INLINE V CellOfFp16(V sign_at_15, V magnitude) {
  const U d;
  return hn::OrAnd(magnitude, hn::ShiftLeft<3>(sign_at_15), hn::Set(d, kCellSign));
}

// A magnitude of eight bits as a float has the normalised mantissa and, but for a bias, the number of its leading
// zeros. `kShift`: where the float's exponent goes; `infinity`: what a negative zero becomes.
template <int kShift>
HWY_INLINE V BlockFloat(V datum, V exponent, uint32_t infinity) {
  const U d;
  const I i;
  const F f;
  const V magnitude = hn::And(hn::ShiftLeft<1>(datum), hn::Set(d, 0xFF));
  const V bits = hn::BitCast(d, hn::ConvertTo(f, hn::BitCast(i, magnitude)));
  const V rebias = hn::ShiftLeft<23 - kShift>(exponent - hn::Set(d, 134));
  const V pattern = hn::And(hn::ShiftRight<kShift>(bits) + rebias, hn::Set(d, 0x7FFF));
  const V sign = hn::And(datum, hn::Set(d, 0x80));
  const V of_zero = hn::IfThenZeroElse(sign == hn::Zero(d), hn::Set(d, infinity));
  return hn::OrAnd(hn::IfThenElse(magnitude == hn::Zero(d), of_zero, pattern), hn::ShiftLeft<8>(sign),
                   hn::Set(d, 0x8000));
}

// `datum` right-aligned, but narrow block floats left-aligned in eight bits.
template <Rule kRule>
HWY_INLINE V CellOf(V datum, V exponent) {
  const U d;
  const I i;
  const V ones = hn::And(datum, hn::Set(d, 0x7F));
  if constexpr (kRule == Rule::Bf16) return hn::ShiftLeft<3>(datum);
  if constexpr (kRule == Rule::Fp16) return CellOfFp16(datum, hn::And(datum, hn::Set(d, 0x7FFF)));
  if constexpr (kRule == Rule::Int16) {
    const V high =
        hn::OrAnd(hn::ShiftLeft<10>(hn::And(datum, hn::Set(d, 0xFF))), hn::ShiftRight<5>(datum), hn::Set(d, 0x3F8));
    return CellOfFp16(datum, high);
  }
  if constexpr (kRule == Rule::Tf32) return hn::ShiftRight<13>(datum);
  if constexpr (kRule == Rule::Fp32ToBf16) {
    const auto tiny = hn::And(datum, hn::Set(d, 0x7F800000)) == hn::Zero(d);
    const V kept = hn::IfThenElse(tiny, hn::And(datum, hn::Set(d, 0x80000000)), datum);
    return hn::And(hn::ShiftRight<13>(kept), hn::Set(d, 0x7FFF8));
  }
  if constexpr (kRule == Rule::Fp32ToFp16) {
    const auto rebased =
        hn::BitCast(i, hn::And(hn::ShiftRight<13>(datum), hn::Set(d, 0x3FFFF))) - hn::Set(i, 112 << 10);
    const auto clamped = hn::Min(hn::Max(rebased, hn::Zero(i)), hn::Set(i, 0x7FFF));
    return CellOfFp16(hn::ShiftRight<16>(datum), hn::BitCast(d, clamped));
  }
  if constexpr (kRule == Rule::Bfp) return hn::ShiftLeft<3>(BlockFloat<16>(datum, exponent, 0x7F80));
  if constexpr (kRule == Rule::Bfpa) {
    const V v = BlockFloat<13>(datum, exponent, 0x7C00);
    return CellOfFp16(v, hn::And(v, hn::Set(d, 0x7FFF)));
  }
  if constexpr (kRule == Rule::E5M2 || kRule == Rule::E4M3) {
    const auto all_ones = ones == hn::Set(d, 0x7F);
    if constexpr (kRule == Rule::E5M2) {
      return CellOfFp16(hn::ShiftLeft<8>(datum),
                        hn::Or(hn::ShiftLeft<8>(ones), hn::IfThenElseZero(all_ones, hn::Set(d, 0xFF))));
    }
    const auto has_exponent = hn::And(datum, hn::Set(d, 0x78)) != hn::Zero(d);
    const V magnitude = hn::ShiftLeft<7>(ones) + hn::IfThenElseZero(has_exponent, hn::Set(d, 8 << 10));
    return CellOfFp16(hn::ShiftLeft<8>(datum), hn::Or(magnitude, hn::IfThenElseZero(all_ones, hn::Set(d, 0x7F))));
  }
  if constexpr (kRule == Rule::Int8 || kRule == Rule::Uint8) {
    const V magnitude = kRule == Rule::Int8 ? ones : datum;
    const V cell = hn::IfThenZeroElse(magnitude == hn::Zero(d), hn::Or(magnitude, hn::Set(d, 16 << 10)));
    return kRule == Rule::Int8 ? CellOfFp16(hn::ShiftLeft<8>(datum), cell) : cell;
  }
}

// Sixteen datums of 4 or 2 bits to left-aligned bytes.
HWY_INLINE uint64_t SpreadNibbles(uint64_t four_bytes) {
  uint64_t t = four_bytes;
  t = (t | t << 16) & 0x0000FFFF0000FFFF;
  t = (t | t << 8) & 0x00FF00FF00FF00FF;
  t = (t | t << 4) & 0x0F0F0F0F0F0F0F0F;
  return t << 4;
}
HWY_INLINE uint64_t SpreadPairs(uint64_t two_bytes) {
  uint64_t t = two_bytes;
  t = (t | t << 24) & 0x000000FF000000FF;
  t = (t | t << 12) & 0x000F000F000F000F;
  t = (t | t << 6) & 0x0303030303030303;
  return t << 6;
}

template <unsigned kBits>
HWY_INLINE V Load(const uint8_t* at) {
  const U d;
  if constexpr (kBits == 32) {
    return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, U>(), at));
  } else if constexpr (kBits == 16) {
    const hn::Rebind<uint16_t, U> half;
    return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const uint16_t*>(at)));
  } else {
    const hn::Rebind<uint8_t, U> quarter;
    return hn::PromoteTo(d, hn::LoadU(quarter, at));
  }
}

template <Rule kRule, unsigned kBits>
void Unpack(const uint8_t* data, const uint8_t* exponents, size_t groups, Cell* out) {
  const U d;
  constexpr unsigned kLoaded = kBits < 8 ? 8 : kBits;
  constexpr bool kShared = kRule == Rule::Bfp || kRule == Rule::Bfpa;
  for (size_t g = 0; g < groups; ++g) {
    const uint8_t* from = data + g * 2 * kBits;
    alignas(16) uint8_t spread[16];
    if constexpr (kBits == 4 || kBits == 2) {
      uint64_t packed = 0;
      std::memcpy(&packed, from, 2 * kBits);
      const uint64_t halves[2] = {kBits == 4 ? SpreadNibbles(packed & 0xFFFFFFFF) : SpreadPairs(packed & 0xFFFF),
                                  kBits == 4 ? SpreadNibbles(packed >> 32) : SpreadPairs(packed >> 16)};
      std::memcpy(spread, halves, sizeof spread);
      from = spread;
    }
    const V exponent = hn::Set(d, kShared ? exponents[g] : 0);
    for (unsigned j = 0; j < 16; j += static_cast<unsigned>(hn::Lanes(d)))
      hn::StoreU(CellOf<kRule>(Load<kLoaded>(from + j * kLoaded / 8), exponent), d, out + 16 * g + j);
  }
}

UnpackFunction FindUnpack(const UnpackFormat& f) {
  switch (f.in) {
    case Format::Fp32:
      if (f.out == Format::Bf16) return Unpack<Rule::Fp32ToBf16, 32>;
      if (f.out == Format::Fp16) return Unpack<Rule::Fp32ToFp16, 32>;
      return Unpack<Rule::Tf32, 32>;
    case Format::Bf16: return Unpack<Rule::Bf16, 16>;
    case Format::Fp16: return Unpack<Rule::Fp16, 16>;
    case Format::Int16: return Unpack<Rule::Int16, 16>;
    case Format::Bfp8: return Unpack<Rule::Bfp, 8>;
    case Format::Bfp4: return Unpack<Rule::Bfp, 4>;
    case Format::Bfp2: return Unpack<Rule::Bfp, 2>;
    case Format::Bfp8a: return Unpack<Rule::Bfpa, 8>;
    case Format::Bfp4a: return Unpack<Rule::Bfpa, 4>;
    case Format::Bfp2a: return Unpack<Rule::Bfpa, 2>;
    case Format::Fp8: return f.fp8_e4m3 ? Unpack<Rule::E4M3, 8> : Unpack<Rule::E5M2, 8>;
    case Format::Int8: return f.unsigned_int8 ? Unpack<Rule::Uint8, 8> : Unpack<Rule::Int8, 8>;
    default: return nullptr;
  }
}
#endif

UnpackKernels UnpackKernelsOf(const char* name) { return {name, FindUnpack}; }

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/math/kernel_list.hpp"

namespace kerr::emu::math {
std::span<const UnpackKernels> unpack_kernels() {
  static const KernelList<UnpackKernels> list(
      KERR_FORMS(UnpackKernelsOf), {"definition", [](const UnpackFormat&) -> UnpackFunction { return nullptr; }});
  return list.span();
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
