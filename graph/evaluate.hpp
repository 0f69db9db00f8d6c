// Operations on the host, in float64: what a device's result is compared with.
#pragma once

#include <span>

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

double evaluate(kernels::Operation operation, double a, double b, double c);

/// `inputs`: one for each of the expression's.
double evaluate(const kernels::Expression& expression, std::span<const double> inputs);

}  // namespace kerr::graph
