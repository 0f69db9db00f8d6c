// How far a number may be from float64 when every operation on its way was as far off as it may be.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

/// Behind the hidden bit; of BFP formats in the largest of sixteen.
int mantissa_bits(kernels::Format format);

/// A number in float64, and how far at most the device's may be from it: 0 if it must be the same, infinity if it may be anything.
struct Bounded {
  double value = 0, error = 0;
};

/// What the vector unit makes of numbers that may be off: the operation's own error (kernels/expression/operations.def), and what it makes of theirs.
Bounded apply(kernels::Operation operation, bool integers, std::size_t sources, const std::array<Bounded, 3>& from);

/// What becomes of it in memory; `largest` is that of the sixteen with which BFP formats count it.
Bounded stored(Bounded x, kernels::Format format, double largest);

/// A sum of `terms` numbers in FP32 whose sizes add up to `sizes`; the error is that of adding alone.
double error_of_sum(std::size_t terms, double sizes);

/// Of a product's element: `sum`, and `squares`, the sum of its products' squares. Operands lose what the fidelity leaves out, always towards zero; Dst
/// rounds each time something is added to it. Both are errors of many small parts: 12 sigma of them.
double error_of_product(const kernels::MatmulOptions& options, std::size_t depth, double sum, double squares);

}  // namespace kerr::graph
