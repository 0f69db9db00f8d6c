// MVMUL as its definition reads: docs/hardware/tensix-math.md 4.1, 4.2, 4.5.
#include <algorithm>

#include "emu/math/accumulate.hpp"
#include "emu/math/dot_product.hpp"
#include "emu/math/multiply.hpp"

namespace kerr::emu::math {
namespace {

struct Product {
  bool zero;
  bool negative;
  int exponent;
  unsigned magnitude;
};

Product multiply(const FpuMode& mode, Cell a, Cell b) {
  // Only the exponents decide what is zero: a slice of 0 with a nonzero exponent still takes part in the alignment.
  if (cell_exponent(a) == 0 || (mode.flush_src && cell_exponent(b) == 0)) return {true, false, zero_exponent(mode), 0};
  const int e = static_cast<int>(cell_exponent(a) + cell_exponent(b)) + exponent_correction(mode);
  return {false, cell_negative(a) != cell_negative(b), e, slice_a(a, mode.phase) * slice_b(b, mode.phase)};
}

// Shifts right by d, half up on the magnitude.
int round_shift(unsigned p, int d) { return d >= 13 ? 0 : static_cast<int>((2 * p + (1u << d)) >> (d + 1)); }

// Eight products aligned to the largest exponent and summed.
Term group_sum(const Product (&p)[8]) {
  int largest = p[0].exponent;
  for (const Product& t : p) largest = std::max(largest, t.exponent);
  if (largest <= 0) return {};
  int sum = 0;
  for (const Product& t : p) {
    const int x = round_shift(t.magnitude, largest - t.exponent);
    sum += t.negative ? -x : x;
  }
  return {sum < 0, largest, static_cast<uint32_t>(sum < 0 ? -sum : sum) << 13};
}

}  // namespace

void dot_product_reference(const FpuMode& mode, const SrcBank& a, unsigned row_a, const SrcBank& b, unsigned row_b,
                           const DstRows& dst, unsigned rows) {
  const auto cell_a = [&](unsigned k, unsigned j) {
    return operand(a.cells[(row_a + k) % kSrcRows][j], mode.src_a, mode);
  };
  const auto cell_b = [&](unsigned i, unsigned k) {
    return operand(b.cells[(row_b + i) % kSrcRows][k], mode.src_b, mode);
  };
  for (unsigned i = 0; i < rows; ++i) {
    for (unsigned j = 0; j < kColumns; ++j) {
      const uint32_t old = read_dst(mode, dst, i, j);
      if (mode.int8_math) {
        int sum = 0;
        for (unsigned k = 0; k < 16; ++k) sum += integer_product(cell_a(k, j), cell_b(i, k), mode);
        write_dst(mode, dst, i, j, accumulate_integer(old, sum));
      } else {
        Term group[2];
        for (unsigned g = 0; g < 2; ++g) {
          Product products[8];
          for (unsigned k = 0; k < 8; ++k) products[k] = multiply(mode, cell_a(8 * g + k, j), cell_b(i, 8 * g + k));
          group[g] = group_sum(products);
        }
        write_dst(mode, dst, i, j, accumulate(mode, group[0], group[1], old));
      }
    }
  }
}

}  // namespace kerr::emu::math
