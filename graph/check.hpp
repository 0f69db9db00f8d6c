// How far a device's matmul is from float64.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "graph/tensor.hpp"

namespace kerr::graph {

/// A single wrong element stands out against the rounding of all others.
inline constexpr double kMostErrorInSigmas = 12;

struct ElementBounds {
  std::uint64_t elements = 0;   // that were looked at
  std::uint64_t outside = 0;    // further off than what its operations may be
  std::uint64_t unbounded = 0;  // may be anything, as when something is divided by what may be 0
  double relative = 0;          // |bounds| / |exact|, Frobenius
};

struct Agreement {
  double pcc = 0;             // Pearson's correlation of the checked elements
  double relative_error = 0;  // |C - exact| / |exact|, Frobenius
  double rms_error = 0;
  double max_error = 0;
  std::uint32_t checked_rows = 0;  // evenly spread; all, unless an expression is very large
  std::uint32_t rows = 0;
  Format format = Format::Bf16;  // of what was checked: four bits are further off than sixteen
  /// By an epilogue, which takes the error of most sums away and makes that of some larger: elements further off than it can make of a sum that
  /// is off by kMostErrorInSigmas of the sums' errors.
  std::optional<std::uint64_t> outside{};
  /// What exact results would have if they were rounded as these are by their format, of epilogues also by Dst's: of formats with shared exponents
  /// and of epilogues, which may leave less than a bit of what they compute.
  struct Rounding {
    double pcc = 1, relative_error = 0;
  };
  std::optional<Rounding> rounding{};
  /// Of an expression, whose elements have each a bound of their own (bounds.hpp).
  std::optional<ElementBounds> bounds{};

  /// Correlated, close, and no element by itself far off. NaN and infinity fail; integers must be exact. With bounds, no element outside its own and at
  /// least half of them bounded; what is correlated and close is then looser where the bounds together allow more, but not without limit.
  bool good() const;
};

/// Adds up what an Agreement is made of, pair by pair.
class AgreementSums {
 public:
  void add(double exact, double got);
  void add(const AgreementSums& other);
  void finish(Agreement& result) const;  // all but the rows

 private:
  double x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0, error_ = 0, max_error_ = 0;
  std::uint64_t count_ = 0;
};

/// What an epilogue makes of a sum in Dst, whose elements have `precision`; called on all threads.
struct Finish {
  std::function<double(double sum, std::uint32_t row, std::uint32_t column)> element{};
  Format precision = Format::Fp32;
  double padding = 0;  // what it makes of the zeros beside the matrix, which share exponents with its last columns
  explicit operator bool() const { return static_cast<bool>(element); }
};

/// Compares every element of `c` with a x b in float64, on `threads` threads (0: one a CPU), of which the result does not depend.
/// Of a batch, matrices of the same shape lie one below the other.
Agreement check_matmul(const Tensor& a, const Tensor& b, const Tensor& c, unsigned threads = 0,
                       const Finish& finish = {}, std::uint32_t batch = 1);

}  // namespace kerr::graph
