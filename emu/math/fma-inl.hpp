// The vector forms of math::fma(), compiled once for each of Highway's targets. Each leaves vectors, or lanes, that it
// cannot do to the next one.
//
// FmaByHost: the host's fused multiply-add. The chip rounds P +- A (tensix-math.md 8), where product and addend have
// lost what was shifted out of them but for a sticky bit: a whole number in units of bit 0 of P, odd if something was
// lost, and less than 1 away from the true one. If one of the two has lost something and the other is even, the sum is
// odd, and unless it loses two bits or more by cancellation, the numbers where rounding turns are even: none lies
// between the chip's sum and the true one, so both round to the same. An addend that vanishes whole is too small to
// move a product of 24 bits. Left over, where the product has more than 24 bits: such cancellations, and addends that
// are odd or vanish. Besides those, whatever is not of middling size.
//
// FmaByIntegers: the steps of the scalar definition but for the last. The sum v has at most 29 bits, the host's
// conversion of an integer to a float rounds it to 24 bits to nearest even, and that is what steps 6 and 7 do as long
// as the result neither underflows nor overflows - n is at most 2 then, and the mask n | 1 covers all bits that are
// lost. Left over: lanes near either end of the range, or that meet an infinity or a NaN.
#include <cstdint>

#include "emu/math/fma.hpp"
#include "hwy/highway.h"

#if defined(KERR_MATH_FMA_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KERR_MATH_FMA_INL
#undef KERR_MATH_FMA_INL
#else
#define KERR_MATH_FMA_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE uint32_t Element(const uint32_t* from, unsigned n) { return from[n]; }
HWY_INLINE uint32_t Element(uint32_t all, unsigned) { return all; }

template <class Y>
HWY_INLINE void MultiplyAdd(uint32_t* d, const uint32_t* x, Y y, const uint32_t* z, uint32_t x_flip, uint32_t z_flip,
                            uint32_t lanes) {
  for (unsigned n = 0; n < 32; ++n) {
    if (lanes >> n & 1) d[n] = fma(x[n] ^ x_flip, Element(y, n), z[n] ^ z_flip);
  }
}

#else

namespace fma_detail {

using I = hn::CappedTag<int32_t, 16>;
using U = hn::Rebind<uint32_t, I>;
using F = hn::Rebind<float, I>;
using U64 = hn::Repartition<uint64_t, U>;
using VI = hn::Vec<I>;
using VU = hn::Vec<U>;

// shift_half_sticky() of fma.cpp: v >> k, bits that are lost set bit 0 unless nothing else is left. v has less than
// 31 bits.
HWY_INLINE VI ShiftHalfSticky(VI v, VI k) {
  const U u;
#if HWY_TARGET <= HWY_AVX2  // shifts by 32 or more give 0 there
  const VU count = hn::BitCast(u, k);
#else
  const VU count = hn::BitCast(u, hn::Min(k, hn::Set(I(), 31)));
#endif
  const VU q = hn::Shr(hn::BitCast(u, v), count);
  const VU lost = hn::Xor(hn::Shl(q, count), hn::BitCast(u, v));
  return hn::BitCast(I(), hn::Or(q, hn::Min(hn::Min(lost, q), hn::Set(u, 1))));
}

#if HWY_NATIVE_FMA

using VF = hn::Vec<F>;

// The conditions on a product of more than 24 bits: lanes where the addend is odd or vanishes, or where the sum is
// smaller than its parts.
HWY_INLINE hn::Mask<F> OddOrCancels(VF product, VF z, VF result) {
  const F f;
  const U u;
  const VF addend = hn::Abs(z), ar = hn::Abs(result);
  const auto cancels = hn::Add(ar, ar) < hn::Max(hn::Abs(product), addend);
  // Between this and twice it the last place of a float is two units of bit 0 of P or, if the product's mantissa is 2
  // or more, four. Larger addends are even.
  const VF exponent = hn::BitCast(f, hn::And(hn::BitCast(u, product), hn::Set(u, 0x7F800000)));
  const VF binade = hn::Mul(exponent, hn::Set(f, 0.25f));
  const VF even = hn::Sub(hn::Add(addend, binade), binade);
  return hn::Or(hn::And(addend < binade, even != addend), cancels);
}

// One vector. The result counts in the lanes of `usual` that are `narrow` (the product has 24 bits) or for which
// OddOrCancels() does not hold.
HWY_INLINE VF FmaByHost(VF x, VF y, VF z, hn::Mask<F>& usual, hn::Mask<F>& narrow) {
  const U u;
  const F f;
  const VF result = hn::MulAdd(x, y, z);
  const VU ax = hn::BitCast(u, hn::Abs(x)), ay = hn::BitCast(u, hn::Abs(y)), az = hn::BitCast(u, hn::Abs(z));
  // Factors are 0 or from 2^-38 to 2^60, the addend is no denormal. Infinities and NaNs show in the result.
  constexpr uint32_t kSmallest = (127 - 38) << 23, kTooLarge = (127 + 60) << 23;
  const VU one = hn::Set(u, 1);
  const auto small = hn::Or(hn::Min(ax, ay) - one < hn::Set(u, kSmallest - 1), az - one < hn::Set(u, 0x7FFFFF));
  const auto large = hn::Max(ax, ay) > hn::Set(u, kTooLarge - 1);
  usual = hn::AndNot(hn::RebindMask(f, hn::Or(small, large)), hn::Abs(result) < hn::Set(f, 0x1p125f));
  narrow = hn::MulSub(x, y, hn::Mul(x, y)) == hn::Zero(f);
  return result;
}

#endif

// One vector. `hard` gets the lanes whose result does not count.
HWY_INLINE VI FmaByIntegers(VI x, VI y, VI z, hn::Mask<I>& hard) {
  const I i;
  const U u;
  const F f;
  const U64 w;
  const VI k255 = hn::Set(i, 255), one = hn::Set(i, 1), zero = hn::Zero(i), sign = hn::Set(i, INT32_MIN);
  const VI ex = hn::And(hn::ShiftRight<23>(x), k255), ey = hn::And(hn::ShiftRight<23>(y), k255);
  const VI ez = hn::And(hn::ShiftRight<23>(z), k255);
  const VI ep_plus_1 = ex + ey - hn::Set(i, 126);
  const auto vanished = hn::Min(hn::Min(ex, ey), ep_plus_1) < one;

  // Mantissas six places up: the upper half of the 64-bit product is P; the sticky bit tells whether the lower half
  // is zero.
  const VI hidden = hn::Set(i, 0x800000 << 6), fraction = hn::Set(i, 0x7FFFFF << 6);
  const VU mx = hn::BitCast(u, hn::Or(hn::And(hn::ShiftLeft<6>(x), fraction), hidden));
  const VU my = hn::BitCast(u, hn::Or(hn::And(hn::ShiftLeft<6>(y), fraction), hidden));
  const auto even = hn::MulEven(mx, my);
  const auto odd = hn::MulEven(hn::BitCast(u, hn::ShiftRight<32>(hn::BitCast(w, mx))),
                               hn::BitCast(u, hn::ShiftRight<32>(hn::BitCast(w, my))));
  const VU high = hn::OddEven(hn::BitCast(u, odd), hn::BitCast(u, hn::ShiftRight<32>(even)));
  const VU low = hn::OddEven(hn::BitCast(u, hn::ShiftLeft<32>(odd)), hn::BitCast(u, even));
  const VI p = hn::IfThenZeroElse(vanished, hn::BitCast(i, hn::Or(high, hn::Min(low, hn::Set(u, 1)))));
  const VI ep = hn::IfThenZeroElse(vanished, ep_plus_1 - one);
  const VI addend = hn::IfThenZeroElse(
      ez == zero, hn::Or(hn::And(hn::ShiftLeft<3>(z), hn::Set(i, 0x7FFFFF << 3)), hn::Set(i, 0x800000 << 3)));

  // The sum with the sign of the product taken out.
  const VI r = hn::Max(ep, ez);
  const VI product_sign = hn::Xor(x, y);
  const VI differ = hn::BroadcastSignBit(hn::Xor(product_sign, z));
  const VI v = ShiftHalfSticky(p, r - ep) + hn::Xor(ShiftHalfSticky(addend, r - ez), differ) - differ;
  const VI rounded = hn::BitCast(i, hn::ConvertTo(f, v));
  const VI magnitude = hn::AndNot(sign, rounded) + hn::ShiftLeft<23>(r - hn::Set(i, 127 + 26));
  const VI result = hn::Or(hn::And(hn::Xor(rounded, product_sign), sign), magnitude);

  // Exponents below 2 and from 255 on, as one comparison: the range moved to the upper end of the signed numbers.
  const auto near_the_ends = magnitude + hn::Set(i, 0x7F000000) > hn::Set(i, static_cast<int32_t>(0xFE7FFFFF));
  const auto special = hn::Max(hn::Max(ex, ey), r) > hn::Set(i, 254);
  const auto nothing = v == zero;
  hard = hn::Or(special, hn::AndNot(nothing, near_the_ends));
  return hn::IfThenElse(nothing, hn::And(hn::And(product_sign, z), sign), result);
}

// Replaces the hard lanes of `result`.
HWY_NOINLINE VI ByDefinition(VI result, hn::Mask<I> hard, VI x, VI y, VI z) {
  const I i;
  constexpr size_t kLanes = hn::MaxLanes(I());
  HWY_ALIGN int32_t values[kLanes], left[kLanes], px[kLanes], py[kLanes], pz[kLanes];
  hn::Store(result, i, values);
  hn::Store(hn::VecFromMask(i, hard), i, left);
  hn::Store(x, i, px);
  hn::Store(y, i, py);
  hn::Store(z, i, pz);
  for (size_t l = 0; l < kLanes; ++l) {
    if (left[l] == 0) continue;
    values[l] = static_cast<int32_t>(
        fma(static_cast<uint32_t>(px[l]), static_cast<uint32_t>(py[l]), static_cast<uint32_t>(pz[l])));
  }
  return hn::Load(i, values);
}

HWY_INLINE VI Elements(const uint32_t* from, size_t at) {
  return hn::LoadU(I(), reinterpret_cast<const int32_t*>(from + at));
}
HWY_INLINE VI Elements(uint32_t all, size_t) { return hn::Set(I(), static_cast<int32_t>(all)); }

constexpr size_t kStep = hn::MaxLanes(I()), kSteps = 32 / kStep;

// Stores those of `values` whose bit in `lanes` is set.
HWY_INLINE void Store(VI values, uint32_t* to, size_t at, uint32_t lanes) {
  const I i;
  HWY_ALIGN int32_t bits[kStep];
  for (size_t l = 0; l < kStep; ++l) bits[l] = 1 << l;
  const auto wanted = hn::TestBit(hn::Set(i, static_cast<int32_t>(lanes >> at)), hn::Load(i, bits));
  hn::StoreU(hn::IfThenElse(wanted, values, Elements(to, at)), i, reinterpret_cast<int32_t*>(to + at));
}

// MultiplyAdd() without FmaByHost(). It reads everything anew: what is kept for it would cost those that never come
// here.
template <class Y>
HWY_NOINLINE void WithoutHost(uint32_t* d, const uint32_t* x, Y y, const uint32_t* z, uint32_t x_flip, uint32_t z_flip,
                              uint32_t lanes) {
  for (size_t n = 0; n < kSteps; ++n) {
    const VI vx = hn::Xor(Elements(x, n * kStep), Elements(x_flip, 0)), vy = Elements(y, n * kStep);
    const VI vz = hn::Xor(Elements(z, n * kStep), Elements(z_flip, 0));
    hn::Mask<I> hard;
    VI result = FmaByIntegers(vx, vy, vz, hard);
    if (HWY_UNLIKELY(!hn::AllFalse(I(), hard))) result = ByDefinition(result, hard, vx, vy, vz);
    Store(result, d, n * kStep, lanes);
  }
}

}  // namespace fma_detail

/// d = (x ^ x_flip) * y + (z ^ z_flip) in those of 32 elements whose bit in `lanes` is set. d may be one of the others.
/// `y` is an array or one number for all.
template <class Y>
HWY_INLINE void MultiplyAdd(uint32_t* d, const uint32_t* x, Y y, const uint32_t* z, uint32_t x_flip, uint32_t z_flip,
                            uint32_t lanes) {
  using namespace fma_detail;
#if HWY_NATIVE_FMA
  const F f;
  VF vx[kSteps], vy[kSteps], vz[kSteps], result[kSteps];
  hn::Mask<F> usual[kSteps], narrow[kSteps];
  auto all = hn::FirstN(f, kStep);
#pragma GCC unroll 8
  for (size_t n = 0; n < kSteps; ++n) {
    vx[n] = hn::BitCast(f, hn::Xor(Elements(x, n * kStep), Elements(x_flip, 0)));
    vy[n] = hn::BitCast(f, Elements(y, n * kStep));
    vz[n] = hn::BitCast(f, hn::Xor(Elements(z, n * kStep), Elements(z_flip, 0)));
    result[n] = FmaByHost(vx[n], vy[n], vz[n], usual[n], narrow[n]);
    all = hn::And(all, hn::And(usual[n], narrow[n]));
  }
  if (!hn::AllTrue(f, all)) {
    all = hn::FirstN(f, kStep);
#pragma GCC unroll 8
    for (size_t n = 0; n < kSteps; ++n) {
      const auto bad = OddOrCancels(hn::Mul(vx[n], vy[n]), vz[n], result[n]);
      all = hn::And(all, hn::And(usual[n], hn::Or(narrow[n], hn::Not(bad))));
    }
    if (HWY_UNLIKELY(!hn::AllTrue(f, all))) return WithoutHost(d, x, y, z, x_flip, z_flip, lanes);
  }
#pragma GCC unroll 8
  for (size_t n = 0; n < kSteps; ++n) Store(hn::BitCast(I(), result[n]), d, n * kStep, lanes);
#else
  WithoutHost(d, x, y, z, x_flip, z_flip, lanes);
#endif
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();
#endif  // include guard
