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

// Rows of the product that are made together, so that the right matrix is read once for all of them, and columns that stay in
// the innermost cache meanwhile.
constexpr std::uint32_t kRowsAtOnce = 8, kColumnsAtOnce = 256;

struct Block {
  const double* left;   // [k][kRowsAtOnce]
  const double* right;  // [k][columns of B], from the block's first column on
  std::size_t right_stride;
  std::uint32_t depth, columns;
  double* out;  // [kRowsAtOnce][kColumnsAtOnce], zero
};

// Each element adds up its products in the order of k. A product of two BF16 numbers is exact in float64, so neither vectors nor fused
// multiply-adds change a bit.
[[gnu::always_inline]] inline void add_up_here(const Block& block) {
  const std::size_t columns = block.columns;
  for (std::size_t k = 0; k < block.depth; ++k) {
    const double* const __restrict right = block.right + k * block.right_stride;
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      double* const __restrict out = block.out + row * kColumnsAtOnce;
      const double factor = block.left[k * kRowsAtOnce + row];
      for (std::size_t column = 0; column < columns; ++column) out[column] += factor * right[column];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_up_avx2(const Block& block) { add_up_here(block); }
[[gnu::target("avx512f")]] void add_up_avx512(const Block& block) { add_up_here(block); }
#endif

void add_up(const Block& block) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_up_avx512(block);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_up_avx2(block);
#endif
  add_up_here(block);
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
  std::vector<double> left(std::size_t{a.columns} * kRowsAtOnce);
  std::vector<double> exact(std::size_t{kRowsAtOnce} * kColumnsAtOnce);
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0, sum_error = 0;
  const auto checked_row = [&](std::uint32_t i) {
    if (result.checked_rows == 1) return std::uint32_t{0};
    return static_cast<std::uint32_t>(std::uint64_t{i} * (c.rows - 1) / (result.checked_rows - 1));
  };
  for (std::uint32_t first = 0; first < result.checked_rows; first += kRowsAtOnce) {
    const std::uint32_t rows = std::min(kRowsAtOnce, result.checked_rows - first);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t k = 0; k < a.columns; ++k)
        left[std::size_t{k} * kRowsAtOnce + row] = bf16_to_float(a.at(checked_row(first + row), k));
    }
    for (std::uint32_t column = 0; column < b.columns; column += kColumnsAtOnce) {
      const std::uint32_t columns = std::min(kColumnsAtOnce, b.columns - column);
      std::fill(exact.begin(), exact.end(), 0.0);
      add_up({left.data(), &right[column], b.columns, a.columns, columns, exact.data()});
      for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t n = 0; n < columns; ++n) {
          const double x = bf16_to_float(c.at(checked_row(first + row), column + n));
          const double y = exact[std::size_t{row} * kColumnsAtOnce + n], error = std::abs(x - y);
          sum_x += x, sum_y += y, sum_xx += x * x, sum_yy += y * y, sum_xy += x * y, sum_error += error * error;
          if (!(error <= result.max_error)) result.max_error = error;
        }
      }
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
