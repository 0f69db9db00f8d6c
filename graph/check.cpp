#include "graph/check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/float64_product.hpp"
#include "graph/parallel.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint32_t kRowsAtOnce = 128, kColumnsAtOnce = 1536;  // of the product, by one thread
constexpr double kLeastPcc = 0.999, kLeastPccOfFourBits = 0.98;
constexpr double kMostRelativeError = 0.05;  // LoFi has 0.023 (docs/hardware/kernels.md 3.12)
constexpr double kMostRelativeErrorOfFourBits = 0.25;
// A single wrong element stands out against the rounding of all others.
constexpr double kMostErrorInSigmas = 12, kMostErrorOfFinished = 60;

}  // namespace

bool Agreement::good() const {
  if (kernels::is_integer(format)) return checked_rows > 0 && max_error == 0;
  const bool four_bits = format == Format::Bfp4;
  // Written so that a NaN fails each comparison.
  return checked_rows > 0 && pcc >= (four_bits ? kLeastPccOfFourBits : kLeastPcc) &&
         relative_error <= (four_bits ? kMostRelativeErrorOfFourBits : kMostRelativeError) &&
         max_error <= (finished ? kMostErrorOfFinished : kMostErrorInSigmas) * rms_error;
}

void AgreementSums::add(double exact, double got) {
  const double error = std::abs(got - exact);
  x_ += got, y_ += exact, xx_ += got * got, yy_ += exact * exact, xy_ += got * exact, error_ += error * error;
  if (!(error <= max_error_)) max_error_ = error;
  ++count_;
}

void AgreementSums::add(const AgreementSums& other) {
  x_ += other.x_, y_ += other.y_, xx_ += other.xx_, yy_ += other.yy_, xy_ += other.xy_, error_ += other.error_;
  if (!(other.max_error_ <= max_error_)) max_error_ = other.max_error_;
  count_ += other.count_;
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

Agreement check_matmul(const Tensor& a, const Tensor& b, const Tensor& c, unsigned threads, const Finish& finish,
                       std::uint32_t batch) {
  const std::uint32_t m = c.rows / batch, k = a.columns;
  const std::size_t down = (m + kRowsAtOnce - 1) / kRowsAtOnce;
  const std::size_t across = (c.columns + kColumnsAtOnce - 1) / kColumnsAtOnce;
  std::vector<AgreementSums> sums(batch * down * across);
  parallel(sums.size(), threads, [&](std::size_t i) {
    const auto product = static_cast<std::uint32_t>(i / (down * across));
    const auto row = static_cast<std::uint32_t>(i / across % down) * kRowsAtOnce;
    const auto column = static_cast<std::uint32_t>(i % across) * kColumnsAtOnce;
    const std::uint32_t rows = std::min(kRowsAtOnce, m - row), columns = std::min(kColumnsAtOnce, c.columns - column);
    std::vector<double> exact(std::size_t{rows} * columns);
    multiply<float>({&a.values[std::size_t{product * m + row} * k], k, rows, k},
                    {&b.values[std::size_t{product} * k * b.columns + column], b.columns, k, columns}, exact.data());
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t n = 0; n < columns; ++n) {
        double& element = exact[std::size_t{r} * columns + n];
        if (finish) element = finish(element, product * m + row + r, column + n);
        sums[i].add(element, c.at(product * m + row + r, column + n));
      }
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0].add(sums[i]);  // in an order that no thread changes
  Agreement result;
  result.checked_rows = result.rows = c.rows;
  result.format = c.format;
  result.finished = static_cast<bool>(finish);
  sums[0].finish(result);
  return result;
}

}  // namespace kerr::graph
