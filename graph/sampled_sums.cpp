#include "graph/sampled_sums.hpp"

#include <algorithm>
#include <cmath>

#include "graph/dst_sum.hpp"

namespace kerr::graph {

namespace {

constexpr uint64_t kSteps = uint64_t{1} << 21;  // of all sums together: a fraction of a second
constexpr size_t kMost = 1024, kLeast = 16, kColumns = 32;
constexpr double kSigmas = 6;    // of errors that the sample shows, slope included
constexpr double kLargests = 2;  // of the largest of them: where most sums are exact, the others are far from normal

}  // namespace

SampledSums::SampledSums(const kernels::MatmulOptions& options, size_t rows, size_t columns, size_t depth,
                         const At& left, const At& right)
    : options_(options), depth_(depth) {
  if (options.int8() || rows == 0 || columns == 0) return;
  const DstSum dst(options);
  const size_t count = std::clamp<size_t>(kSteps / dst.steps(depth), kLeast, kMost);
  columns_ = std::min({columns, kColumns, count});
  const size_t sampled_rows = std::min(rows, std::max<size_t>(count / columns_, 1));
  column_step_ = columns / columns_, row_step_ = rows / sampled_rows;
  std::vector<std::vector<double>> b(columns_, std::vector<double>(depth));
  std::vector<std::vector<DstSum::Cell>> cells;
  for (size_t j = 0; j < columns_; ++j) {
    for (size_t k = 0; k < depth; ++k) b[j][k] = right(k, j * column_step_);
    cells.push_back(dst.cells(b[j]));
  }
  std::vector<double> a(depth), exact, root;
  double xx = 0, xy = 0;
  for (size_t i = 0; i < sampled_rows; ++i) {
    for (size_t k = 0; k < depth; ++k) a[k] = left(i * row_step_, k);
    const std::vector<DstSum::Cell> row = dst.cells(a);
    for (size_t j = 0; j < columns_; ++j) {
      double sum = 0, squares = 0;
      for (size_t k = 0; k < depth; ++k) sum += a[k] * b[j][k], squares += a[k] * a[k] * b[j][k] * b[j][k];
      const double device = dst.sum(row, cells[j]);
      elements_.push_back({i * row_step_, j * column_step_, device});
      exact.push_back(sum), root.push_back(std::sqrt(squares));
      xx += sum * sum, xy += sum * device;
    }
  }
  if (xx > 0 && std::isfinite(xx) && std::isfinite(xy)) slope_ = xy / xx;
  double errors = 0, all = 0;
  for (size_t i = 0; i < elements_.size(); ++i) {
    const double error = elements_[i].device - exact[i];
    const double size = root[i] > 0 ? root[i] : 1;
    all += error * error;
    errors += error / size * (error / size);
    largest_ = std::max(largest_, std::abs(error) / size);
    rest_.push_back((elements_[i].device - slope_ * exact[i]) / size);
  }
  most_ = std::sqrt(errors / static_cast<double>(elements_.size()));
  relative_error_ = xx > 0 ? std::sqrt(all / xx) : 0;
}

const SampledSums::Element* SampledSums::find(size_t row, size_t column) const {
  if (elements_.empty() || row % row_step_ != 0 || column % column_step_ != 0) return nullptr;
  const size_t i = row / row_step_ * columns_ + column / column_step_;
  return column / column_step_ < columns_ && i < elements_.size() ? &elements_[i] : nullptr;
}

Bounded SampledSums::element(size_t row, size_t column, double sum, double squares, bool here) const {
  if (options_.int8()) return Bounded::exactly(sum);
  const double own = error_of_product(options_, depth_, sum, squares), size = std::sqrt(squares);
  const double seen = std::max(kSigmas * most_, kLargests * largest_) * size;
  const Element* sampled = here ? find(row, column) : nullptr;
  Bounded out = Bounded::around(sum, std::isfinite(seen) ? std::max(own, seen) : own);
  // Where the sample is further off than single roundings explain, the device is between what was added up and the
  // exact sum: blocks of K that are added up in L1 begin anew.
  if (sampled && seen > own && std::isfinite(sampled->device)) {
    out.low = std::min(sum, sampled->device) - own;
    out.high = std::max(sum, sampled->device) + own;
  }
  out.value = sum;
  out.likely = sampled         ? sampled->device
               : rest_.empty() ? sum
                               : slope_ * sum + size * rest_[(row * 31 + column * 17) % rest_.size()];
  return out;
}

}  // namespace kerr::graph
