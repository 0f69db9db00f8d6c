// Products of FP32 matrices on the vector unit, as a host::Program: C = A x B, every multiply-add in FP32.
// docs/hardware/kernels.md 6.8
#pragma once

#include <cstdint>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::kernels {

/// `batch` products, each of m_tiles x k_tiles tiles of A and k_tiles x n_tiles of B. A tile has 32 x 32 FP32 numbers;
/// those beyond the edge of a matrix are zeros. Page of tile
///   (mt, kt) of product b's A: (b * m_tiles + mt) * k_tiles + kt
///   (kt, nt) of its B:         (b * n_tiles + nt) * k_tiles + kt
///   (mt, nt) of its C:         (b * m_tiles + mt) * n_tiles + nt
struct VectorProductShape {
  uint32_t batch = 1, m_tiles = 1, n_tiles = 1, k_tiles = 1;
};

/// DRAM addresses, multiples of 64, of tensors in pages of 4 KiB that go round the banks. A page is a tile, whose
/// numbers lie in the order of place_in_a(), place_in_b() and place_in_c().
struct VectorProductBuffers {
  uint32_t a = 0, b = 0, c = 0;
};

/// Where an element is in its page, counted in elements; rows, columns and `k` are those inside the tile. The tiles
/// in the order in which they lie in memory:
///   A:  for pair in 0..15, k in 0..31, i in 0..1:  row = 2 * pair + i
///   B:  for half in 0..1, turn in 0..7, eight in 0..3, c in 0..7, i in 0..1:
///         k = 8 * eight + (c - turn & 7),  column = 16 * half + 8 * i + c
///   C:  as A, with the column in the place of k
constexpr uint32_t place_in_a(uint32_t row, uint32_t k) { return row / 2 * 64 + 2 * k + row % 2; }
constexpr uint32_t place_in_b(uint32_t k, uint32_t column) {
  return column / 16 * 512 + ((column - k) & 7) * 64 + k / 8 * 16 + column % 8 * 2 + column / 8 % 2;
}
constexpr uint32_t place_in_c(uint32_t row, uint32_t column) { return place_in_a(row, column); }

/// The program on the first min(tiles of C, cores.size()) of `cores` (translated coordinates), which make equal shares
/// of the tiles of C, the first ones a tile more. Results do not depend on the cores: an element is the sum of four
/// sums, one for each eight `k` of a tile, in ascending order of tiles; each step is a multiply-add of the vector unit
/// (docs/hardware/tensix-math.md 8). Throws std::invalid_argument: a size of zero, addresses that are no multiples of
/// 64, tensors beyond 32-bit addresses, no cores.
host::Program vector_product_program(const VectorProductShape& shape, const arch::FirmwareLayout& layout,
                                     std::span<const arch::NocCoord> cores, const VectorProductBuffers& buffers);

}  // namespace kerr::kernels
