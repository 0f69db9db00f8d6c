// Arrays of .npy files to matrices of the device's formats, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "graph/npy/array.hpp"
#include "graph/tensor.hpp"

namespace kerr::graph::npy {

/// What a conversion to another format did to the numbers.
struct Conversion {
  uint64_t elements = 0;
  uint64_t rounded = 0;  // to a neighbour, which may be 0
  uint64_t beyond = 0;   // the largest number of the format: became that, or infinity
  friend bool operator==(const Conversion&, const Conversion&) = default;
};

/// The matrices of an array: () is 1 x 1, (n,) one row, (rows, columns) a matrix, (batch, rows, columns) several that
/// lie one below the other. Numbers are rounded to the format. Throws std::invalid_argument with a sentence that begins
/// with `name` for other shapes, for sizes above kLargestSize, and for NaN and infinity where the format has none.
struct Matrices {
  Tensor tensor;
  uint32_t batch = 1;
  Conversion conversion;
};
Matrices matrices(const Array& array, Format format, const std::string& name);

/// "all 12 exact", "7 of 12 rounded", "7 of 12 rounded, 1 beyond the largest number"
std::string text(const Conversion& conversion);

/// The format that integers of an array want: of at least their size, as far as there is one. Floats: `floats`.
Format natural_format(const Type& type, Format floats);

using Sink = std::function<void(std::span<const std::byte>)>;

/// Writes a file of shape (rows, columns), of a batch (batch, rows, columns): integers in their own type, all other
/// numbers as float32, which holds them exactly.
void write(const Tensor& tensor, uint32_t batch, const Sink& sink);

}  // namespace kerr::graph::npy
