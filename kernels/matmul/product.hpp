// The sizes of a matrix product, in the one order that is used everywhere: M, N, K.
#pragma once

#include <cstdint>
#include <string>

namespace kerr::kernels {

/// A is m x k, B is k x n, C is m x n.
struct ProductShape {
  uint64_t m = 0, n = 0, k = 0;

  /// "512 x 768 x 64 (M N K)"
  std::string text() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " (M N K)";
  }
  friend bool operator==(const ProductShape&, const ProductShape&) = default;
};

}  // namespace kerr::kernels
