// A matrix as text.
#pragma once

#include <cstdint>
#include <string>

#include "graph/tensor.hpp"

namespace kerr::graph::npy {

/// As `print(a)` of NumPy shows the array: aligned, lines of at most 75 columns, of more than 1000 numbers only the
/// first and last three rows and columns. Floats look as float32 does. Of a batch, three axes. No newline at the end.
std::string show(const Tensor& tensor, uint32_t batch = 1);

}  // namespace kerr::graph::npy
