// The vector form of the dot product in integers, as the definition reads: any operands, any mode, any rows. It serves
// what the fast form leaves.   docs/hardware/tensix-math.md 4.1, 4.2, 4.5
#include <algorithm>

#include "emu/math/accumulate-inl.hpp"
#include "emu/math/multiply.hpp"
#include "emu/math/src_bank.hpp"

#if defined(KERR_MATH_DOT_PRODUCT_ANY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KERR_MATH_DOT_PRODUCT_ANY_INL
#undef KERR_MATH_DOT_PRODUCT_ANY_INL
#else
#define KERR_MATH_DOT_PRODUCT_ANY_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {

// Exponents that zero operands get: below any other sum.
constexpr int32_t kZeroOperand = -0x2000;

struct IntegerOperands {  // of SrcA
  HWY_ALIGN int32_t exponent[16][kColumns];
  HWY_ALIGN int32_t slice[16][kColumns];  // twice the magnitude
  HWY_ALIGN int32_t sign[16][kColumns];   // 0 or -1
};

inline void TakeApart(const FpuMode& mode, const SrcBank& a, unsigned row_a, IntegerOperands& out) {
  for (unsigned k = 0; k < 16; ++k) {
    const Cell* cells = a.cells[(row_a + k) % kSrcRows];
    for (unsigned j = 0; j < kColumns; ++j) {
      const Cell c = operand(cells[j], mode.src_a, mode);
      const auto e = static_cast<int32_t>(cell_exponent(c));
      out.exponent[k][j] = e == 0 ? kZeroOperand : e;
      out.slice[k][j] = static_cast<int32_t>(2 * slice_a(c, mode.phase));
      out.sign[k][j] = -static_cast<int32_t>(cell_negative(c));
    }
  }
}

struct RowOfB {
  int32_t exponent[16], slice[16], sign[16];  // as above, the slice's magnitude
};

inline RowOfB TakeApart(const FpuMode& mode, const Cell* cells) {
  RowOfB row;
  for (unsigned k = 0; k < 16; ++k) {
    const Cell c = operand(cells[k], mode.src_b, mode);
    const auto e = static_cast<int32_t>(cell_exponent(c));
    row.exponent[k] = e == 0 ? kZeroOperand : e;
    row.slice[k] = static_cast<int32_t>(slice_b(c, mode.phase));
    row.sign[k] = -static_cast<int32_t>(cell_negative(c));
  }
  return row;
}

// Sum of eight products, rounded half away from zero to units of 2^exponent.
HWY_INLINE void SumGroup(const FpuMode& mode, const IntegerOperands& a, const RowOfB& b, unsigned first,
                         unsigned column, VI& sum, VI& exponent) {
  const I i;
  VI largest = hn::Set(i, 2 * kZeroOperand);
  for (unsigned k = first; k < first + 8; ++k)
    largest = hn::Max(largest, hn::Load(i, &a.exponent[k][column]) + hn::Set(i, b.exponent[k]));
  sum = hn::Zero(i);
  for (unsigned k = first; k < first + 8; ++k) {
    const VI distance = largest - (hn::Load(i, &a.exponent[k][column]) + hn::Set(i, b.exponent[k]));
    const VI doubled = hn::Load(i, &a.slice[k][column]) * hn::Set(i, b.slice[k]);
    const VI negative = hn::Xor(hn::Load(i, &a.sign[k][column]), hn::Set(i, b.sign[k]));
    sum = sum + hn::Xor(RoundShift(doubled, distance), negative) - negative;
  }
  exponent = largest + hn::Set(i, exponent_correction(mode));
  sum = hn::IfThenElseZero(exponent > hn::Zero(i), sum);
  exponent = hn::Max(exponent, hn::Set(i, zero_exponent(mode)));
}

inline void IntegerProducts(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                            const DstRows& dst, unsigned rows) {
  HWY_ALIGN int32_t factors[16][kColumns];
  for (unsigned k = 0; k < 16; ++k) {
    for (unsigned j = 0; j < kColumns; ++j) {
      const Cell c = a.cells[(row_a + k) % kSrcRows][j] & kCellMask;
      const auto m = static_cast<int32_t>(cell_mantissa(c) & (mode.phase & 1 ? 0x01Fu : 0x0E0u));
      factors[k][j] = cell_exponent(c) == 0 ? 0 : cell_negative(c) ? -m : m;
    }
  }
  for (unsigned r = 0; r < rows; ++r) {
    const Cell* cells = b.cells[(row_b + r) % kSrcRows];
    HWY_ALIGN int32_t sums[kColumns] = {};
    for (unsigned k = 0; k < 16; ++k) {
      const Cell c = cells[k] & kCellMask;
      if (mode.flush_src && cell_exponent(c) == 0) continue;
      const auto m = static_cast<int32_t>(cell_mantissa(c) & (mode.phase & 2 ? 0x00Fu : 0x3F0u));
      const int32_t factor = cell_negative(c) ? -m : m;
      for (unsigned j = 0; j < kColumns; ++j) sums[j] += factors[k][j] * factor;
    }
    for (unsigned j = 0; j < kColumns; j += hn::Lanes(F()))
      AccumulateInteger(hn::Load(I(), &sums[j]), true, dst, kColumns * r + j);
  }
}

inline void MultiplyAny(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                        const DstRows& dst, unsigned rows) {
  if (mode.int8_math) return IntegerProducts(mode, a, row_a, b, row_b, dst, rows);
  IntegerOperands operands;
  TakeApart(mode, a, row_a, operands);
  for (unsigned r = 0; r < rows; ++r) {
    const RowOfB row = TakeApart(mode, b.cells[(row_b + r) % kSrcRows]);
    for (unsigned c = 0; c < kColumns; c += hn::Lanes(F())) {
      VI s0, e0, s1, e1;
      SumGroup(mode, operands, row, 0, c, s0, e0);
      SumGroup(mode, operands, row, 8, c, s1, e1);
      const unsigned at = kColumns * r + c;
      ForKindOf(mode, [&](auto wide, auto e8) HWY_ATTR {
        Accumulate<wide, e8>(s0, e0, s1, e1, LoadDst<wide, e8>(dst, at), dst, at);
      });
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();
#endif  // include guard
