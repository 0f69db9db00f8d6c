// An element of a matrix product as the matrix unit adds it up in Dst, by the documents: written for the check, and
// apart from the emulator, which has its own.   docs/hardware/tensix-math.md 4
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/tensor.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

class DstSum {
 public:
  explicit DstSum(const kernels::MatmulOptions& options);

  /// A number as SrcA and SrcB hold it.
  struct Cell {
    bool negative = false;
    int32_t exponent = 0;   // as it is written; 0: the number is zero
    uint32_t mantissa = 0;  // 11 bits, the hidden one included
  };
  /// Rows of the left and columns of the right matrix; zeros fill the last tile.
  std::vector<Cell> cells(std::span<const double> numbers) const;
  /// What Dst holds after all of them. Of whole tiles, so the sizes are multiples of 32.
  double sum(std::span<const Cell> row, std::span<const Cell> column) const;
  /// Steps of a sum of `depth` products, in each of which 16 of them are added to Dst.
  uint64_t steps(size_t depth) const { return uint64_t{tiles_across(depth)} * 2 * static_cast<uint64_t>(phases_); }

 private:
  struct Term {
    bool negative = false;
    int32_t exponent = 0;
    int64_t magnitude = 0;  // in units of 2^-23
  };
  Term group(const Cell* row, const Cell* column, int phase) const;
  Term add(Term first, Term second, Term dst) const;
  double value(Term dst) const;

  int phases_;
  bool wide_;     // Dst holds 32 bits
  bool eight_;    // exponents have eight bits, not five
  uint32_t cut_;  // bits of FP32's mantissa that the operands do not have
};

}  // namespace kerr::graph
