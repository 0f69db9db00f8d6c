// Matrices of kerr.h to and from those of graph/.
#pragma once

#include <string>

#include "bindings/c/kerr.h"
#include "graph/graph.hpp"
#include "graph/tensor.hpp"

namespace kerr::c {

/// `floats`: the format that floats become; integers keep their own. `what`: names it in errors. Throws Failure
/// (InvalidArgument) and std::invalid_argument.
graph::Tensor tensor_of(const kerr_matrix& matrix, graph::Format floats, const std::string& what);

/// A matrix of the caller's with a copy of the tensor's numbers, to be given back by kerr_free().
kerr_matrix matrix_of(const graph::Tensor& tensor);

}  // namespace kerr::c
