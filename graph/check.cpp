#include "graph/check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/float64_product.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint64_t kMostProducts = std::uint64_t{1} << 31;
constexpr double kLeastPcc = 0.999, kLeastPccOfFourBits = 0.98;
constexpr double kMostRelativeError = 0.05;  // LoFi has 0.023 (docs/hardware/kernels.md 3.12)
constexpr double kMostRelativeErrorOfFourBits = 0.25;
constexpr double kMostErrorInSigmas = 12;  // a single wrong element stands out against the rounding of all others

}  // namespace

bool Agreement::good() const {
  const bool four_bits = format == Format::Bfp4;
  // Written so that a NaN fails each comparison.
  return checked_rows > 0 && pcc >= (four_bits ? kLeastPccOfFourBits : kLeastPcc) &&
         relative_error <= (four_bits ? kMostRelativeErrorOfFourBits : kMostRelativeError) &&
         max_error <= kMostErrorInSigmas * rms_error;
}

void AgreementSums::add(double exact, double got) {
  const double error = std::abs(got - exact);
  x_ += got, y_ += exact, xx_ += got * got, yy_ += exact * exact, xy_ += got * exact, error_ += error * error;
  if (!(error <= max_error_)) max_error_ = error;
  ++count_;
}

void AgreementSums::finish(Agreement& result) const {
  const double n = static_cast<double>(count_);
  const double spread = std::sqrt((n * xx_ - x_ * x_) * (n * yy_ - y_ * y_));
  const bool constant = n * yy_ - y_ * y_ <= 1e-12 * n * yy_;  // has no correlation; its error says enough
  const bool identical = error_ == 0;
  result.pcc = identical || constant ? 1 : (n * xy_ - x_ * y_) / spread;
  result.relative_error = identical ? 0 : std::sqrt(error_ / yy_);
  result.rms_error = std::sqrt(error_ / n);
  result.max_error = max_error_;
}

Agreement check_matmul(const Tensor& a, const Tensor& b, const Tensor& c) {
  const std::uint64_t per_row = std::uint64_t{a.columns} * b.columns;
  Agreement result;
  result.rows = c.rows;
  result.format = c.format;
  result.checked_rows =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostProducts / per_row, 2, c.rows < 2 ? 2 : c.rows));
  result.checked_rows = std::min(result.checked_rows, c.rows);

  const std::vector<double> right(b.values.begin(), b.values.end());
  std::vector<double> left(std::size_t{a.columns} * kRowsAtOnce);
  std::vector<double> exact(std::size_t{kRowsAtOnce} * kColumnsAtOnce);
  AgreementSums sums;
  const auto checked_row = [&](std::uint32_t i) {
    if (result.checked_rows == 1) return std::uint32_t{0};
    return static_cast<std::uint32_t>(std::uint64_t{i} * (c.rows - 1) / (result.checked_rows - 1));
  };
  for (std::uint32_t first = 0; first < result.checked_rows; first += kRowsAtOnce) {
    const std::uint32_t rows = std::min(kRowsAtOnce, result.checked_rows - first);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t k = 0; k < a.columns; ++k)
        left[std::size_t{k} * kRowsAtOnce + row] = a.at(checked_row(first + row), k);
    }
    for (std::uint32_t column = 0; column < b.columns; column += kColumnsAtOnce) {
      const std::uint32_t columns = std::min(kColumnsAtOnce, b.columns - column);
      std::fill(exact.begin(), exact.end(), 0.0);
      add_up({left.data(), &right[column], b.columns, a.columns, columns, exact.data()});
      for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t n = 0; n < columns; ++n) {
          sums.add(exact[std::size_t{row} * kColumnsAtOnce + n], c.at(checked_row(first + row), column + n));
        }
      }
    }
  }
  sums.finish(result);
  return result;
}

}  // namespace kerr::graph
