// The vector form of the dot product, compiled for every instruction set by Highway's foreach_target.
//
// A group's sum (tensix-math.md 4.2) aligns eight products p * 2^e to the largest exponent M and rounds each half
// away from zero. Here the host's adder does that: acc starts as 1.5 * 2^23 units of 2^M, so that its last bit is one
// unit, and every multiply-add into it rounds the exact product to whole units. Proof that this is the integer
// definition:
//   - acc stays within [2^23, 2^24) units, since |S| <= 31496 < 2^22; it is always a whole number of units, so
//     round(acc + x) = acc + round(x), except that the host resolves ties to even;
//   - SrcA's slices carry the factor 1 + 2^-15. p < 2^12 grows by less than an eighth of its own last bit, and a tie
//     is at least one such bit away from any other p, so ties move outward and nothing else crosses one;
//   - the factor makes 20 bits of the 5 of a slice: exact in a float; the product (27 bits) is exact inside a fused
//     multiply-add, and where mul and add are two instructions its rounding to 24 bits cannot undo the factor;
//   - differences of bit patterns of floats with one exponent are differences of their last bits: S = bits(acc) -
//     bits(start).
// It holds for round-to-nearest-even, the mode that every thread of a C program starts in, and for finite numbers,
// which kLargestExponent guarantees. Groups whose M is too small for a normal start are empty anyway (M <= 0) and
// their sum is masked, whatever the additions made of it.
#include "emu/tensix/math/dot_product_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tensix/math/dot_product_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "emu/tensix/math/multiply.hpp"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kColumns>;
using I = hn::Rebind<std::int32_t, F>;
using U = hn::Rebind<std::uint32_t, F>;
using I16 = hn::Rebind<std::int16_t, F>;
using U16 = hn::Rebind<std::uint16_t, F>;
using VF = hn::Vec<F>;
using VI = hn::Vec<I>;
using VI16 = hn::Vec<I16>;

// ---------------------------------------------------------------- planes
void Split(const Cell (*cells)[kColumns], Side side, Format format, bool wide_exponent, SrcPlanes::Block& out) {
  const F f;
  const I i;
  const I16 i16;
  Cell mask = trim(kCellMask, format);
  if (!wide_exponent) mask &= 0x47FFF;
  const VI keep = hn::Set(i, static_cast<std::int32_t>(mask));
  const VI rebias = hn::Set(i, wide_exponent ? 0 : 127 - 15);
  const VI empty = hn::Set(i, SrcPlanes::kEmpty);
  const VF factor = hn::Set(f, side == Side::A ? kTieBreaker : 1.0f);
  VI largest = empty;
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < kColumns; c += hn::Lanes(f)) {
      const VI cell = hn::And(hn::LoadU(i, reinterpret_cast<const std::int32_t*>(&cells[r][c])), keep);
      const VI field = hn::And(hn::ShiftRight<10>(cell), hn::Set(i, 0xFF));
      const auto zero = field == hn::Zero(i);
      const VI exponent = field + rebias;
      const VI visible = hn::IfThenElse(zero, empty, exponent);
      largest = hn::Max(largest, visible);
      hn::Store(hn::DemoteTo(i16, visible), i16, &out.exponent[r][c]);

      const VI mantissa = hn::Or(hn::And(cell, hn::Set(i, 0x3FF)), hn::Set(i, 0x400));
      const VI high = side == Side::A ? hn::ShiftRight<6>(mantissa) : hn::ShiftRight<4>(mantissa);
      const VI low = side == Side::A ? hn::And(hn::ShiftRight<1>(mantissa), hn::Set(i, 31))
                                     : hn::ShiftLeft<3>(hn::And(mantissa, hn::Set(i, 15)));
      const VI sign = hn::ShiftLeft<13>(hn::And(cell, hn::Set(i, static_cast<std::int32_t>(kCellSign))));
      // 2^(exponent - 127); an exponent too large for this path makes some finite number, which nobody uses.
      const VI scale_bits = hn::ShiftLeft<23>(hn::Min(exponent, hn::Set(i, kLargestExponent)));
      const VF scale = hn::BitCast(f, hn::IfThenZeroElse(zero, hn::Or(scale_bits, sign))) * factor;
      hn::Store(hn::ConvertTo(f, high) * scale, f, &out.slice[0][r][c]);
      hn::Store(hn::ConvertTo(f, low) * scale, f, &out.slice[1][r][c]);
    }
  }
  out.largest = static_cast<std::int16_t>(hn::GetLane(hn::MaxOfLanes(i, largest)));
}

// ---------------------------------------------------------------- ACC, tensix-math.md 4.3 and 14.5
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
  DstVector d;
  d.exponent = hn::And(h, hn::Set(i, kE8 || kWide ? 0xFF : 0x1F));
  VI m = hn::ShiftLeft<8>(hn::And(h, hn::Set(i, kE8 || kWide ? 0x7F00 : 0x7FE0)));
  if constexpr (kWide) m = hn::Or(m, hn::PromoteTo(i, hn::LoadU(u16, dst.low + at)));
  m = hn::IfThenZeroElse(d.exponent == hn::Zero(i), hn::Or(m, hn::Set(i, 0x800000)));
  d.negative = hn::ShiftRight<31>(hn::ShiftLeft<16>(h));
  d.doubled = hn::Xor(hn::Add(m, m), d.negative);
  return d;
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

template <bool kWide, bool kE8>
HWY_INLINE void Accumulate(VI s0, VI e0, VI s1, VI e1, const DstRows& dst, unsigned at) {
  const F f;
  const I i;
  const U16 u16;
  const DstVector d = LoadDst<kWide, kE8>(dst, at);
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
    constexpr std::int32_t kHalf = kE8 ? 0x8000 : 0x1000;
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

// ---------------------------------------------------------------- the products
constexpr unsigned kMostRows = 16;

// Of the rows of a group: sums of products, and the exponents they are aligned to.
struct GroupSums {
  HWY_ALIGN std::int32_t sum[kMostRows][kColumns];
  HWY_ALIGN std::int32_t exponent[kMostRows][kColumns];
};

// Sums of the products of SrcA rows `first` .. `first` + 7, which stay in registers, with `rows` rows of SrcB.
// `correction` is J, `least` is Z.
template <bool kClampExponent>
HWY_INLINE void SumGroup(const SrcPlanes::Block& a, const SrcPlanes::Block& b, const float* slice_a,
                         const float* slice_b, unsigned row_b, unsigned rows, unsigned first, unsigned column,
                         VI correction, VI least, GroupSums& out) {
  const F f;
  const I i;
  const I16 i16;
  const VI16 ea0 = hn::Load(i16, &a.exponent[first + 0][column]), ea1 = hn::Load(i16, &a.exponent[first + 1][column]);
  const VI16 ea2 = hn::Load(i16, &a.exponent[first + 2][column]), ea3 = hn::Load(i16, &a.exponent[first + 3][column]);
  const VI16 ea4 = hn::Load(i16, &a.exponent[first + 4][column]), ea5 = hn::Load(i16, &a.exponent[first + 5][column]);
  const VI16 ea6 = hn::Load(i16, &a.exponent[first + 6][column]), ea7 = hn::Load(i16, &a.exponent[first + 7][column]);
  const float* sa = slice_a + kColumns * first + column;
  const VF a0 = hn::Load(f, sa), a1 = hn::Load(f, sa + kColumns);
  const VF a2 = hn::Load(f, sa + 2 * kColumns), a3 = hn::Load(f, sa + 3 * kColumns);
  const VF a4 = hn::Load(f, sa + 4 * kColumns), a5 = hn::Load(f, sa + 5 * kColumns);
  const VF a6 = hn::Load(f, sa + 6 * kColumns), a7 = hn::Load(f, sa + 7 * kColumns);
  for (unsigned r = 0; r < rows; ++r) {
    const std::int16_t* eb = &b.exponent[row_b + r][first];
    const VI16 m01 = hn::Max(ea0 + hn::Set(i16, eb[0]), ea1 + hn::Set(i16, eb[1]));
    const VI16 m23 = hn::Max(ea2 + hn::Set(i16, eb[2]), ea3 + hn::Set(i16, eb[3]));
    const VI16 m45 = hn::Max(ea4 + hn::Set(i16, eb[4]), ea5 + hn::Set(i16, eb[5]));
    const VI16 m67 = hn::Max(ea6 + hn::Set(i16, eb[6]), ea7 + hn::Set(i16, eb[7]));
    const VI top = hn::PromoteTo(i, hn::Max(hn::Max(m01, m23), hn::Max(m45, m67)));

    // 1.5 * 2^23 units of 2^(top - 254): its exponent field is top - 104. Where that is none, the group is empty, see
    // below.
    const VI start = hn::Or(hn::ShiftLeft<23>(top - hn::Set(i, 104)), hn::Set(i, 0x400000));
    const float* sb = slice_b + kColumns * (row_b + r) + first;
    VF acc = hn::MulAdd(a0, hn::Set(f, sb[0]), hn::BitCast(f, start));
    acc = hn::MulAdd(a1, hn::Set(f, sb[1]), acc);
    acc = hn::MulAdd(a2, hn::Set(f, sb[2]), acc);
    acc = hn::MulAdd(a3, hn::Set(f, sb[3]), acc);
    acc = hn::MulAdd(a4, hn::Set(f, sb[4]), acc);
    acc = hn::MulAdd(a5, hn::Set(f, sb[5]), acc);
    acc = hn::MulAdd(a6, hn::Set(f, sb[6]), acc);
    acc = hn::MulAdd(a7, hn::Set(f, sb[7]), acc);
    VI exponent = top + correction;
    const VI sum = hn::IfThenElseZero(exponent > hn::Zero(i), hn::BitCast(i, acc) - start);
    if constexpr (kClampExponent) exponent = hn::Max(exponent, least);
    hn::Store(sum, i, &out.sum[r][column]);
    hn::Store(exponent, i, &out.exponent[r][column]);
  }
}

template <bool kWide, bool kE8>
HWY_INLINE void MultiplyRows(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b, unsigned row_b,
                             const DstRows& dst, unsigned rows) {
  const F f;
  const I i;
  // The planes' exponents are biased by 127 also for FP16 operands.
  const VI correction = hn::Set(i, exponent_correction(mode) - (kE8 ? 0 : 2 * (127 - 15)));
  // Z matters where it is above 0; an empty group's sum is 0, so a lower exponent than Z = 0 changes nothing.
  constexpr bool kClampExponent = kWide && !kE8;
  const VI least = hn::Set(i, zero_exponent(mode));
  const float* slice_a = &a.slice[mode.phase & 1][0][0];
  const float* slice_b = &b.slice[mode.phase >> 1 & 1][0][0];
  GroupSums g0, g1;
  for (unsigned c = 0; c < kColumns; c += hn::Lanes(f)) {
    SumGroup<kClampExponent>(a, b, slice_a, slice_b, row_b, rows, 0, c, correction, least, g0);
    SumGroup<kClampExponent>(a, b, slice_a, slice_b, row_b, rows, 8, c, correction, least, g1);
    for (unsigned r = 0; r < rows; ++r)
      Accumulate<kWide, kE8>(hn::Load(i, &g0.sum[r][c]), hn::Load(i, &g0.exponent[r][c]), hn::Load(i, &g1.sum[r][c]),
                             hn::Load(i, &g1.exponent[r][c]), dst, kColumns * r + c);
  }
}

void Multiply(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b, unsigned row_b,
              const DstRows& dst, unsigned rows) {
  if (mode.wide_exponent()) {
    if (mode.wide())
      MultiplyRows<true, true>(mode, a, b, row_b, dst, rows);
    else
      MultiplyRows<false, true>(mode, a, b, row_b, dst, rows);
  } else {
    if (mode.wide())
      MultiplyRows<true, false>(mode, a, b, row_b, dst, rows);
    else
      MultiplyRows<false, false>(mode, a, b, row_b, dst, rows);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kerr::emu::math {
namespace {

#if HWY_ARCH_X86
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c");
}
bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
}
#endif

struct Kernels {
  DotKernel list[4];
  std::size_t count = 0;
  void add(bool present, const DotKernel& k) {
    if (present) list[count++] = k;
  }
};

// Highway could choose at run time itself, but its library would have to be linked for that.
Kernels find_kernels() {
  Kernels k;
#if HWY_TARGETS & HWY_AVX3
  k.add(has_avx512(), {"AVX-512", N_AVX3::Split, N_AVX3::Multiply});
#endif
#if HWY_TARGETS & HWY_AVX2
  k.add(has_avx2(), {"AVX2", N_AVX2::Split, N_AVX2::Multiply});
#endif
#if HWY_TARGETS & HWY_SSE4
  k.add(has_sse4(), {"SSE4", N_SSE4::Split, N_SSE4::Multiply});
#endif
  k.add(true, {"baseline", HWY_STATIC_DISPATCH(Split), HWY_STATIC_DISPATCH(Multiply)});
  return k;
}

}  // namespace

std::span<const DotKernel> dot_kernels() {
  static const Kernels kernels = find_kernels();
  return {kernels.list, kernels.count};
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
