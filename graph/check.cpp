#include "graph/check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/bf16.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint64_t kMostProducts = std::uint64_t{1} << 31;
constexpr double kLeastPcc = 0.999;
constexpr double kMostRelativeError = 0.05;   // LoFi has 0.023 (docs/hardware/kernels.md 3.12)
constexpr double kMostErrorInSigmas = 12;     // a single wrong element stands out against the rounding of all others

std::vector<double> to_double(const Matrix& matrix) {
  std::vector<double> out(matrix.values.size());
  std::transform(matrix.values.begin(), matrix.values.end(), out.begin(), bf16_to_float);
  return out;
}

}  // namespace

bool Agreement::good() const {
  // Written so that a NaN fails each comparison.
  return checked_rows > 0 && pcc >= kLeastPcc && relative_error <= kMostRelativeError && max_error <= kMostErrorInSigmas * rms_error;
}

Agreement check_matmul(const Matrix& a, const Matrix& b, const Matrix& c) {
  const std::uint64_t per_row = std::uint64_t{a.columns} * b.columns;
  Agreement result;
  result.rows = c.rows;
  result.checked_rows = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostProducts / per_row, 2, c.rows < 2 ? 2 : c.rows));
  result.checked_rows = std::min(result.checked_rows, c.rows);

  const std::vector<double> right = to_double(b);
  std::vector<double> exact(b.columns);
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0, sum_error = 0;
  for (std::uint32_t i = 0; i < result.checked_rows; ++i) {
    const std::uint32_t row =
        result.checked_rows == 1 ? 0 : static_cast<std::uint32_t>(std::uint64_t{i} * (c.rows - 1) / (result.checked_rows - 1));
    std::fill(exact.begin(), exact.end(), 0.0);
    for (std::uint32_t k = 0; k < a.columns; ++k) {
      const double left = bf16_to_float(a.at(row, k));
      const double* line = &right[std::size_t{k} * b.columns];
      for (std::uint32_t column = 0; column < b.columns; ++column) exact[column] += left * line[column];
    }
    for (std::uint32_t column = 0; column < b.columns; ++column) {
      const double x = bf16_to_float(c.at(row, column)), y = exact[column], error = std::abs(x - y);
      sum_x += x, sum_y += y, sum_xx += x * x, sum_yy += y * y, sum_xy += x * y, sum_error += error * error;
      if (!(error <= result.max_error)) result.max_error = error;
    }
  }
  const double n = static_cast<double>(result.checked_rows) * b.columns;
  const double spread = std::sqrt((n * sum_xx - sum_x * sum_x) * (n * sum_yy - sum_y * sum_y));
  const bool identical = sum_error == 0;
  result.pcc = identical ? 1 : (n * sum_xy - sum_x * sum_y) / spread;
  result.relative_error = identical ? 0 : std::sqrt(sum_error / sum_yy);
  result.rms_error = std::sqrt(sum_error / n);
  return result;
}

}  // namespace kerr::graph
