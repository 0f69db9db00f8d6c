// How test names and messages show an operation.
#pragma once

#include <ostream>

#include "kernels/expression/expression.hpp"

namespace kerr::kernels {

inline void PrintTo(const OperationInfo& operation, std::ostream* out) { *out << operation.name; }

}  // namespace kerr::kernels
