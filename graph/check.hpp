// How far a device's matmul is from float64.
#pragma once

#include <cstdint>

#include "graph/tensor.hpp"

namespace kerr::graph {

struct Agreement {
  double pcc = 0;             // Pearson's correlation of the checked elements
  double relative_error = 0;  // |C - exact| / |exact|, Frobenius
  double rms_error = 0;
  double max_error = 0;
  std::uint32_t checked_rows = 0;  // evenly spread; all, unless the product is very large
  std::uint32_t rows = 0;
  Format format = Format::Bf16;  // of what was checked: four bits are further off than sixteen

  /// Correlated, close, and no element by itself far off. NaN and infinity fail.
  bool good() const;
};

/// Adds up what an Agreement is made of, pair by pair.
class AgreementSums {
 public:
  void add(double exact, double got);
  void finish(Agreement& result) const;  // all but the rows; at least one pair has been added

 private:
  double x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0, error_ = 0, max_error_ = 0;
  std::uint64_t count_ = 0;
};

/// Compares `c` with a x b in float64. At most about 2^31 products are computed: rows are then taken evenly spread, the first
/// and the last among them.
Agreement check_matmul(const Tensor& a, const Tensor& b, const Tensor& c);

}  // namespace kerr::graph
