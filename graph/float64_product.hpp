// Matrix products in float64.
#pragma once

#include <cstddef>

namespace kerr::graph {

/// A rectangle of a row-major matrix. T is float or double.
template <class T>
struct Rectangle {
  const T* values;
  size_t stride, rows, columns;
};

/// left x right to `out`, row-major without gaps. left.columns == right.rows. Each element adds up its products in the
/// order of k: the same on every host as long as products are exact in float64, as those of float are.
template <class T>
void multiply(const Rectangle<T>& left, const Rectangle<T>& right, double* out);

}  // namespace kerr::graph
