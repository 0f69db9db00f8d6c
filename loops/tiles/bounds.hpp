// How far sums of products may be from the definition's.          docs/reference/loop-programs.md "Path tiles"
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loops/tiles/engine.hpp"
#include "loops/tiles/layout.hpp"
#include "loops/types.hpp"

namespace kerr::loops::tiles {

/// Where the layout has an element.
uint64_t place_of(const Layout& layout, uint64_t batch, uint64_t row, uint64_t column);

/// The matrices of a batch without gaps, row-major.
struct Matrices {
  uint64_t batches = 0, rows = 0, columns = 0;
  std::vector<float> values;
  std::span<const float> row(uint64_t batch, uint64_t row) const {
    return std::span(values).subspan((batch * rows + row) * columns, columns);
  }
};
/// `transposed`: rows become columns.
Matrices matrices_of(std::span<const float> memory, const Layout& layout, uint64_t batches, uint64_t rows,
                     uint64_t columns, bool transposed = false);

/// How far an engine's sum of the products of these numbers may be off.
struct Bound {
  Engine engine;
  double within = 0;          // with S as below: (2^-22 + k 2^-24) S of the vector unit, 2^-10 S of the matrix unit
  bool may_overflow = false;  // in some order a part of the sum can leave f32's range, though all numbers are finite
};
/// S is the sum, over blocks of 32, of 32 times the largest magnitudes of both.
Bound bound_of_sum(Engine engine, std::span<const float> a, std::span<const float> b);

/// The error that rounding each product to the type, before it is added, brings into the sum; 0 of F32.
double rounding_of_products(Type type, std::span<const float> a, std::span<const float> b);

/// Whether a sum is as the definition's, within its bound; infinities and NaN are themselves. If the sum may overflow,
/// they may stand for any number and the other way round; of the matrix unit, which has none, anything goes then.
bool agree(double made, double right, const Bound& bound);
/// The same of a sum that has then been rounded to bf16.
bool agree_rounded(float made, double right, const Bound& bound);

}  // namespace kerr::loops::tiles
