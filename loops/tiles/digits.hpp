// Numbers that loops count together, and their division.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

/// operand * stride, with operand from 0 to extent - 1.
struct Term {
  Operand operand;
  uint64_t stride, extent;
};
/// The sum of terms.
using Terms = std::vector<Term>;

/// One more than the largest sum.
uint64_t end_of(const Terms& terms);
Operand sum_of(Maker& maker, const Terms& terms);
/// Quotient and remainder. A division is made for those terms alone for which it cannot be seen.
std::pair<Terms, Terms> divide(Maker& maker, const Terms& terms, uint64_t by);
/// What each of several loops in each other counts, of these extents, the outermost first, when together they count
/// `terms`.
std::vector<Operand> count(Maker& maker, Terms terms, const std::vector<uint64_t>& extents);

}  // namespace kerr::loops::tiles
