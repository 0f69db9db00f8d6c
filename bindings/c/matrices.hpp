// Matrices of kerr.h to and from those of graph/.
#pragma once

#include <string>

#include "bindings/c/kerr.h"
#include "bindings/c/options.hpp"
#include "graph/graph.hpp"
#include "graph/tensor.hpp"

namespace kerr::c {

/// The option "format": of floats on the device.
graph::Format float_format(Options& options);

/// `floats`: the format that floats become; integers keep their own. `what`: names it in errors. Throws Failure
/// (InvalidArgument) and std::invalid_argument.
graph::Tensor tensor_of(const kerr_matrix& matrix, graph::Format floats, const std::string& what);

/// Throws Failure (InvalidArgument) for a type that would change the tensor's numbers, and unless all of them are
/// `bytes` in it.
void require_numbers(const graph::Tensor& tensor, const char* type, uint64_t bytes);
/// All numbers in a type that require_numbers() has let pass.
void write_numbers(const graph::Tensor& tensor, const char* type, void* data);

/// A matrix of the caller's with a copy of the tensor's numbers, to be given back by kerr_free().
kerr_matrix matrix_of(const graph::Tensor& tensor);

}  // namespace kerr::c
