// ELWADD, ELWSUB and ELWMUL as their definition reads: docs/hardware/tensix-math.md 5.
#include <utility>

#include "emu/math/accumulate.hpp"
#include "emu/math/elementwise.hpp"
#include "emu/math/multiply.hpp"

namespace kerr::emu::math {
namespace {

constexpr unsigned kRows = 8;

Cell broadcast_cell(const SrcBank& b, unsigned row_b, Broadcast broadcast, unsigned i, unsigned j) {
  return b.cells[(row_b + (broadcast.row ? 0 : i)) % kSrcRows][broadcast.column ? 0 : j];
}

// The sum of two cells in ten fraction bits of the larger one: half up on the smaller one's magnitude. Phases divide it
// as they divide products (ISA page of ELWADD).
Term add(const FpuMode& mode, Cell a, Cell b) {
  constexpr Cell kMagnitude = kCellMask & ~kCellSign;
  if (cell_exponent(a) == 0) a = 0;
  if (mode.flush_src && cell_exponent(b) == 0) b = 0;
  if ((a & kMagnitude) < (b & kMagnitude)) std::swap(a, b);
  const int m1 = a ? static_cast<int>(0x400 | cell_mantissa(a)) : 0;
  int m2 = b ? static_cast<int>(0x400 | cell_mantissa(b)) : 0;
  const int k = static_cast<int>(cell_exponent(a)) - static_cast<int>(cell_exponent(b));
  if (k > 0) m2 = k < 12 ? (m2 + (1 << (k - 1))) >> k : 0;
  // Negative only if a is +0 and b an unflushed -0.
  const int m = cell_negative(a) == cell_negative(b) ? m1 + m2 : m1 - m2;
  int e = static_cast<int>(cell_exponent(a));
  if (mode.wide() && !mode.wide_exponent()) e = e ? e + 112 : 97;
  return {cell_negative(a) != (m < 0), e - phase_shift(mode), static_cast<uint32_t>(m < 0 ? -m : m) << 13};
}

int integer_value(Cell c, bool flush) {
  if (flush && cell_exponent(c) == 0) return 0;
  const int m = static_cast<int>(cell_mantissa(c));
  return cell_negative(c) ? -m : m;
}

// One product as an addend of Dst. Unlike in a dot product, one that underflows is flushed.
Term multiply(const FpuMode& mode, Cell a, Cell b) {
  const int e = static_cast<int>(cell_exponent(a) + cell_exponent(b)) + exponent_correction(mode);
  const bool zero = cell_exponent(a) == 0 || (mode.flush_src && cell_exponent(b) == 0);
  if (zero || e <= 0) return {false, zero_exponent(mode), 0};
  return {cell_negative(a) != cell_negative(b), e, slice_a(a, mode.phase) * slice_b(b, mode.phase) << 13};
}

}  // namespace

void elementwise_add_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                               Broadcast broadcast, bool subtract, bool accumulate_dst, const DstRows& dst) {
  for (unsigned i = 0; i < kRows; ++i) {
    for (unsigned j = 0; j < kColumns; ++j) {
      const Cell x = operand(a.cells[(row_a + i) % kSrcRows][j], mode.src_a, mode);
      const Cell y = operand(broadcast_cell(b, row_b, broadcast, i, j), mode.src_b, mode) ^ (subtract ? kCellSign : 0);
      const uint32_t old = accumulate_dst ? read_dst(mode, dst, i, j) : 0;
      const uint32_t result = mode.int8_math
                                  ? accumulate_integer(old, integer_value(x, true) + integer_value(y, mode.flush_src))
                                  : accumulate(mode, add(mode, x, y), Term{}, old);
      write_dst(mode, dst, i, j, result);
    }
  }
}

void elementwise_multiply_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b,
                                    unsigned row_b, Broadcast broadcast, const DstRows& dst) {
  for (unsigned i = 0; i < kRows; ++i) {
    for (unsigned j = 0; j < kColumns; ++j) {
      const Cell x = operand(a.cells[(row_a + i) % kSrcRows][j], mode.src_a, mode);
      const Cell y = operand(broadcast_cell(b, row_b, broadcast, i, j), mode.src_b, mode);
      const uint32_t old = read_dst(mode, dst, i, j);
      const uint32_t result = mode.int8_math ? accumulate_integer(old, integer_product(x, y, mode))
                                             : accumulate(mode, multiply(mode, x, y), Term{}, old);
      write_dst(mode, dst, i, j, result);
    }
  }
}

}  // namespace kerr::emu::math
