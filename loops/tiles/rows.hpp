// Programs that add up the rows of a matrix, or look for the largest number of each.
//
//   for o ... { r = 0; for k ... reduce { r = r + V(o, k) }; what follows, with r }
//
// V is computed from elements that lie next to each other in the order of o and k, and from repeated ones; rows may be
// apart. What it is made of that depends on some of the loops alone, such as the vector of a matrix times a vector, may
// be anything that scalar code computes before. Where loops of the sum go round the rows in memory, each piece of a sum
// is a row, and scalar code adds them up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/reduce/rows.hpp"
#include "loops/program.hpp"
#include "loops/tiles/contraction.hpp"
#include "loops/tiles/elementwise.hpp"
#include "loops/tiles/layout.hpp"
#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

struct Rows {
  kernels::Reduction reduction = kernels::Reduction::Sum;
  uint32_t begin = 0;  // bits of f32 or of an integer that the register is set to
  uint64_t rows = 1, columns = 1;
  Contraction sums;  // register, lines and loops: `m` those of rows in the order of V's elements, `k` those inside
  /// Of rows that are pieces: which number each is a part of, and what makes these (scratch 0) of them (scratch 1).
  std::vector<uint32_t> number_of_piece;
  std::optional<Made> whole;
  std::vector<Made> before;      // scalar code, each of which stores what V is made of to its scratch 0
  Made values;                   // stores V for all rows to its scratch 0; loads what `before[k]` made as scratch 1 + k
  FlatPlan plan;                 // of `values`
  std::vector<uint32_t> loaded;  // parameters that V loads

  kernels::RowShape shape() const;
  /// Multiply-adds: of sums whose V is a product.
  uint64_t products() const;
  uint64_t numbers() const { return whole ? 1 + *std::ranges::max_element(number_of_piece) : rows; }
  /// Of the numbers, next to each other.
  Layout layout() const;
};

/// A program has no such sums, or one: of several the largest.
struct FoundRows {
  std::vector<Rows> all;
  std::string why_not;
};
/// `bound`: without variables. `exact`: without functions that are off.
FoundRows find_rows(const Program& bound, bool exact);

}  // namespace kerr::loops::tiles
