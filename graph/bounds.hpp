// What a number on the device may be, when every operation on its way was as far off as it may be.
// docs/reference/verification.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// Behind the hidden bit; of BFP formats in the largest of sixteen.
int mantissa_bits(kernels::Format format);

/// How an element can be compared.
enum class Told : uint8_t {
  Within,   // with bounds: it must be a number between them
  ByClass,  // it must be infinity of one sign, NaN, or the zero that a denormal result becomes
  Not,      // it may be too much
};

/// A number in float64, and all that the device may have made of it: the numbers from `low` to `high`, infinity
/// included where it is an end, and NaN.
struct Bounded {
  double value = 0;          // infinity and NaN where the device has them
  double low = 0, high = 0;  // low > high: no number. Zeros of both signs: a zero of either sign
  double likely = 0;         // with the rounding that the device's formats have, and the operations themselves exact
  bool plus_nan = false, minus_nan = false;  // it may be
  bool denormal = false;                     // a denormal that was moved only, and is kept
  bool of_fp16 = false;                      // of FP16, where denormals begin at 2^-14
  bool flushed = false;                      // zero because the exact result is denormal
  bool open = false;                         // made of what may be almost anything: nothing is told by the bounds

  static Bounded exactly(double value);
  static Bounded around(double value, double error);  // of infinity or NaN: exactly
  static Bounded anything(double value);
  bool number() const { return low <= high; }
  bool nan() const { return plus_nan || minus_nan; }
  bool exact() const;  // one number, or one kind of NaN
  Told told() const;
  /// How far the device's number may be from the value at most; infinity if it may be something else.
  double error() const;
  /// Whether the device may have this. NaN is NaN and zero is zero, of whatever sign.
  bool holds(double got, double least_normal) const;
};

/// One of the two, it is not known which; what is told of its value is `a`'s.
Bounded either(const Bounded& a, const Bounded& b);

/// As arithmetic and the vector unit's stores take it: denormals are zeros of their sign.
Bounded as_operand(Bounded x);

/// What the vector unit makes of numbers that may be off: the operation's own error
/// (kernels/expression/operations.def), and what it makes of theirs.
Bounded apply(kernels::Operation operation, bool integers, size_t sources, const std::array<Bounded, 3>& from);

/// Applies a whole expression to `inputs`, one for each of its own. Throws std::invalid_argument if it needs to know where
/// the element is.
Bounded apply(const kernels::Expression& expression, std::span<const Bounded> inputs);

/// What becomes of it in memory; `largest` is that of the sixteen with which BFP formats count it.
Bounded stored(Bounded x, kernels::Format format, double largest);
/// What the packer makes of FP32 in Dst as FP16: it cuts off, and a number from 2^-15 to 2^-14 loses its hidden bit.
/// docs/hardware/tensix-datapath.md 12.8
Bounded packed_as_fp16(Bounded x);
/// The same of up to sixteen neighbours in a row of a face, beside which there is nothing larger than `largest`.
/// `from_fp32`: Dst holds them as FP32.
void store_together(std::span<Bounded> neighbours, kernels::Format format, double largest = 0, bool from_fp32 = false);

/// A sum of `terms` numbers in FP32 whose sizes add up to `sizes`; the error is that of adding alone.
double error_of_sum(size_t terms, double sizes);

/// For a product's element: `sum`, and `squares`, the sum of its products' squares. Operands lose what the fidelity
/// leaves out, always towards zero; Dst rounds each time something is added to it. Both are errors of many small parts:
/// 12 sigma of them.
double error_of_product(const kernels::MatmulOptions& options, size_t depth, double sum, double squares);

}  // namespace kerr::graph
