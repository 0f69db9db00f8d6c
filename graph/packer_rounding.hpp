// What formats with shared exponents leave of exact numbers.   docs/hardware/tensix-datapath.md 12.8
#pragma once

#include <span>

#include "kernels/format.hpp"

namespace kerr::graph {

/// Replaces 16 numbers of a row of a face by what the packer makes of them in BFP8 or BFP4. Not as encode_row() does,
/// which rounds to the nearest number: the packer rounds magnitudes to seven bits and cuts off what is beyond three.
void round_as_packed(std::span<double, 16> numbers, kernels::Format format);

}  // namespace kerr::graph
