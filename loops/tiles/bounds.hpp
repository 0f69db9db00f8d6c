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

/// How far a sum of the products of these numbers may be off. With S the sum, over blocks of 32, of 32 times the largest
/// magnitudes of both: (2^-22 + k 2^-24) S of f32, 2^-10 S of bf16 and TF32.
double bound_of_sum(Engine engine, std::span<const float> a, std::span<const float> b);

/// What rounding each product to the type, before it is added, adds to the sum; 0 of F32.
double rounding_of_products(Type type, std::span<const float> a, std::span<const float> b);

/// Whether a number is as the other one, within a bound; infinities and NaN are themselves.
bool agree(double made, double right, double within);

}  // namespace kerr::loops::tiles
