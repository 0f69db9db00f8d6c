// Blocks of a matrix product in float64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kerr::graph {

// Rows of the product that are made together, so that the right matrix is read once for all of them, and columns that stay in
// the innermost cache meanwhile.
inline constexpr std::uint32_t kRowsAtOnce = 8, kColumnsAtOnce = 256;

struct Block {
  const double* left;   // [k][kRowsAtOnce]
  const double* right;  // [k][columns of B], from the block's first column on
  std::size_t right_stride;
  std::uint32_t depth, columns;
  double* out;  // [kRowsAtOnce][kColumnsAtOnce], zero
};

/// Each element adds up its products in the order of k, the same on every host as long as products are exact in float64, as those
/// of BF16 numbers are.
void add_up(const Block& block);

}  // namespace kerr::graph
