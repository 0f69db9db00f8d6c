// Which rectangles of cores there are, and how their parts of K can be cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::kernels {

/// A run of rows of cores, and the columns that all of them have.
struct CoreRows {
  std::vector<uint8_t> ys, xs;
};

/// All runs, by first row, then by length.
std::vector<CoreRows> row_runs(std::span<const arch::NocCoord> workers);

/// The rectangle of the first `columns` columns, row by row.
std::vector<arch::NocCoord> placement(const CoreRows& rows, uint32_t columns);

std::vector<uint32_t> divisors(uint32_t value);  // ascending

}  // namespace kerr::kernels
