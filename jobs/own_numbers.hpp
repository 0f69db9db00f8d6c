// Matrices of one's own, from .npy files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/npy/tensor.hpp"
#include "graph/tensor.hpp"
#include "kernels/format.hpp"

namespace kerr::jobs {

/// Numbers of one's own, and where they are from.
struct OwnNumbers {
  graph::Tensor tensor;
  uint32_t batch = 1;  // matrices, one below the other
  std::string from;    // "a.npy: (3, 4) float64"
  graph::npy::Conversion conversion;
};

/// The numbers of a file, a pipe or, for "-", of standard input in this format; without one in what fits the file's
/// type, which is `floats` for floats. Throws std::invalid_argument with a sentence that names the file.
OwnNumbers read_numbers(const std::string& path, std::optional<kernels::Format> format, kernels::Format floats);

/// "a.npy: (3, 4) float64, as bf16: 7 of 12 rounded"
std::string text(const OwnNumbers& own);

}  // namespace kerr::jobs
