// How far a device's matmul is from float64.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "graph/bounds.hpp"
#include "graph/tensor.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// A single wrong element stands out against the rounding of all others.
inline constexpr double kMostErrorInSigmas = 12;

/// How the elements were compared that were looked at.   docs/reference/verification.md
struct ElementBounds {
  uint64_t elements = 0;
  uint64_t within = 0;    // numbers with bounds, and within them
  uint64_t by_class = 0;  // infinity, NaN, or the zero of a denormal, as they must be
  uint64_t untold = 0;    // right, but almost anything would be, as when something is divided by what may be 0
  uint64_t outside = 0;   // none of what they may be
  double relative = 0;    // |bounds| / |exact|, Frobenius
};

enum class Verdict : uint8_t {
  Verified,
  AsFarAsTold,  // nothing is wrong, but some elements, or how all of them agree, could not be told from wrong ones
  Wrong,
};

struct Agreement {
  double pcc = 0;             // Pearson's correlation of the checked elements
  double relative_error = 0;  // |C - exact| / |exact|, Frobenius
  double rms_error = 0;
  double max_error = 0;
  double spread = 0;          // of the exact elements round their mean, in relation to their size
  double cosine = 0;          // between results and exact elements
  uint32_t checked_rows = 0;  // evenly spread; all, unless an expression is very large
  uint32_t rows = 0;
  Format format = Format::Bf16;  // of what was checked: four bits are further off than sixteen
  /// By an epilogue, which takes the error of most sums away and makes that of some larger: elements further off than
  /// it can make of a sum that is off by kMostErrorInSigmas of the sums' errors.
  std::optional<uint64_t> outside{};
  struct Rounding {
    double pcc = 1, relative_error = 0;
  };
  /// What exact results would have if they were rounded as these are by their format, of epilogues also by Dst's: of
  /// formats with shared exponents and of epilogues, which may leave less than a bit of what they compute.
  std::optional<Rounding> rounding{};
  /// What results would have that are rounded on their way as the device's formats round, and added up as Dst adds up.
  std::optional<Rounding> arithmetic{};
  /// Each element by itself (bounds.hpp).
  std::optional<ElementBounds> bounds{};

  /// Wrong: an element that is none of what it may be; or all together not correlated and close, where neither the
  /// bounds nor the arithmetic explains it. Integers must be exact.
  Verdict verdict() const;
  bool verified() const { return verdict() == Verdict::Verified; }
  bool good() const { return verdict() != Verdict::Wrong; }
  /// What is correlated and close is so only as far as the arithmetic allows, which is not much.
  bool loose() const;

 private:
  bool close() const;
  bool explained() const;
};

/// Adds up what an Agreement is made of, pair by pair.
class AgreementSums {
 public:
  void add(double exact, double got);
  void add(const AgreementSums& other);
  void finish(Agreement& result) const;  // all but the rows

 private:
  double x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0, error_ = 0, max_error_ = 0;
  uint64_t count_ = 0;
};

/// Compares element by element, and adds up.
class ElementChecks {
 public:
  explicit ElementChecks(Format format);
  void add(const Bounded& expected, double got);
  void add(const ElementChecks& other);
  /// All but the rows and the format.
  void finish(Agreement& result) const;

 private:
  double least_normal_;
  ElementBounds bounds_;
  double errors_ = 0, squares_ = 0;  // of bounds, of values
  AgreementSums sums_, likely_;
};

/// What an epilogue makes of a sum in Dst, whose elements have `precision`; called on all threads.
struct Finish {
  std::function<double(double sum, uint32_t row, uint32_t column)> element{};
  Format precision = Format::Fp32;
  double padding = 0;  // what it makes of the zeros beside the matrix, which share exponents with its last columns
  /// The same of bounds; without it elements have none.
  std::function<Bounded(const Bounded& sum, uint32_t row, uint32_t column)> bounds{};
  explicit operator bool() const { return static_cast<bool>(element); }
};

/// Compares every element of `c` with a x b in float64, on `threads` threads (0: one a CPU), of which the result does
/// not depend. Of a batch, matrices of the same shape lie one below the other. `options`: with which it was made, but
/// for the formats.
Agreement check_matmul(const Tensor& a, const Tensor& b, const Tensor& c, unsigned threads = 0,
                       const Finish& finish = {}, uint32_t batch = 1, kernels::MatmulOptions options = {});

}  // namespace kerr::graph
