// Operations on the host, in float64: what a device's result is compared with.
#pragma once

#include "kernels/expression/expression.hpp"

namespace kerr::graph {

double evaluate(kernels::Operation operation, double a, double b, double c);

}  // namespace kerr::graph
