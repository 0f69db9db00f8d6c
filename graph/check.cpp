#include "graph/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "graph/bounds.hpp"
#include "graph/evaluate.hpp"
#include "graph/float64_product.hpp"
#include "graph/packer_rounding.hpp"
#include "graph/parallel.hpp"
#include "graph/sampled_sums.hpp"

namespace kerr::graph {

namespace {

constexpr uint32_t kRowsAtOnce = 128, kColumnsAtOnce = 1536;  // of the product, by one thread
constexpr double kLeastPcc = 0.999, kLeastPccOfFewBits = 0.95;
constexpr double kMostRelativeError = 0.05;  // LoFi has 0.023 (docs/hardware/kernels.md 3.12)
constexpr double kMostRelativeErrorOfFewBits = 0.25;
constexpr double kFewRoundings = 4;  // do not stand out, where most sums need none

// What an element may be off by though its sum is exact: rounding to its format, in which BFP formats count from the
// largest of sixteen, and the operations of the epilogue, of which the worst has 150 ulp of FP32 and those that are
// least accurate near zero give 0 below 2^-118 (kernels/expression/operations.def); what would be denormal in FP16
// becomes 0.
class OwnError {
 public:
  OwnError(const Tensor& c, const Finish& finish)
      : c_(c),
        padding_(std::abs(finish.padding)),
        shared_(kernels::shares_exponents(c.format)),
        mantissa_(std::min(mantissa_bits(c.format), mantissa_bits(finish.precision))),
        zero_below_(c.format == Format::Fp16 ? 0x1p-14 : 0x1p-118) {}

  double operator()(uint32_t row, uint32_t column, double exact) const {
    constexpr double kOperations = 0x1p-16;
    double largest = std::abs(exact);
    if (shared_) {
      const uint32_t first = column / 16 * 16;
      for (uint32_t i = first; i < std::min(first + 16, c_.columns); ++i)
        largest = std::max(largest, std::abs(c_.at(row, i)));
      if (first + 16 > c_.columns) largest = std::max(largest, padding_);
    }
    return std::max(last_place(largest, mantissa_), kOperations * std::abs(exact)) + zero_below_;
  }

 private:
  const Tensor& c_;
  double padding_;
  bool shared_;
  int mantissa_;
  double zero_below_;
};

// Exact results of a row and 16 columns as the device would leave them.
void round_results(std::span<double, 16> numbers, const Finish& finish, Format format) {
  const bool shared = kernels::shares_exponents(format);
  const int bits = std::min(shared ? 23 : mantissa_bits(format), mantissa_bits(finish.precision));
  for (double& number : numbers) number = rounded(number, bits, true);
  if (shared) round_as_packed(numbers, format);
}

// How large the errors of sums are, from those of the elements that an epilogue has made of them. Rounding hides them
// in two ways.
//   to many bits   the square of an element's error is that of the sum's times the slope there, and what rounding by
// itself adds. Fitted, so that
//                  where the slope is small rounding does not count as the sum's.
//   BFP4           an element is what rounding makes of the exact one, or, where the sum's error crosses a step, the
// next step's; how often that
//                  happens is to the size of a step as the error times the slope is to 1.
class SumErrors {
 public:
  SumErrors(Format format, uint64_t elements) : steps_(format == Format::Bfp4), few_(elements < 13 * 200) {}

  uint32_t every() const { return steps_ || few_ ? 1 : 13; }  // element; of few that cross a step each counts

  /// `error`: from the exact element; `moved`: from the exact one after rounding; `own`: what rounding may make.
  void add(const Finish& finish, double sum, double step, uint32_t row, uint32_t column, double error, double moved,
           double own) {
    const double slope =
        (finish.element(sum + step, row, column) - finish.element(sum - step, row, column)) / (2 * step);
    if (!std::isfinite(slope) || !std::isfinite(error)) return;
    if (steps_) {  // counted, so that of very unequal elements not only the largest matter
      fit_ += moved * moved / (own * own), weights_ += std::abs(slope) / own;
    } else {
      const double weight = slope * slope;
      fit_ += (error * error - own * own / 12) * weight, weights_ += weight * weight;
    }
  }
  void add(const SumErrors& other) { fit_ += other.fit_, weights_ += other.weights_; }
  double sigma() const {
    constexpr double kSigmaOfMean = 1.2533;  // of a normal distribution, over the mean of its magnitudes
    if (!(fit_ > 0)) return 0;
    return steps_ ? kSigmaOfMean * fit_ / weights_ : std::sqrt(fit_ / weights_);
  }

 private:
  bool steps_, few_;
  double fit_ = 0, weights_ = 0;
};

// Whether the epilogue can make an element that is off by `error` of a sum that is off by kMostErrorInSigmas.
bool explained(const Finish& finish, double sum, double sigma, uint32_t row, uint32_t column, double error) {
  const double exact = finish.element(sum, row, column);
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    for (const double sign : {-1.0, 1.0}) {
      const double moved = finish.element(sum + sign * part * kMostErrorInSigmas * sigma, row, column);
      if (error <= std::abs(moved - exact)) return true;
    }
  }
  return false;
}

}  // namespace

bool Agreement::loose() const { return bounds && bounds->relative > kMostRelativeError; }

namespace {

// What is allowed adds up, as errors of sums may go the same way as those of rounding: LoFi makes products smaller, and
// so does the packer. Of correlations, which are cosines, angles add up.
double angle(double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)); }

}  // namespace

// Written so that a NaN fails each comparison.
bool Agreement::close() const {
  // One rule for expressions and products: with bounds for each element, what is likely says what rounding does.
  const bool in_blocks = kernels::shares_exponents(format);
  const std::optional<Rounding> expected = !bounds || !arithmetic ? rounding : in_blocks ? arithmetic : std::nullopt;
  if (expected) {
    return pcc >= std::cos(angle(expected->pcc) + angle(kLeastPcc)) &&
           relative_error <= expected->relative_error + kMostRelativeError;
  }
  if (kernels::is_integer(format) && !(bounds && bounds->relative > 0)) return max_error == 0;
  // Bounds that allow much do not tell right from wrong by themselves.
  const bool few_bits = format == Format::Bfp4 || loose();
  return pcc >= (few_bits ? kLeastPccOfFewBits : kLeastPcc) &&
         relative_error <= (few_bits ? kMostRelativeErrorOfFewBits : kMostRelativeError);
}

bool Agreement::explained() const {
  constexpr double kMore = 1.25;  // than the same arithmetic does to a sample
  if (!arithmetic || !bounds) return false;
  // All that is exact is smaller than the errors allowed, as in cos(x) - 1 near zero: there is nothing to compare.
  constexpr double kNoise = 8;
  if (std::isinf(relative_error) || bounds->relative > kNoise) return true;
  const double allowed = arithmetic->relative_error * kMore + kMostRelativeError;
  const bool correlated = pcc >= std::cos(std::min(angle(arithmetic->pcc) * kMore + angle(kLeastPcc), M_PI));
  // Elements that differ by less than what is allowed say nothing about correlation.
  return relative_error <= allowed && (correlated || (spread <= allowed && cosine >= kLeastPccOfFewBits));
}

Verdict Agreement::verdict() const {
  if (checked_rows == 0) return Verdict::Wrong;
  if (bounds && bounds->outside != 0) return Verdict::Wrong;
  if (outside ? *outside != 0 : !bounds && !(max_error <= kMostErrorInSigmas * rms_error)) return Verdict::Wrong;
  const bool compared = !bounds || bounds->within != 0;
  if (compared && !close()) return explained() ? Verdict::AsFarAsTold : Verdict::Wrong;
  return bounds && bounds->untold != 0 ? Verdict::AsFarAsTold : Verdict::Verified;
}

ElementChecks::ElementChecks(Format format)
    : least_normal_(kernels::is_integer(format)         ? 0
                    : format == Format::Fp16            ? 0x1p-14
                    : kernels::shares_exponents(format) ? 0
                                                        : kLeastFp32) {}

void ElementChecks::add(const Bounded& expected, double got) {
  ++bounds_.elements;
  const Told told = expected.told();
  const bool right = expected.holds(got, least_normal_);
  ++(!right                  ? bounds_.outside
     : told == Told::Not     ? bounds_.untold
     : told == Told::ByClass ? bounds_.by_class
                             : bounds_.within);
  if (told != Told::Within || !std::isfinite(expected.value)) return;
  const double error = expected.error();
  if (right && !std::isfinite(got)) return;  // near the end of all numbers
  sums_.add(expected.value, got);
  likely_.add(expected.value, std::isfinite(expected.likely) ? expected.likely : expected.value);
  if (std::isfinite(error)) errors_ += error * error;
  squares_ += expected.value * expected.value;
}

void ElementChecks::add(const ElementChecks& other) {
  bounds_.elements += other.bounds_.elements, bounds_.within += other.bounds_.within;
  bounds_.by_class += other.bounds_.by_class, bounds_.untold += other.bounds_.untold;
  bounds_.outside += other.bounds_.outside;
  errors_ += other.errors_, squares_ += other.squares_;
  sums_.add(other.sums_), likely_.add(other.likely_);
}

void ElementChecks::finish(Agreement& result) const {
  Agreement likely;
  likely_.finish(likely);
  result.arithmetic = {likely.pcc, likely.relative_error};
  sums_.finish(result);
  result.bounds = bounds_;
  result.bounds->relative = squares_ > 0 ? std::sqrt(errors_ / squares_) : 0;
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
  const bool got_constant = n * xx_ - x_ * x_ <= 1e-12 * n * xx_;  // rounding may have left one number only
  result.pcc = identical || constant ? 1 : got_constant ? 0 : (n * xy_ - x_ * y_) / spread;
  result.relative_error = identical ? 0 : std::sqrt(error_ / yy_);
  result.spread = yy_ > 0 ? std::sqrt(std::max(0.0, n * yy_ - y_ * y_) / (n * yy_)) : 0;
  result.cosine = identical ? 1 : xy_ / std::sqrt(xx_ * yy_);
  result.rms_error = count_ == 0 ? 0 : std::sqrt(error_ / n);
  result.max_error = max_error_;
}

namespace {

constexpr uint64_t kMostSquares = uint64_t{1} << 33;

std::vector<float> squared(const std::vector<float>& values) {
  std::vector<float> out(values.size());
  std::ranges::transform(values, out.begin(), [](float x) { return x * x; });
  return out;
}
std::vector<double> row_squares(const Tensor& t) {
  std::vector<double> out(t.rows);
  for (size_t i = 0; i < t.values.size(); ++i) out[i / t.columns] += double{t.values[i]} * t.values[i];
  return out;
}
std::vector<double> column_squares(const Tensor& t, uint32_t batch) {
  std::vector<double> out(size_t{batch} * t.columns);
  const size_t product = t.values.size() / batch;
  for (size_t i = 0; i < t.values.size(); ++i)
    out[i / product * t.columns + i % t.columns] += double{t.values[i]} * t.values[i];
  return out;
}

// The matrix unit takes denormal operands for zeros; among random numbers in FP16 there are some.
std::optional<Tensor> without_denormals(const Tensor& t) {
  const float least = t.format == Format::Fp16 ? 0x1p-14f : static_cast<float>(kLeastFp32);
  const auto denormal = [least](float x) { return x != 0 && std::abs(x) < least; };
  if (kernels::shares_exponents(t.format) || std::ranges::none_of(t.values, denormal)) return std::nullopt;
  Tensor out = t;
  std::ranges::replace_if(out.values, denormal, 0.f);
  return out;
}

// Sums that are not checked: those of operands that are infinity or NaN, for which the matrix unit has no meaning, and
// those that may become infinity before their end. Random numbers make none.
class Untold {
 public:
  Untold(const Tensor& a, const Tensor& b, uint32_t batch, Format out)
      : batch_(batch), depth_(a.columns), group_(kernels::shares_exponents(out) ? 16 : 1), columns_(b.columns) {
    const auto size = [](float x) { return std::abs(x) < kSquarable ? double{std::abs(x)} : HUGE_VAL; };
    rows_.resize(a.rows);
    for (size_t i = 0; i < a.values.size(); ++i)
      rows_[i / a.columns] = std::max(rows_[i / a.columns], size(a.values[i]));
    of_columns_.resize(size_t{batch} * columns_);
    for (size_t i = 0; i < b.values.size(); ++i)
      of_columns_[column_of(b, i)] = std::max(of_columns_[column_of(b, i)], size(b.values[i]));
    any_ = largest(rows_) * largest(of_columns_) * depth_ >= kSafe || std::isinf(largest(rows_)) ||
           std::isinf(largest(of_columns_));
  }

  /// The operand with zeros in such rows or columns, so that they are not among the statistics of the others. None: as
  /// it is.
  std::optional<Tensor> told_rows(const Tensor& a) const {
    return with_zeros(a, [&](size_t i) { return std::isinf(rows_[i / a.columns]); });
  }
  std::optional<Tensor> told_columns(const Tensor& b) const {
    return with_zeros(b, [&](size_t i) { return std::isinf(of_columns_[column_of(b, i)]); });
  }
  /// Whether an element of the result, or one that shares its exponent, is such a sum. `product`: its number in the
  /// batch.
  bool operator()(uint32_t product, uint32_t row, uint32_t column) const {
    if (!any_) return false;
    const uint32_t first = column / group_ * group_;
    for (uint32_t c = first; c < std::min(first + group_, columns_); ++c) {
      const double of_column = of_columns_[size_t{product} * columns_ + c];
      if (std::isinf(rows_[row]) || std::isinf(of_column) || rows_[row] * of_column * depth_ >= kSafe) return true;
    }
    return false;
  }

 private:
  static constexpr float kSquarable = 0x1p63f;  // whose square is a float
  static constexpr double kSafe = 0x1p126;
  static double largest(const std::vector<double>& all) { return std::ranges::max(all); }
  size_t column_of(const Tensor& b, size_t i) const { return i / (b.values.size() / batch_) * columns_ + i % columns_; }
  template <class IsZero>
  std::optional<Tensor> with_zeros(const Tensor& t, const IsZero& is_zero) const {
    if (!any_) return std::nullopt;
    Tensor out = t;
    for (size_t i = 0; i < out.values.size(); ++i)
      if (is_zero(i)) out.values[i] = 0;
    return out;
  }

  const size_t batch_;
  const double depth_;
  const uint32_t group_, columns_;
  std::vector<double> rows_, of_columns_;  // the largest operand of each; infinity: too large, or no number
  bool any_ = false;
};

struct Part {
  uint32_t row, column, rows, columns, product;
};

// The elements of a part, from their sums: one rule with that of expressions (exact.cpp). `numbers`, unless it is
// empty, is like C: gets what the elements must be close to, and NaN for what only the bounds can judge, as it is no
// number, or may be almost any.
void check_bounds(const Tensor& c, const Finish& epilogue, const kernels::MatmulOptions& options,
                  const SampledSums& sample, const Untold& untold, const Part& part, std::span<const double> sums,
                  std::span<const double> squares, ElementChecks& checks, std::span<double> numbers) {
  if (epilogue && !epilogue.bounds) return;
  for (uint32_t r = 0; r < part.rows; ++r) {
    const uint32_t row = part.row + r;
    for (uint32_t first = 0; first < part.columns; first += 16) {
      const uint32_t count = std::min(16u, part.columns - first);
      std::array<Bounded, 16> elements;
      for (uint32_t j = 0; j < count; ++j) {
        const uint32_t column = part.column + first + j;
        const size_t i = size_t{r} * part.columns + first + j;
        elements[j] = sample.element(row, column, sums[i], squares[i], part.product == 0);
        if (untold(part.product, row, column)) {
          elements[j] = Bounded::anything(sums[i]);
          elements[j].plus_nan = elements[j].minus_nan = false;  // which the matrix unit never makes
        }
        if (!epilogue) continue;
        elements[j] = epilogue.bounds(elements[j], row, column);
        if (!options.dst32()) elements[j] = stored(elements[j], Format::Bf16, 0);  // back to Dst
      }
      const bool beside = part.column + first + count == c.columns && count < 16;
      store_together(std::span(elements).first(count), c.format, beside ? std::abs(epilogue.padding) : 0,
                     options.dst32());
      for (uint32_t j = 0; j < count; ++j) {
        const uint32_t column = part.column + first + j;
        const double got = c.at(row, column);
        checks.add(elements[j], got);
        if (numbers.empty()) continue;
        const bool number =
            elements[j].told() == Told::Within && std::isfinite(elements[j].value) && std::isfinite(got);
        numbers[size_t{row} * c.columns + column] =
            number ? elements[j].value : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
}

}  // namespace

Agreement check_matmul(const Tensor& given_a, const Tensor& given_b, const Tensor& c, unsigned threads,
                       const Finish& epilogue, uint32_t batch, kernels::MatmulOptions options) {
  const std::optional<Tensor> whole_a = without_denormals(given_a), whole_b = without_denormals(given_b);
  const Tensor &any_a = whole_a ? *whole_a : given_a, &any_b = whole_b ? *whole_b : given_b;
  const Untold untold(any_a, any_b, batch, c.format);
  const std::optional<Tensor> told_a = untold.told_rows(any_a), told_b = untold.told_columns(any_b);
  const Tensor &a = told_a ? *told_a : any_a, &b = told_b ? *told_b : any_b;
  options.in = a.format, options.out = c.format;
  // Rounding to few bits hides what 12 sigma would find, so formats with shared exponents are checked as if the sums
  // had an epilogue.
  Finish finish = epilogue || !kernels::shares_exponents(c.format)
                      ? epilogue
                      : Finish{[](double sum, uint32_t, uint32_t) { return sum; }};
  if (!epilogue)
    finish.precision = options.dst32() ? Format::Fp32 : a.format == Format::Fp16 ? Format::Fp16 : Format::Bf16;
  const OwnError own_error(c, finish);
  const uint32_t m = c.rows / batch, k = a.columns;
  const size_t down = (m + kRowsAtOnce - 1) / kRowsAtOnce;
  const size_t across = (c.columns + kColumnsAtOnce - 1) / kColumnsAtOnce;
  const SampledSums sample(
      options, m, c.columns, k, [&](size_t row, size_t i) { return double{a.values[row * k + i]}; },
      [&](size_t i, size_t column) { return double{b.values[i * b.columns + column]}; });
  // For very large products, squares are estimated from those of rows and columns.
  const bool all_squares = uint64_t{c.rows} * c.columns * k <= kMostSquares;
  const std::vector<float> a2 = all_squares ? squared(a.values) : std::vector<float>();
  const std::vector<float> b2 = all_squares ? squared(b.values) : std::vector<float>();
  const std::vector<double> a_sizes = all_squares ? std::vector<double>() : row_squares(a);
  const std::vector<double> b_sizes = all_squares ? std::vector<double>() : column_squares(b, batch);
  std::vector<ElementChecks> checks(batch * down * across, ElementChecks(c.format));
  std::vector<AgreementSums> sums(batch * down * across), roundings(sums.size());
  std::vector<SumErrors> errors(finish ? sums.size() : 0, SumErrors(c.format, c.values.size()));
  std::vector<double> unfinished(finish ? c.values.size() : 0);  // like C
  std::vector<double> numbers(finish.bounds ? unfinished.size() : 0);
  std::vector<double> strays(finish ? 0 : sums.size());  // the largest error that is more than few roundings, of a part
  parallel(sums.size(), threads, [&](size_t i) {
    const auto product = static_cast<uint32_t>(i / (down * across));
    const auto row = static_cast<uint32_t>(i / across % down) * kRowsAtOnce;
    const auto column = static_cast<uint32_t>(i % across) * kColumnsAtOnce;
    const uint32_t rows = std::min(kRowsAtOnce, m - row), columns = std::min(kColumnsAtOnce, c.columns - column);
    std::vector<double> exact(size_t{rows} * columns);
    multiply<float>({&a.values[size_t{product * m + row} * k], k, rows, k},
                    {&b.values[size_t{product} * k * b.columns + column], b.columns, k, columns}, exact.data());
    std::vector<double> squares(exact.size());
    if (all_squares) {
      multiply<float>({&a2[size_t{product * m + row} * k], k, rows, k},
                      {&b2[size_t{product} * k * b.columns + column], b.columns, k, columns}, squares.data());
    }
    for (size_t j = 0; !all_squares && j < squares.size(); ++j) {
      squares[j] =
          a_sizes[product * m + row + j / columns] * b_sizes[size_t{product} * b.columns + column + j % columns] / k;
    }
    check_bounds(c, epilogue, options, sample, untold, {product * m + row, column, rows, columns, product}, exact,
                 squares, checks[i], numbers);
    double step = 0;  // small among sums
    for (const double sum : exact) step += finish ? sum * sum : 0;
    step = 0x1p-9 * std::sqrt(step / static_cast<double>(exact.size()));
    for (uint32_t r = 0; r < rows; ++r) {
      const uint32_t c_row = product * m + row + r;
      const std::span<const double> row_sums = std::span(exact).subspan(size_t{r} * columns, columns);
      for (uint32_t n = 0; !finish && n < columns; ++n) {
        if (untold(product, c_row, column + n)) continue;
        const double got = c.at(c_row, column + n), error = std::abs(got - row_sums[n]);
        sums[i].add(row_sums[n], got);
        const double few = kFewRoundings * own_error(c_row, column + n, row_sums[n]);
        if (!(error <= strays[i]) && !(error <= few)) strays[i] = error;
      }
      for (uint32_t first = 0; finish && first < columns; first += 16) {
        std::array<double, 16> elements, rounded;
        elements.fill(finish.padding);
        const uint32_t count = std::min(16u, columns - first);
        for (uint32_t j = 0; j < count; ++j)
          elements[j] = finish.element(row_sums[first + j], c_row, column + first + j);
        rounded = elements;
        round_results(rounded, finish, c.format);
        for (uint32_t j = 0; j < count; ++j) {
          const uint32_t n = first + j;
          const double got = c.at(c_row, column + n);
          const size_t index = size_t{c_row} * c.columns + column + n;
          unfinished[index] = row_sums[n];
          if (untold(product, c_row, column + n)) continue;
          if (!numbers.empty()) {
            if (std::isnan(numbers[index])) continue;
            elements[j] = numbers[index];
          }
          sums[i].add(elements[j], got);
          roundings[i].add(elements[j], rounded[j]);
          if ((r * columns + n) % errors[i].every() != 0 || step == 0) continue;
          errors[i].add(finish, row_sums[n], step, c_row, column + n, got - elements[j], got - rounded[j],
                        own_error(c_row, column + n, elements[j]));
        }
      }
    }
  });
  for (size_t i = 1; i < sums.size(); ++i) {  // in an order that no thread changes
    sums[0].add(sums[i]);
    roundings[0].add(roundings[i]);
  }
  for (size_t i = 1; i < errors.size(); ++i) errors[0].add(errors[i]);
  for (size_t i = 1; i < checks.size(); ++i) checks[0].add(checks[i]);
  Agreement result;
  result.checked_rows = result.rows = c.rows;
  result.format = c.format;
  checks[0].finish(result);
  if (epilogue && !epilogue.bounds) result.bounds.reset(), result.arithmetic.reset();
  sums[0].finish(result);
  // Sums that Dst has rounded so often that they are far off are not like a random error: only their bounds and the
  // sample judge them.
  const bool far = sample.relative_error() > kMostRelativeError;
  // Narrow bounds tell a wrong element by themselves, and know what may happen to one of many sums that are exact.
  if (result.bounds && !result.loose()) {
    result.outside = 0;
    if (!finish) return result;
  }
  if (!finish) {
    // Where most sums need no rounding, the rest would stand out by theirs.
    double stray = 0;
    for (const double error : strays) stray = error <= stray ? stray : error;
    if (!far) result.outside = stray <= kMostErrorInSigmas * result.rms_error ? 0 : 1;
    return result;
  }
  Agreement rounded;
  roundings[0].finish(rounded);
  result.rounding = {rounded.pcc, rounded.relative_error};
  if (result.bounds && (far || result.outside)) return result;
  // Sums are rounded at least once, to what Dst holds, and what is further off than this would be refused without an
  // epilogue.
  double squares = 0;
  for (const double sum : unfinished) squares += sum * sum;
  const double rms = std::sqrt(squares / static_cast<double>(unfinished.size()));
  const double most = a.format == Format::Bfp4 ? kMostRelativeErrorOfFewBits : kMostRelativeError;
  // Where rounding hides the errors of sums, the sample shows them.
  const double least = std::max(std::ldexp(1.0, -mantissa_bits(finish.precision) - 1), sample.relative_error());
  const double sigma = std::clamp(errors[0].sigma(), rms * std::min(least, most), rms * most);
  std::vector<uint64_t> outside(c.rows);
  parallel(c.rows, threads, [&](size_t i) {
    const auto row = static_cast<uint32_t>(i);
    for (uint32_t column = 0; column < c.columns; ++column) {
      if (untold(row / m, row, column)) continue;
      const double sum = unfinished[i * c.columns + column];
      const double exact = numbers.empty() ? finish.element(sum, row, column) : numbers[i * c.columns + column];
      if (!numbers.empty() && std::isnan(exact)) continue;
      // Written so that a NaN is outside.
      const double more = std::abs(c.at(row, column) - exact) - own_error(row, column, exact);
      if (!(more <= 0) && !explained(finish, sum, sigma, row, column, more)) ++outside[i];
    }
  });
  result.outside = std::accumulate(outside.begin(), outside.end(), uint64_t{0});
  return result;
}

}  // namespace kerr::graph
