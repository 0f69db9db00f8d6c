// What all planners know of shapes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "kernels/matmul/plan.hpp"

namespace kerr::kernels {

constexpr uint32_t tiles(uint64_t size) { return static_cast<uint32_t>((size + kTileDim - 1) / kTileDim); }
constexpr uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// Tiles in half of Dst, so that math and pack overlap (docs/hardware/kernels.md 0).
constexpr uint32_t half_of_dst(const MatmulOptions& options) { return options.dst32() ? 4 : 8; }

/// Those of them that a sub-block may take: an epilogue needs some for operands and for values that find no register.
/// Throws std::invalid_argument with a sentence when there can be no such epilogue.
uint32_t dst_tiles(const MatmulOptions& options);

/// Throws std::invalid_argument with a sentence for a size of zero or above 2^20.
inline void check_shape(const ProductShape& shape) {
  const auto check = [](const char* name, uint64_t size) {
    if (size == 0) throw std::invalid_argument(fmt::format("{} must be at least 1", name));
    if (size > kLargestSize)
      throw std::invalid_argument(fmt::format("{} is {}; at most {} is possible", name, size, kLargestSize));
  };
  check("M", shape.m);
  check("N", shape.n);
  check("K", shape.k);
}

inline void check_batch(const MatmulOptions& options) {
  if (options.batch == 0 || options.batch > kLargestBatch)
    throw std::invalid_argument(fmt::format("a batch of {}; 1 to {} are possible", options.batch, kLargestBatch));
}

struct Extent {
  uint32_t rows, columns;
};

/// On a grid of `cores`, each with `part` tiles of C, `sub` at a time. K in blocks of one tile; no placement yet.
inline MatmulPlan on_grid(const ProductShape& shape, const MatmulOptions& options, Extent cores, Extent part,
                          Extent sub) {
  return {.m = static_cast<uint32_t>(shape.m),
          .n = static_cast<uint32_t>(shape.n),
          .k = static_cast<uint32_t>(shape.k),
          .options = options,
          .m_tiles = cores.rows * part.rows,
          .n_tiles = cores.columns * part.columns,
          .k_tiles = tiles(shape.k),
          .grid_rows = cores.rows,
          .grid_columns = cores.columns,
          .core_rows = part.rows,
          .core_columns = part.columns,
          .sub_rows = sub.rows,
          .sub_columns = sub.columns,
          .k_block = 1};
}

}  // namespace kerr::kernels
