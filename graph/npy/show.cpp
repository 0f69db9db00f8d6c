#include "graph/npy/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace kerr::graph::npy {

namespace {

// NumPy's defaults.
constexpr size_t kLineWidth = 75, kThreshold = 1000, kEdge = 3;
constexpr int kPrecision = 8;

// "1.25e-06" as "1", "25" and -6.
struct Decimal {
  std::string whole, fraction;  // the sign is of `whole`
  int exponent = 0;
};

Decimal scientific(float value, int precision = -1) {
  char text[64];
  const auto [end, error] = precision < 0
                                ? std::to_chars(text, std::end(text), value, std::chars_format::scientific)
                                : std::to_chars(text, std::end(text), value, std::chars_format::scientific, precision);
  const std::string_view all(text, static_cast<size_t>(end - text));
  const size_t e = all.find('e'), dot = std::min(all.find('.'), e);
  Decimal out{std::string(all.substr(0, dot)),
              std::string(all.substr(dot == e ? e : dot + 1, dot == e ? 0 : e - dot - 1))};
  const char* digits = all.data() + e + (all[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits, end, out.exponent);
  return out;
}

// As few digits behind the point as tell the number from its neighbours, but at most kPrecision; before it, all.
Decimal positional(float value) {
  const Decimal shortest = scientific(value);
  const bool negative = shortest.whole[0] == '-';
  std::string digits = shortest.whole.substr(negative) + shortest.fraction;
  const int behind = static_cast<int>(shortest.fraction.size()) - shortest.exponent;
  Decimal out;
  if (behind > kPrecision) {
    const std::string rounded = fmt::format("{:.{}f}", value, kPrecision);
    const size_t dot = rounded.find('.');
    out = {rounded.substr(0, dot), rounded.substr(dot + 1)};
  } else if (behind <= 0) {
    out.whole = fmt::format("{:.0f}", value);
  } else {
    const auto fraction = static_cast<size_t>(behind);
    if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
    out.whole = fmt::format("{}{}", negative ? "-" : "", digits.substr(0, digits.size() - fraction));
    out.fraction = digits.substr(digits.size() - fraction);
  }
  while (out.fraction.ends_with('0')) out.fraction.pop_back();
  return out;
}

using Word = std::function<std::string(double)>;

// Floats of one array, with their points one below the other.
class Floats {
 public:
  explicit Floats(const std::vector<double>& shown) {
    float least = INFINITY, most = 0;
    bool finite = false, infinite = false, negative_infinity = false;
    for (const double number : shown) {
      const auto value = static_cast<float>(number);
      infinite = infinite || !std::isfinite(value);
      negative_infinity = negative_infinity || value == -INFINITY;
      if (!std::isfinite(value)) continue;
      finite = true;
      if (value == 0) continue;
      least = std::min(least, std::abs(value));
      most = std::max(most, std::abs(value));
    }
    exponents_ = most != 0 && (most >= 1e8F || double{least} < 0.0001 || most / least > 1000.0F);
    for (const double number : shown) {
      const auto value = static_cast<float>(number);
      if (!std::isfinite(value)) continue;
      const Decimal decimal = exponents_ ? scientific(value) : positional(value);
      left_ = std::max(left_, decimal.whole.size());
      right_ = std::max(right_, decimal.fraction.size());
    }
    fraction_ = right_;
    if (finite && exponents_) right_ += 4;  // "e-06"
    if (!infinite) return;
    const size_t widest = negative_infinity ? 4 : 3;
    if (left_ + right_ + 1 < widest) left_ = widest - right_ - 1;
  }

  std::string operator()(double number) const {
    const auto value = static_cast<float>(number);
    const size_t width = left_ + right_ + 1;
    if (!std::isfinite(value))
      return fmt::format("{:>{}}", std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", width);
    if (exponents_) {
      const Decimal d = scientific(value, static_cast<int>(fraction_));
      return fmt::format("{:>{}}.{}e{}{:02}", d.whole, left_, d.fraction, d.exponent < 0 ? '-' : '+',
                         std::abs(d.exponent));
    }
    const Decimal d = positional(value);
    return fmt::format("{:>{}}.{:<{}}", d.whole, left_, d.fraction, right_);
  }

 private:
  bool exponents_ = false;
  size_t left_ = 0, right_ = 0;  // of the point
  size_t fraction_ = 0;          // digits
};

class Integers {
 public:
  explicit Integers(const std::vector<double>& shown) {
    for (const double number : shown) width_ = std::max(width_, fmt::format("{:.0f}", number).size());
  }
  std::string operator()(double number) const { return fmt::format("{:>{}.0f}", number, width_); }

 private:
  size_t width_ = 0;
};

// Indices of an axis that are shown.
std::vector<uint32_t> shown_of(uint32_t size, bool summary) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < size; ++i) {
    if (!summary || size <= 2 * kEdge || i < kEdge || i + kEdge >= size)
      all.push_back(i);
    else
      i = size - kEdge - 1;
  }
  return all;
}

class Printer {
 public:
  Printer(const Tensor& tensor, uint32_t batch)
      : tensor_(tensor),
        summary_(tensor.values.size() > kThreshold),
        sizes_{batch, tensor.rows / batch, tensor.columns},
        first_(batch == 1 ? 1 : 0),
        axes_{shown_of(sizes_[0], summary_), shown_of(sizes_[1], summary_), shown_of(sizes_[2], summary_)} {
    std::vector<double> shown;
    for (const uint32_t matrix : axes_[0])
      for (const uint32_t row : axes_[1])
        for (const uint32_t column : axes_[2]) shown.push_back(number(matrix, row, column));
    if (kernels::is_integer(tensor.format))
      word_ = Integers(shown);
    else
      word_ = Floats(shown);
  }

  std::string text() const { return first_ == 0 ? matrices() : matrix(0, 1); }

 private:
  double number(uint32_t matrix, uint32_t row, uint32_t column) const {
    return tensor_.at(matrix * sizes_[1] + row, column);
  }
  // Whether something is left out before the i-th index that is shown.
  bool gap_before(size_t axis, size_t i) const { return i != 0 && axes_[axis][i] != axes_[axis][i - 1] + 1; }

  // Brackets round what `inner` makes of each index of an axis. `depth`: brackets that are open, this one included.
  std::string lines(size_t axis, size_t depth, size_t newlines,
                    const std::function<std::string(uint32_t)>& inner) const {
    const std::string indent = std::string(newlines, '\n') + std::string(depth, ' ');
    std::string out = "[";
    for (size_t i = 0; i < axes_[axis].size(); ++i) {
      if (i != 0) out += indent;
      if (gap_before(axis, i)) out += "..." + indent;
      out += inner(axes_[axis][i]);
    }
    return out + "]";
  }

  std::string matrices() const {
    return lines(0, 1, 2, [this](uint32_t m) { return matrix(m, 2); });
  }
  std::string matrix(uint32_t m, size_t depth) const {
    return lines(1, depth, 1, [=, this](uint32_t r) { return row(m, r, depth + 1); });
  }

  // Cut where a word would come too near to the end of the line.
  std::string row(uint32_t m, uint32_t r, size_t depth) const {
    const size_t width = kLineWidth - depth;  // brackets that are closed behind it take room, too
    std::string out, line(depth, ' ');
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width && line.size() > depth) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
        line.assign(depth, ' ');
      }
      line += word;
    };
    for (size_t i = 0; i < axes_[2].size(); ++i) {
      if (i != 0) line += ' ';
      if (gap_before(2, i)) {
        extend("...");
        line += ' ';
      }
      extend(word_(number(m, r, axes_[2][i])));
    }
    out += line + ']';
    return out.replace(0, depth, "[");
  }

  const Tensor& tensor_;
  const bool summary_;
  const uint32_t sizes_[3];
  const size_t first_;  // axis that is shown
  const std::vector<uint32_t> axes_[3];
  Word word_;
};

}  // namespace

std::string show(const Tensor& tensor, uint32_t batch) { return Printer(tensor, batch).text(); }

}  // namespace kerr::graph::npy
