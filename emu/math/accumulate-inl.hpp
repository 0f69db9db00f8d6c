// The vector form of accumulate() in integers, for any exponents; compiled once for each of Highway's targets.
// docs/hardware/tensix-math.md 4.3, 14.5
#include <cstdint>

#include "emu/math/fpu_mode.hpp"
#include "hwy/highway.h"

#if defined(KERR_MATH_ACCUMULATE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KERR_MATH_ACCUMULATE_INL
#undef KERR_MATH_ACCUMULATE_INL
#else
#define KERR_MATH_ACCUMULATE_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A row of Dst or a part of it.
using F = hn::CappedTag<float, kColumns>;
using I = hn::Rebind<int32_t, F>;
using U = hn::Rebind<uint32_t, F>;
using U16 = hn::Rebind<uint16_t, F>;
using VF = hn::Vec<F>;
using VI = hn::Vec<I>;

struct DstVector {
  VI exponent;
  VI doubled;   // 2 * magnitude, and ~(2 * magnitude) = -2 * magnitude - 1 if negative, see RoundShift
  VI negative;  // 0 or -1
};

template <bool kWide, bool kE8>
HWY_INLINE DstVector LoadDst(const DstRows& dst, unsigned at) {
  const I i;
  const U16 u16;
  const VI h = hn::PromoteTo(i, hn::LoadU(u16, dst.high + at));
  const VI exponent = hn::And(h, hn::Set(i, kE8 || kWide ? 0xFF : 0x1F));
  VI m = hn::ShiftLeft<8>(hn::And(h, hn::Set(i, kE8 || kWide ? 0x7F00 : 0x7FE0)));
  if constexpr (kWide) m = hn::Or(m, hn::PromoteTo(i, hn::LoadU(u16, dst.low + at)));
  m = hn::IfThenZeroElse(exponent == hn::Zero(i), hn::Or(m, hn::Set(i, 0x800000)));
  const VI negative = hn::ShiftRight<31>(hn::ShiftLeft<16>(h));
  const VI doubled = hn::Xor(hn::Add(m, m), negative);
  return {exponent, doubled, negative};
}

/// +0, for instructions that do not accumulate.
HWY_INLINE DstVector ZeroDst() {
  const VI zero = hn::Zero(I());
  return {zero, zero, zero};
}

// Shifts a doubled value right by count + 1 and rounds half toward +infinity. For -2m - 1 in place of -2m that is
// half away from zero: the extra one moves ties down and can move nothing else, because 2m is even.
HWY_INLINE VI RoundShift(VI doubled, VI count) {
  const I i;
#if HWY_TARGET > HWY_AVX2  // there, and on better ones, counts above 31 give the sign
  count = hn::Min(count, hn::Set(i, 31));
#endif
  return hn::ShiftRight<1>((doubled >> count) + hn::Set(i, 1));
}

// What a 16-bit Dst does to every addend; `down` is -1 where ties go down.
HWY_INLINE VI KeepTenFractionBits(VI x, VI half) {
  const I i;
  return hn::And(x + half, hn::Set(i, ~8191));
}

/// Dst <- ACC(s0 * 2^13 at exponent e0, s1 * 2^13 at exponent e1, d), for signed s.
template <bool kWide, bool kE8>
HWY_INLINE void Accumulate(VI s0, VI e0, VI s1, VI e1, const DstVector& d, const DstRows& dst, unsigned at) {
  const F f;
  const I i;
  const U16 u16;
  const VI e = hn::Max(hn::Max(e0, e1), d.exponent);
  VI x0 = RoundShift(hn::ShiftLeft<14>(s0), e - e0);
  VI x1 = RoundShift(hn::ShiftLeft<14>(s1), e - e1);
  VI xd = RoundShift(d.doubled, e - d.exponent);
  if constexpr (!kWide) {
    const VI half = hn::Set(i, 4096);
    x0 = KeepTenFractionBits(x0, half);
    x1 = KeepTenFractionBits(x1, half);
    xd = KeepTenFractionBits(xd, half + d.negative);
  }
  const VI v = x0 + x1 + xd;

  // The conversion to float finds the top bit and, for a 32-bit Dst, rounds: twice the value plus one makes ties fall
  // away from zero; below 2^24 there is nothing to round.
  const VI g = hn::Abs(v);
  VI doubled = hn::Add(g, g);
  if constexpr (kWide) doubled = hn::Or(doubled, hn::IfThenElseZero(g > hn::Set(i, 0xFFFFFF), hn::Set(i, 1)));
  VI bits = hn::BitCast(i, hn::ConvertTo(f, doubled));
  if constexpr (!kWide) {
    constexpr int32_t kHalf = kE8 ? 0x8000 : 0x1000;
    bits = hn::And(bits + hn::Set(i, kHalf), hn::Set(i, -2 * kHalf));
  }
  const VI adjust = e - hn::Set(i, 127 + 23 + 1);
  const VI exponent = hn::ShiftRight<23>(bits) + adjust;
  VI result = bits + hn::ShiftLeft<23>(adjust);
  constexpr bool kFp16 = !kWide && !kE8;
  const VI over = hn::Set(i, kFp16 ? 31 << 23 | 0x3FF << 13 : 0x7F800000);
  result = hn::IfThenElse(exponent > hn::Set(i, kFp16 ? 31 : 254), over, result);
  const VI sign = hn::And(hn::ShiftRight<16>(v), hn::Set(i, 0x8000));
  const auto nothing = hn::Or(g == hn::Zero(i), exponent < hn::Set(i, 1));

  const VI mantissa = hn::And(hn::ShiftRight<8>(result), hn::Set(i, kFp16 ? 0x7FE0 : 0x7F00));
  const VI field = hn::And(hn::ShiftRight<23>(result), hn::Set(i, kFp16 ? 0x1F : 0xFF));
  const VI high = hn::IfThenZeroElse(nothing, hn::Or(hn::Or(mantissa, field), sign));
  hn::StoreU(hn::DemoteTo(u16, high), u16, dst.high + at);
  if constexpr (kWide) {
    const VI low = hn::IfThenZeroElse(nothing, hn::And(result, hn::Set(i, 0xFFFF)));
    hn::StoreU(hn::DemoteTo(u16, low), u16, dst.low + at);
  }
}

/// Integer mode: Dst <- saturated Dst + x, or x. 4.5
HWY_INLINE void AccumulateInteger(VI x, bool accumulate_dst, const DstRows& dst, unsigned at) {
  const I i;
  const U16 u16;
  const VI zero = hn::Zero(i), most = hn::Set(i, INT32_MAX);
  VI sum = x;
  if (accumulate_dst) {
    const VI h = hn::PromoteTo(i, hn::LoadU(u16, dst.high + at)), l = hn::PromoteTo(i, hn::LoadU(u16, dst.low + at));
    const VI magnitude = hn::Or(hn::Or(hn::ShiftLeft<23>(hn::And(h, hn::Set(i, 0xFF))),
                                       hn::ShiftLeft<8>(hn::And(h, hn::Set(i, 0x7F00)))), l);
    const VI negative = hn::ShiftRight<31>(hn::ShiftLeft<16>(h));
    const VI old = hn::Xor(magnitude, negative) - negative;
    sum = old + x;
    const VI overflow = hn::BroadcastSignBit(hn::And(hn::Xor(old, sum), hn::Xor(x, sum)));
    const VI limit = hn::Xor(most, hn::BroadcastSignBit(old));  // the negative one is one too far
    sum = hn::Max(hn::Or(hn::And(overflow, limit), hn::AndNot(overflow, sum)), zero - most);
  }
  const VI g = hn::Abs(sum);
  const VI high = hn::Or(hn::Or(hn::And(hn::ShiftRight<8>(g), hn::Set(i, 0x7F00)), hn::ShiftRight<23>(g)),
                         hn::And(hn::ShiftRight<16>(sum), hn::Set(i, 0x8000)));
  hn::StoreU(hn::DemoteTo(u16, high), u16, dst.high + at);
  hn::StoreU(hn::DemoteTo(u16, hn::And(g, hn::Set(i, 0xFFFF))), u16, dst.low + at);
}

/// Calls f with two integral constants: whether Dst is wide, whether exponents have 8 bits.
template <class Function>
HWY_INLINE void ForKindOf(const FpuMode& mode, Function f) {
  if (mode.wide()) {
    mode.wide_exponent() ? f(std::true_type(), std::true_type()) : f(std::true_type(), std::false_type());
  } else {
    mode.wide_exponent() ? f(std::false_type(), std::true_type()) : f(std::false_type(), std::false_type());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();
#endif  // include guard
