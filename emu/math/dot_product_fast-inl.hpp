// The fast vector form of the dot product: ordinary exponents, sources split into planes beforehand.
//
// A group's sum (tensix-math.md 4.2) aligns eight products p * 2^e to the largest exponent M and rounds each half
// away from zero. Here the host's adder does that: acc starts as 1.5 * 2^23 units of 2^(M - 10), so that its last bit
// is one unit, and every multiply-add into it rounds the exact product to whole units. Proof that this is the integer
// definition:
//   - acc stays within [2^23, 2^24) units, since |S| <= 31496 < 2^22; it is always a whole number of units, so
//     round(acc + x) = acc + round(x), except that the host resolves ties to even;
//   - SrcA's slices carry the factor 1 + 2^-15. p < 2^12 grows by less than an eighth of its own last bit, and a tie
//     is at least one such bit away from any other p, so ties move outward and nothing else crosses one;
//   - the factor makes 20 bits of the 5 of a slice: exact in a float; the product (27 bits) is exact inside a fused
//     multiply-add, and where mul and add are two instructions its rounding to 24 bits cannot undo the factor;
//   - acc - start = S units is exact.
//
// ACC (4.3) works on x = value / unit, where a unit is the last place that the accumulation keeps:
//   - 16-bit Dst: 2^(E - 10). Both roundings of a group's sum at once are floor(x + 1/2 + 2^-14): the first one moves
//     the second's border from 1/2 by half of its own unit 2^-13. |x| < 2^15 is a multiple of 2^-k for k places of
//     alignment. Adding the constant may round: for k <= 13 there is no multiple of 2^-k between 1/2 - 2^-14 and 1/2,
//     and the sum cannot reach the next integer if the exact one does not come closer than 2^-k - 2^-14; for larger k,
//     |x| < 2^(15 - k), and wherever |x| >= 1/4, so that the sum decides, all is exact. Dst has 8 bits, of which the
//     first rounding loses none that count; a one far below them makes its ties fall away from zero. The sum of all
//     three is below 2^17, so that sums are exact;
//   - 32-bit Dst: 2^(E - 23). A group's sum is floor(x + 1/2), where |x| has 15 significant bits: above 2^24 it is
//     whole and even, so that the half is lost. Dst is trunc(x +- 0.49999997): the largest float below a half, which
//     is what makes 24 bits round half away from zero. Sums are integers.
// Exponents between kLeastExponent and kMostExponent keep all of this within normal floats. It holds for
// round-to-nearest-even, the mode that every thread of a C program starts in.
#include <algorithm>
#include <cstring>

#include "emu/math/accumulate-inl.hpp"
#include "emu/math/dot_product_kernels.hpp"
#include "emu/math/multiply.hpp"

#if defined(KERR_MATH_DOT_PRODUCT_FAST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KERR_MATH_DOT_PRODUCT_FAST_INL
#undef KERR_MATH_DOT_PRODUCT_FAST_INL
#else
#define KERR_MATH_DOT_PRODUCT_FAST_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // pairs of 16-bit lanes are the idea of it

inline void Split(const Cell (*)[kColumns], Side, Format, bool, unsigned, bool, SrcPlanes::Block& out) {
  out.smallest = SrcPlanes::kNoLargest;  // does not suit
  out.largest = SrcPlanes::kNoLargest;
}
inline bool MultiplyFast(const FpuMode&, const SrcPlanes::Block&, const SrcPlanes::Block&, unsigned, const DstRows&,
                         unsigned) {
  return false;
}

#else

using I16 = hn::Repartition<int16_t, I>;
using VI16 = hn::Vec<I16>;
using W = hn::ScalableTag<uint16_t>;
using VW = hn::Vec<W>;

// ---------------------------------------------------------------- planes

// Exponents are kept relative to the largest of their block, in units of 2^-7 so that sums are upper halves of floats;
// those of zero operands lie below all others. What is left out is added after the search for the largest sum.
constexpr int32_t kEmpty = -128 * 128;

// What tells operands of one side and format from the cells.
struct Operands {
  Side side;
  int32_t keep;    // bits of a cell that the format has
  int32_t rebias;  // from the exponent field to an exponent biased by 127
};

// The slices of 16 rows.
HWY_INLINE void SplitSlices(const Cell (*cells)[kColumns], const Operands& o, unsigned slice, float (*out)[kColumns]) {
  const hn::CappedTag<int32_t, kColumns> i;
  const hn::Rebind<float, decltype(i)> f;
  using V = hn::Vec<decltype(i)>;
  const int32_t places = o.side == Side::A ? (slice ? 0x03E : 0x7C0) : (slice ? 0x00F : 0x7F0);
  const float factor = 0x1p-10f * (o.side == Side::A ? kTieBreaker : 1.0f);
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < kColumns; c += hn::MaxLanes(i)) {
      const V cell = hn::And(hn::LoadU(i, reinterpret_cast<const int32_t*>(&cells[r][c])), hn::Set(i, o.keep));
      const V field = hn::And(hn::ShiftRight<10>(cell), hn::Set(i, 0xFF));
      const V mantissa = hn::Or(cell, hn::Set(i, 0x400));
      const V bits = hn::And(mantissa, hn::Set(i, places));  // worth 2^-10 each of 2^exponent
      const V sign = hn::ShiftLeft<13>(hn::And(cell, hn::Set(i, static_cast<int32_t>(kCellSign))));
      // 2^(exponent - 127); operands that are too large for the fast form make some number, which nobody uses.
      const V scale_bits = hn::ShiftLeft<23>(hn::Min(field + hn::Set(i, o.rebias), hn::Set(i, 254)));
      const auto scale = hn::BitCast(f, hn::IfThenZeroElse(field == hn::Zero(i), hn::Or(scale_bits, sign)));
      hn::StoreU(hn::ConvertTo(f, bits) * hn::Set(f, factor) * scale, f, &out[r][c]);
    }
  }
}

// The least and the largest exponent of 16 rows.
HWY_INLINE void SplitRange(const Cell (*cells)[kColumns], const Operands& o, SrcPlanes::Block& out) {
  const hn::CappedTag<int32_t, kColumns> i;
  using V = hn::Vec<decltype(i)>;
  // A zero's field wraps round to the largest unsigned number in the search for the smallest.
  const hn::RebindToUnsigned<decltype(i)> u;
  auto least = hn::Set(u, 0xFFFFFFFFu), most = hn::Zero(u);
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < kColumns; c += hn::MaxLanes(i)) {
      const V cell = hn::And(hn::LoadU(i, reinterpret_cast<const int32_t*>(&cells[r][c])), hn::Set(i, o.keep));
      const auto field = hn::BitCast(u, hn::And(cell, hn::Set(i, 0xFF << 10)));
      most = hn::Max(most, field);
      least = hn::Min(least, field - hn::Set(u, 1));
    }
  }
  const uint32_t largest = hn::GetLane(hn::MaxOfLanes(u, most)) >> 10;
  const uint32_t smallest = (hn::GetLane(hn::MinOfLanes(u, least)) + 1) >> 10;
  out.largest = largest ? static_cast<int16_t>(static_cast<int32_t>(largest) + o.rebias) : SrcPlanes::kNoLargest;
  out.smallest = largest ? static_cast<int16_t>(static_cast<int32_t>(smallest) + o.rebias) : SrcPlanes::kNoSmallest;
}

// A block whose exponents differ too much does not suit; here they only must not leave 16 bits.
HWY_INLINE void SplitExponents(const Cell (*cells)[kColumns], const Operands& o, SrcPlanes::Block& out) {
  const auto exponents = [&](auto i, unsigned row, unsigned column) HWY_ATTR {
    const auto at = hn::LoadU(i, reinterpret_cast<const int32_t*>(&cells[row][column]));
    const auto field = hn::And(hn::ShiftRight<10>(hn::And(at, hn::Set(i, o.keep))), hn::Set(i, 0xFF));
    const auto moved = hn::Max(field + hn::Set(i, o.rebias - out.largest), hn::Set(i, -kExponentRange));
    return hn::IfThenElse(field == hn::Zero(i), hn::Set(i, kEmpty), hn::ShiftLeft<7>(moved));
  };
  const auto pair = [&](auto i, unsigned at, auto low, auto high) HWY_ATTR {
    hn::StoreU(hn::Or(hn::And(low, hn::Set(i, 0xFFFF)), hn::ShiftLeft<16>(high)), i, &out.exponents[at]);
  };
  if (o.side == Side::A) {
    const hn::CappedTag<int32_t, kColumns> i;
    for (unsigned k = 0; k < 8; ++k)
      for (unsigned c = 0; c < kColumns; c += hn::MaxLanes(i))
        pair(i, kColumns * k + c, exponents(i, k, c), exponents(i, k + 8, c));
  } else {
    const hn::CappedTag<int32_t, 8> i;
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned k = 0; k < 8; k += hn::MaxLanes(i)) pair(i, 8 * r + k, exponents(i, r, k), exponents(i, r, k + 8));
  }
}

inline void Split(const Cell (*cells)[kColumns], Side side, Format format, bool wide_exponent, unsigned slice,
                  bool exponents, SrcPlanes::Block& out) {
  Cell mask = trim(kCellMask, format);
  if (!wide_exponent) mask &= 0x47FFF;
  const Operands o{side, static_cast<int32_t>(mask), wide_exponent ? 0 : 127 - 15};
  SplitSlices(cells, o, slice, out.slice[slice]);
  if (!exponents) return;
  SplitRange(cells, o, out);
  SplitExponents(cells, o, out);
}

// ---------------------------------------------------------------- the products

constexpr unsigned kMostRows = 8, kMostCells = kMostRows * kColumns;

// Sums of one vector of cells.
struct CellSums {
  VF group0, group1;  // S units: the groups' values
  VI exponent;        // the larger M, in place of a float's exponent field
};

struct FastSums {
  HWY_ALIGN float group[2][kMostCells];
  HWY_ALIGN int32_t exponent[kMostCells];
  HWY_INLINE CellSums At(unsigned at) const {
    const F f;
    return {hn::Load(f, group[0] + at), hn::Load(f, group[1] + at), hn::Load(I(), exponent + at)};
  }
};

struct FastOperands {
  const int32_t* exponents_a;
  const int32_t* exponents_b;  // of the first row
  const float* slices_a;
  const float* slices_b;
  int largest;  // exponent of a product in this phase: what the exponents above are relative to
};

// The floats that accumulators start with: 1.5 * 2^23 units of 2^(M - 10), so the exponent field is M + 13.
constexpr int kStartField = 13;
constexpr int32_t kStartBits = kStartField << 23 | 0x400000;

struct Starts {
  VI group0, group1;
};
HWY_INLINE Starts StartsOf(VI16 tops) {
  const I i;
  const VI words = hn::BitCast(i, tops);
  return {hn::ShiftLeft<16>(words), hn::And(words, hn::Set(i, static_cast<int32_t>(0xFFFF0000)))};
}

struct FourVectors {
  VF v0, v1, v2, v3;
};

// Rows 0 to 7 or 8 to 15 of SrcA, which stay in registers.
struct EightSlices {
  VF a0, a1, a2, a3, a4, a5, a6, a7;
  explicit HWY_INLINE EightSlices(const float* a) {
    const F f;
    a0 = hn::Load(f, a + 0 * kColumns), a1 = hn::Load(f, a + 1 * kColumns);
    a2 = hn::Load(f, a + 2 * kColumns), a3 = hn::Load(f, a + 3 * kColumns);
    a4 = hn::Load(f, a + 4 * kColumns), a5 = hn::Load(f, a + 5 * kColumns);
    a6 = hn::Load(f, a + 6 * kColumns), a7 = hn::Load(f, a + 7 * kColumns);
  }
  /// The sums of four rows of SrcB, whose accumulators start with start(0) to start(3): four chains of additions side
  /// by side, because each by itself would wait.
  template <class Start>
  HWY_INLINE FourVectors FourSums(const float* b, Start start) const {
    const F f;
    const float *b0 = b, *b1 = b + kColumns, *b2 = b + 2 * kColumns, *b3 = b + 3 * kColumns;
    VF s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3);
    const auto add = [&](VF a, unsigned k) HWY_ATTR {
      s0 = hn::MulAdd(a, hn::Set(f, b0[k]), s0);
      s1 = hn::MulAdd(a, hn::Set(f, b1[k]), s1);
      s2 = hn::MulAdd(a, hn::Set(f, b2[k]), s2);
      s3 = hn::MulAdd(a, hn::Set(f, b3[k]), s3);
    };
    add(a0, 0), add(a1, 1), add(a2, 2), add(a3, 3), add(a4, 4), add(a5, 5), add(a6, 6), add(a7, 7);
    return {s0 - start(0), s1 - start(1), s2 - start(2), s3 - start(3)};
  }
};

struct EightExponents {
  VI16 a0, a1, a2, a3, a4, a5, a6, a7;
  explicit HWY_INLINE EightExponents(const int32_t* a) {
    a0 = At(a, 0), a1 = At(a, 1), a2 = At(a, 2), a3 = At(a, 3), a4 = At(a, 4), a5 = At(a, 5), a6 = At(a, 6),
    a7 = At(a, 7);
  }
  static HWY_INLINE VI16 At(const int32_t* a, unsigned k) {
    return hn::BitCast(I16(), hn::Load(I(), a + kColumns * k));
  }
  /// The largest sum of each group, `least` if none is above it.
  HWY_INLINE VI16 Largest(const int32_t* b, VI16 least) const {
    const auto sum = [b](VI16 a, unsigned k) HWY_ATTR { return hn::Add(a, hn::BitCast(I16(), hn::Set(I(), b[k]))); };
    const VI16 m01 = hn::Max(sum(a0, 0), sum(a1, 1)), m23 = hn::Max(sum(a2, 2), sum(a3, 3));
    const VI16 m45 = hn::Max(sum(a4, 4), sum(a5, 5)), m67 = hn::Max(sum(a6, 6), sum(a7, 7));
    return hn::Max(hn::Max(hn::Max(m01, m23), hn::Max(m45, m67)), least);
  }
};

// The least exponent sum that counts, and what makes starts of exponent sums.
struct Limits {
  VI16 least, offset;
  HWY_INLINE Limits(const FastOperands& p, int least_exponent)
      : least(hn::Set(I16(), static_cast<int16_t>((least_exponent - p.largest) * 128))),
        offset(hn::Set(I16(), static_cast<int16_t>((p.largest + kStartField) * 128 + 0x40))) {}
};
HWY_INLINE VI ExponentOf(const Starts& s) { return hn::Max(s.group0, s.group1) - hn::Set(I(), kStartBits); }

// `least` is the least exponent that a group has; `rows` is a multiple of four.
HWY_INLINE void SumProducts(const FastOperands& p, int least, unsigned rows, FastSums& out) {
  const I i;
  const F f;
  const Limits limits(p, least);
  constexpr unsigned kLanes = hn::MaxLanes(F());
  HWY_ALIGN int32_t starts[2][kMostRows][kLanes];
  for (unsigned c = 0; c < kColumns; c += kLanes) {
    const EightExponents e(p.exponents_a + c);
    for (unsigned r = 0; r < rows; ++r) {
      const Starts s = StartsOf(e.Largest(p.exponents_b + 8 * r, limits.least) + limits.offset);
      hn::Store(s.group0, i, starts[0][r]);
      hn::Store(s.group1, i, starts[1][r]);
      hn::Store(ExponentOf(s), i, out.exponent + kColumns * r + c);
    }
    for (unsigned g = 0; g < 2; ++g) {
      const EightSlices a(p.slices_a + 8 * kColumns * g + c);
      for (unsigned r = 0; r < rows; r += 4) {
        const auto start = [&](unsigned n) HWY_ATTR { return hn::BitCast(f, hn::Load(i, starts[g][r + n])); };
        const FourVectors sums = a.FourSums(p.slices_b + kColumns * r + 8 * g, start);
        float* to = out.group[g] + kColumns * r + c;
        hn::Store(sums.v0, f, to), hn::Store(sums.v1, f, to + kColumns);
        hn::Store(sums.v2, f, to + 2 * kColumns), hn::Store(sums.v3, f, to + 3 * kColumns);
      }
    }
  }
}

// ---------------------------------------------------------------- Dst in IEEE order

struct FastDst {
  HWY_ALIGN uint16_t high[kMostCells];
  HWY_ALIGN uint16_t low[kMostCells];
};

// Cells with exponent 0 become 0. False if an exponent is outside the range.
template <bool kWide>
HWY_INLINE bool DecodeDst(const DstRows& dst, unsigned cells, FastDst& out) {
  const W w;
  const hn::RebindToSigned<W> s;
  const VW magnitude_mask = hn::Set(w, 0x7FFF);
  constexpr int kFrom = kLeastExponent << 7, kTo = (kMostExponent << 7) + 0x7F;
  auto outside = hn::Zero(s);
  for (unsigned at = 0; at < cells; at += hn::MaxLanes(W())) {
    const VW raw = hn::LoadU(w, dst.high + at);
    const VW exponent = hn::And(hn::ShiftLeft<7>(raw), hn::Set(w, 0x7F80));
    const VW ieee = hn::Or(exponent, hn::And(hn::ShiftRight<8>(raw), hn::Set(w, 0x7F)));
    const auto zero = exponent == hn::Zero(w);
    // One signed comparison: numbers above the range wrap round to the negative ones.
    const auto moved = hn::BitCast(s, hn::Add(ieee, hn::Set(w, 0x7FFF - kTo)));
    const auto below = hn::VecFromMask(s, moved < hn::Set(s, static_cast<int16_t>(kFrom + 0x7FFF - kTo)));
    outside = hn::Or(outside, hn::AndNot(hn::BitCast(s, hn::VecFromMask(w, zero)), below));
    const VW with_sign = hn::Or(ieee, hn::AndNot(magnitude_mask, raw));
    hn::Store(hn::IfThenZeroElse(zero, with_sign), w, out.high + at);
    if constexpr (kWide) hn::Store(hn::IfThenZeroElse(zero, hn::LoadU(w, dst.low + at)), w, out.low + at);
  }
  return hn::AllTrue(s, outside == hn::Zero(s));
}

HWY_INLINE void EncodeDst(const FastDst& in, unsigned cells, uint16_t* out) {
  const W w;
  for (unsigned at = 0; at < cells; at += hn::MaxLanes(W())) {
    const VW ieee = hn::Load(w, in.high + at);
    const VW exponent = hn::And(hn::ShiftRight<7>(ieee), hn::Set(w, 0xFF));
    const VW mantissa = hn::And(hn::ShiftLeft<8>(ieee), hn::Set(w, 0x7F00));
    hn::StoreU(hn::Or(hn::Or(exponent, mantissa), hn::And(ieee, hn::Set(w, 0x8000))), w, out + at);
  }
}

// ---------------------------------------------------------------- ACC

HWY_INLINE VF FloatOf(VI bits) { return hn::BitCast(F(), bits); }
HWY_INLINE VI BitsOf(VF v) { return hn::BitCast(I(), v); }
// 2^(n + 127) / 2^exponent, for an exponent in place of a float's field; n + 127 is below 127 + 128.
HWY_INLINE VF Inverse(VI exponent, int n) { return FloatOf(hn::Set(I(), (n + 127) << 23) - exponent); }
HWY_INLINE VF TimesPowerOf2(VF v, VI exponent, int n) { return v * FloatOf(exponent + hn::Set(I(), n * (1 << 23))); }

// m + floor(y), for |y| < 2^22 and a whole m within [2^23, 2^24).
HWY_INLINE VF AddFloor(VF m, VF y) {
#if HWY_TARGET <= HWY_AVX3
  return VF{_mm512_add_round_ps(m.raw, y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
#else
  return m + hn::Floor(y);
#endif
}

// Numbers that fit into an int32, which Highway's conversion does not take for granted.
HWY_INLINE VI Truncated(VF y) {
#if HWY_TARGET <= HWY_AVX3
  return VI{_mm512_cvttps_epi32(y.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(y.raw)};
#else
  return hn::ConvertTo(I(), y);
#endif
}
HWY_INLINE VI FloorToInteger(VF y) {
#if HWY_TARGET <= HWY_AVX3
  return VI{_mm512_cvt_roundps_epi32(y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
#else
  return Truncated(hn::Floor(y));
#endif
}

// The new contents as floats whose upper halves count, for a 16-bit Dst.
HWY_INLINE VI AccumulateNarrow(const CellSums& sums, const FastDst& dst, unsigned at) {
  const F f;
  const I i;
  const U16 u16;
  const VI old = hn::Or(hn::ShiftLeft<16>(hn::PromoteTo(i, hn::Load(u16, dst.high + at))), hn::Set(i, 0x400));
  const VI e = hn::Max(sums.exponent, hn::And(old, hn::Set(i, 0x7F800000)));
  const VF inverse = Inverse(e, 127 + 10);
  const VF half = hn::Set(f, 0.5f + 0x1p-14f), magic = hn::Set(f, 0x1.8p23f);
  const VF x0 = hn::MulAdd(sums.group0, inverse, half);
  const VF x1 = hn::MulAdd(sums.group1, inverse, half);
  const VF v = hn::MulAdd(FloatOf(old), inverse, AddFloor(AddFloor(magic, x0), x1)) - magic;
  return BitsOf(TimesPowerOf2(v, e, -10)) + hn::Set(i, 0x8000);
}

HWY_INLINE VI AccumulateWide(const CellSums& sums, const FastDst& dst, unsigned at) {
  const F f;
  const I i;
  const U16 u16;
  const VI old = hn::Or(hn::ShiftLeft<16>(hn::PromoteTo(i, hn::Load(u16, dst.high + at))),
                        hn::PromoteTo(i, hn::Load(u16, dst.low + at)));
  const VI e = hn::Max(sums.exponent, hn::And(old, hn::Set(i, 0x7F800000)));
  const VF inverse = Inverse(e, 127 + 23);
  const VI sign_mask = hn::Set(i, INT32_MIN);
  const VF half = hn::Set(f, 0.5f), below_half = FloatOf(hn::Or(hn::And(old, sign_mask), hn::Set(i, 0x3EFFFFFF)));
  const VI x0 = FloorToInteger(hn::MulAdd(sums.group0, inverse, half));
  const VI x1 = FloorToInteger(hn::MulAdd(sums.group1, inverse, half));
  const VI v = x0 + x1 + Truncated(hn::MulAdd(FloatOf(old), inverse, below_half));
  // Twice the value plus one makes ties of the last rounding fall away from zero; below 2^24 there is none.
  const VI g = hn::Abs(v);
  const VI doubled = hn::Or(hn::Add(g, g), hn::IfThenElseZero(g > hn::Set(i, 0xFFFFFF), hn::Set(i, 1)));
  return hn::Or(BitsOf(TimesPowerOf2(hn::ConvertTo(f, doubled), e, -24)), hn::And(v, sign_mask));
}

template <bool kWide>
HWY_INLINE VI Accumulate(const CellSums& sums, const FastDst& dst, unsigned at) {
  return kWide ? AccumulateWide(sums, dst, at) : AccumulateNarrow(sums, dst, at);
}
// Two vectors of new contents: their 16-bit halves fill one vector each.
template <bool kWide>
HWY_INLINE void PutRows(VI first, VI second, unsigned at, FastDst& dst, uint16_t* low) {
  const hn::Repartition<uint16_t, I> w;
  const auto u = hn::BitCast(w, first), v = hn::BitCast(w, second);
  hn::Store(hn::ConcatOdd(w, v, u), w, dst.high + at);
  if constexpr (kWide) hn::StoreU(hn::ConcatEven(w, v, u), w, low + at);
}

template <bool kWide>
HWY_INLINE void SumAndAccumulate(const FastOperands& p, int least, unsigned rows, FastDst& dst, uint16_t* low) {
  constexpr unsigned kStep = hn::MaxLanes(F());
  FastSums sums;
  SumProducts(p, least, rows, sums);
  for (unsigned at = 0; at < kColumns * rows; at += 2 * kStep) {
    PutRows<kWide>(Accumulate<kWide>(sums.At(at), dst, at), Accumulate<kWide>(sums.At(at + kStep), dst, at + kStep), at,
                   dst, low);
  }
}

#if HWY_TARGET <= HWY_AVX3

// A vector is a whole row, and there are registers enough for the sums to stay in them.
template <bool kWide>
HWY_INLINE void SumAndAccumulateInRegisters(const FastOperands& p, int least, unsigned rows, FastDst& dst,
                                            uint16_t* low) {
  static_assert(hn::MaxLanes(F()) == kColumns);
  const F f;
  const Limits limits(p, least);
  HWY_ALIGN int32_t tops[kMostRows][kColumns];
  {
    const EightExponents e(p.exponents_a);
    for (unsigned r = 0; r < rows; ++r) {
      const VI16 top = e.Largest(p.exponents_b + 8 * r, limits.least) + limits.offset;
      hn::Store(hn::BitCast(I(), top), I(), tops[r]);
    }
  }
  const EightSlices a0(p.slices_a), a1(p.slices_a + 8 * kColumns);
  for (unsigned r = 0; r < rows; r += 4) {
    const auto starts = [&](unsigned n) HWY_ATTR { return StartsOf(hn::BitCast(I16(), hn::Load(I(), tops[r + n]))); };
    const float* b = p.slices_b + kColumns * r;
    const FourVectors s0 = a0.FourSums(b, [&](unsigned n) HWY_ATTR { return FloatOf(starts(n).group0); });
    const FourVectors s1 = a1.FourSums(b + 8, [&](unsigned n) HWY_ATTR { return FloatOf(starts(n).group1); });
    const auto row = [&](unsigned n, VF group0, VF group1) HWY_ATTR {
      return Accumulate<kWide>({group0, group1, ExponentOf(starts(n))}, dst, kColumns * (r + n));
    };
    PutRows<kWide>(row(0, s0.v0, s1.v0), row(1, s0.v1, s1.v1), kColumns * r, dst, low);
    PutRows<kWide>(row(2, s0.v2, s1.v2), row(3, s0.v3, s1.v3), kColumns * (r + 2), dst, low);
  }
}

#endif

template <bool kWide>
HWY_INLINE bool MultiplyFastTo(const FastOperands& operands, int least, const DstRows& dst, unsigned rows) {
  FastDst cells;
  if (HWY_UNLIKELY(!DecodeDst<kWide>(dst, kColumns * rows, cells))) return false;
#if HWY_TARGET <= HWY_AVX3
  SumAndAccumulateInRegisters<kWide>(operands, least, rows, cells, dst.low);
#else
  SumAndAccumulate<kWide>(operands, least, rows, cells, dst.low);
#endif
  EncodeDst(cells, kColumns * rows, dst.high);
  return true;
}

inline bool MultiplyFast(const FpuMode& mode, const SrcPlanes::Block& a, const SrcPlanes::Block& b, unsigned row_b,
                         const DstRows& dst, unsigned rows) {
  const unsigned slice_of_a = mode.phase & 1, slice_of_b = mode.phase >> 1 & 1;
  // Blocks of zeros have no largest exponent; any will do.
  const int sum = std::clamp(a.largest + b.largest - 127, kLeastExponent, kMostExponent);
  const FastOperands operands{a.exponents, b.exponents + 8 * row_b, a.slice[slice_of_a][0], b.slice[slice_of_b][row_b],
                              sum - (slice_of_a ? 5 : 0) - (slice_of_b ? 7 : 0)};
  // Groups without a nonzero term: Z, or anything that is not above an exponent of Dst.
  const int least = std::max(kLeastExponent, zero_exponent(mode));
  return mode.wide() ? MultiplyFastTo<true>(operands, least, dst, rows)
                     : MultiplyFastTo<false>(operands, least, dst, rows);
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();
#endif  // include guard
