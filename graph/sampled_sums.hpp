// Some elements of a matrix product, added up as the matrix unit does it: how far rounding by rounding takes sums of
// this depth from the exact ones. What bounds of single roundings cannot say of long sums, as Dst rounds halves away
// from zero and so makes sums larger, step by step.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/bounds.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// Sums of a product of rows x columns elements. Elements of the operands are asked for by (row, k) and (k, column).
class SampledSums {
 public:
  using At = std::function<double(size_t, size_t)>;
  SampledSums(const kernels::MatmulOptions& options, size_t rows, size_t columns, size_t depth, const At& left,
              const At& right);

  /// An element, its exact `sum` and the sum of its products' `squares`: bounds by what one rounding after the other
  /// may do, and, where the sample is further off, by the sample. `here`: it is of the matrix that was sampled, and not
  /// of another like it.
  Bounded element(size_t row, size_t column, double sum, double squares, bool here = true) const;
  /// In relation to the exact sums.
  double relative_error() const { return relative_error_; }

 private:
  struct Element {
    size_t row, column;
    double device;
  };
  const Element* find(size_t row, size_t column) const;

  kernels::MatmulOptions options_;
  size_t depth_, row_step_ = 1, column_step_ = 1, columns_ = 0;
  std::vector<Element> elements_;  // row by row
  double slope_ = 1;               // of the device's sums over the exact ones
  std::vector<double> rest_;       // what the slope does not explain, in relation to the root of the squares
  double most_ = 0;                // of the sample: the root mean square of its errors, in relation to that root
  double largest_ = 0;             // likewise: the largest of them
  double relative_error_ = 0;
};

}  // namespace kerr::graph
