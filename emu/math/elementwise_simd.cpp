// The vector forms of ELWADD, ELWSUB and ELWMUL, compiled for every instruction set by Highway's foreach_target.
// docs/hardware/tensix-math.md 5
#include "emu/math/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/math/elementwise_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "emu/math/accumulate-inl.hpp"
#include "emu/math/multiply.hpp"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {

constexpr unsigned kRows = 8;
constexpr int32_t kSign = static_cast<int32_t>(kCellSign), kMagnitude = 0x3FFFF;

HWY_INLINE VI ExponentOf(VI cell) { return hn::And(hn::ShiftRight<10>(cell), hn::Set(I(), 0xFF)); }
HWY_INLINE VI MantissaOf(VI cell) { return hn::And(cell, hn::Set(I(), 0x3FF)); }
HWY_INLINE VI NegativeIf(VI value, VI cell) {
  const VI negative = hn::ShiftRight<31>(hn::ShiftLeft<13>(hn::And(cell, hn::Set(I(), kSign))));
  return hn::Xor(value, negative) - negative;
}

struct Addend {  // sum * 2^13 at this exponent
  VI sum, exponent;
};

HWY_INLINE Addend Sum(const FpuMode& mode, VI a, VI b) {
  const I i;
  const VI zero = hn::Zero(i), magnitude = hn::Set(i, kMagnitude), hidden = hn::Set(i, 0x400);
  a = hn::IfThenZeroElse(ExponentOf(a) == zero, a);
  if (mode.flush_src) b = hn::IfThenZeroElse(ExponentOf(b) == zero, b);
  const auto swap = hn::And(b, magnitude) > hn::And(a, magnitude);
  const VI larger = hn::IfThenElse(swap, b, a), smaller = hn::IfThenElse(swap, a, b);
  const VI m1 = hn::IfThenZeroElse(larger == zero, hn::Or(MantissaOf(larger), hidden));
  VI m2 = hn::IfThenZeroElse(smaller == zero, hn::Or(MantissaOf(smaller), hidden));
  m2 = RoundShift(hn::Add(m2, m2), ExponentOf(larger) - ExponentOf(smaller));
  const VI m = m1 + NegativeIf(m2, hn::Xor(larger, smaller));
  VI e = ExponentOf(larger);
  if (mode.wide() && !mode.wide_exponent()) e = hn::IfThenElse(e == zero, hn::Set(i, 97), e + hn::Set(i, 112));
  return {NegativeIf(m, larger), e};
}

// One that underflows is flushed, unlike in a dot product.
HWY_INLINE Addend Product(const FpuMode& mode, VI a, VI b) {
  const I i;
  const VI zero = hn::Zero(i), hidden = hn::Set(i, 0x400);
  const VI ea = ExponentOf(a), eb = ExponentOf(b);
  const VI e = ea + eb + hn::Set(i, exponent_correction(mode));
  auto nothing = hn::Or(ea == zero, e < hn::Set(i, 1));
  if (mode.flush_src) nothing = hn::Or(nothing, eb == zero);
  const VI ma = hn::Or(MantissaOf(a), hidden), mb = hn::Or(MantissaOf(b), hidden);
  const VI slice_of_a = mode.phase & 1 ? hn::And(hn::ShiftRight<1>(ma), hn::Set(i, 31)) : hn::ShiftRight<6>(ma);
  const VI slice_of_b =
      mode.phase & 2 ? hn::ShiftLeft<3>(hn::And(mb, hn::Set(i, 15))) : hn::ShiftRight<4>(mb);
  return {hn::IfThenZeroElse(nothing, NegativeIf(slice_of_a * slice_of_b, hn::Xor(a, b))),
          hn::IfThenElse(nothing, hn::Set(i, zero_exponent(mode)), e)};
}

// Signed bits of an integer cell's magnitude.
HWY_INLINE VI IntegerOf(VI cell, bool flush, int32_t bits) {
  const I i;
  const VI value = NegativeIf(hn::And(cell, hn::Set(i, bits)), cell);
  return flush ? hn::IfThenZeroElse(ExponentOf(cell) == hn::Zero(i), value) : value;
}

// Calls f(cells of a, cells of b, offset in Dst) for all of the eight rows.
template <class Function>
HWY_INLINE void ForCells(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                         Broadcast broadcast, Function f) {
  const I i;
  const VI keep_a = hn::Set(i, static_cast<int32_t>(operand(kCellMask, mode.src_a, mode)));
  const VI keep_b = hn::Set(i, static_cast<int32_t>(operand(kCellMask, mode.src_b, mode)));
  for (unsigned r = 0; r < kRows; ++r) {
    const auto* cells_a = reinterpret_cast<const int32_t*>(a.cells[(row_a + r) % kSrcRows]);
    const auto* cells_b = reinterpret_cast<const int32_t*>(b.cells[(row_b + (broadcast.row ? 0 : r)) % kSrcRows]);
    for (unsigned c = 0; c < kColumns; c += hn::Lanes(F())) {
      const VI of_b = broadcast.column ? hn::Set(i, cells_b[0]) : hn::Load(i, cells_b + c);
      f(hn::And(hn::Load(i, cells_a + c), keep_a), hn::And(of_b, keep_b), kColumns * r + c);
    }
  }
}

void ElementwiseAdd(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                    Broadcast broadcast, bool subtract, bool accumulate_dst, const DstRows& dst) {
  const VI flip = hn::Set(I(), subtract ? kSign : 0);
  if (mode.int8_math) {
    ForCells(mode, a, row_a, b, row_b, broadcast, [&](VI x, VI y, unsigned at) HWY_ATTR {
      const VI sum = IntegerOf(x, true, 0x3FF) + IntegerOf(hn::Xor(y, flip), mode.flush_src, 0x3FF);
      AccumulateInteger(sum, accumulate_dst, dst, at);
    });
    return;
  }
  ForKindOf(mode, [&](auto wide, auto e8) HWY_ATTR {
    ForCells(mode, a, row_a, b, row_b, broadcast, [&](VI x, VI y, unsigned at) HWY_ATTR {
      Addend t = Sum(mode, x, hn::Xor(y, flip));
      const DstVector old = accumulate_dst ? LoadDst<wide, e8>(dst, at) : ZeroDst();
      // Denormals that are kept count only beside a larger exponent: alone they would round up to a normal number.
      t.sum = hn::IfThenZeroElse(hn::Or(t.exponent, old.exponent) == hn::Zero(I()), t.sum);
      Accumulate<wide, e8>(t.sum, t.exponent, hn::Zero(I()), hn::Zero(I()), old, dst, at);
    });
  });
}

void ElementwiseMultiply(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                         Broadcast broadcast, const DstRows& dst) {
  if (mode.int8_math) {
    const int32_t bits_a = mode.phase & 1 ? 0x01F : 0x0E0, bits_b = mode.phase & 2 ? 0x00F : 0x3F0;
    ForCells(mode, a, row_a, b, row_b, broadcast, [&](VI x, VI y, unsigned at) HWY_ATTR {
      AccumulateInteger(IntegerOf(x, true, bits_a) * IntegerOf(y, mode.flush_src, bits_b), true, dst, at);
    });
    return;
  }
  ForKindOf(mode, [&](auto wide, auto e8) HWY_ATTR {
    ForCells(mode, a, row_a, b, row_b, broadcast, [&](VI x, VI y, unsigned at) HWY_ATTR {
      const Addend t = Product(mode, x, y);
      Accumulate<wide, e8>(t.sum, t.exponent, hn::Zero(I()), hn::Zero(I()), LoadDst<wide, e8>(dst, at), dst, at);
    });
  });
}

ElementwiseKernel MakeElementwiseKernel(const char* name) { return {name, ElementwiseAdd, ElementwiseMultiply}; }

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/math/kernel_list.hpp"

namespace kerr::emu::math {
std::span<const ElementwiseKernel> elementwise_kernels() {
  static const KernelList<ElementwiseKernel> list(
      KERR_FORMS(MakeElementwiseKernel), {"definition", elementwise_add_reference, elementwise_multiply_reference});
  return list.span();
}

void elementwise_add(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                     Broadcast broadcast, bool subtract, bool accumulate_dst, const DstRows& dst) {
  if (mode.phase != 0) [[unlikely]] {
    elementwise_add_reference(mode, a, row_a, b, row_b, broadcast, subtract, accumulate_dst, dst);
    return;
  }
  elementwise_kernels()[0].add(mode, a, row_a, b, row_b, broadcast, subtract, accumulate_dst, dst);
}

void elementwise_multiply(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                          Broadcast broadcast, const DstRows& dst) {
  elementwise_kernels()[0].multiply(mode, a, row_a, b, row_b, broadcast, dst);
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
