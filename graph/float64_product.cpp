#include "graph/float64_product.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kerr::graph {

namespace {

// The right matrix is laid out anew in panels of so many columns, the left one in strips of so many rows, over a part
// of K for which a panel stays in the second cache while all strips pass by.
constexpr size_t kStrip = 8, kPanel = 24, kDepth = 512;

struct Tile {
  const double* strip;  // [depth][kStrip]
  const double* panel;  // [depth][kPanel]
  size_t depth;
  double* out;  // [kStrip][kPanel], is added to
};

// A part of the tile whose sums stay in Rows x Vectors registers of Lanes numbers. Nothing in memory is aligned to a
// register's size, and clang 14 aligns each type that has it.
template <size_t Lanes, size_t Rows, size_t Vectors>
[[gnu::always_inline]] inline void add_part(const Tile& tile, size_t row, size_t column) {
  typedef double Vector __attribute__((vector_size(Lanes * sizeof(double))));
  double* const out = tile.out + row * kPanel + column;
  Vector sums[Rows][Vectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < Vectors; ++v) {
      Vector in;
      std::memcpy(&in, out + r * kPanel + v * Lanes, sizeof in);
      sums[r][v] = in;
    }
  }
  for (size_t k = 0; k < tile.depth; ++k) {
    const double* const left = tile.strip + k * kStrip + row;
    const double* const right = tile.panel + k * kPanel + column;
    Vector b[Vectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < Vectors; ++v) {
      Vector in;
      std::memcpy(&in, right + v * Lanes, sizeof in);
      b[v] = in;
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (size_t v = 0; v < Vectors; ++v) sums[r][v] += left[r] * b[v];
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < Vectors; ++v) {
      const Vector sum = sums[r][v];
      std::memcpy(out + r * kPanel + v * Lanes, &sum, sizeof sum);
    }
  }
}

template <size_t Lanes, size_t Rows, size_t Vectors>
[[gnu::always_inline]] inline void add_tile(const Tile& tile) {
  for (size_t row = 0; row < kStrip; row += Rows) {
    for (size_t column = 0; column < kPanel; column += Lanes * Vectors)
      add_part<Lanes, Rows, Vectors>(tile, row, column);
  }
}

void add_plain(const Tile& tile) { add_tile<2, 4, 2>(tile); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_avx2(const Tile& tile) { add_tile<4, 4, 3>(tile); }
[[gnu::target("avx512f")]] void add_avx512(const Tile& tile) { add_tile<8, 8, 3>(tile); }
#endif

auto best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_avx2;
#endif
  return add_plain;
}

size_t parts(size_t size, size_t part) { return (size + part - 1) / part; }

}  // namespace

template <class T>
void multiply(const Rectangle<T>& left, const Rectangle<T>& right, double* out) {
  const auto add = best();
  const size_t strips = parts(left.rows, kStrip), panels = parts(right.columns, kPanel);
  std::vector<double> sums(strips * panels * kStrip * kPanel);
  std::vector<double> all_strips(strips * kStrip * kDepth), panel(kPanel * kDepth);
  for (size_t k = 0; k < left.columns; k += kDepth) {
    const size_t depth = std::min(kDepth, left.columns - k);
    for (size_t row = 0; row < left.rows; ++row) {
      double* const to = &all_strips[row / kStrip * kStrip * kDepth + row % kStrip];
      for (size_t i = 0; i < depth; ++i) to[i * kStrip] = left.values[row * left.stride + k + i];
    }
    for (size_t p = 0; p < panels; ++p) {
      const size_t columns = std::min(kPanel, right.columns - p * kPanel);
      for (size_t i = 0; i < depth; ++i)
        std::copy_n(&right.values[(k + i) * right.stride + p * kPanel], columns, &panel[i * kPanel]);
      for (size_t s = 0; s < strips; ++s)
        add({&all_strips[s * kStrip * kDepth], panel.data(), depth, &sums[(p * strips + s) * kStrip * kPanel]});
    }
  }
  for (size_t row = 0; row < left.rows; ++row) {
    for (size_t column = 0; column < right.columns; column += kPanel) {
      const size_t tile = column / kPanel * strips + row / kStrip;
      std::copy_n(&sums[(tile * kStrip + row % kStrip) * kPanel], std::min(kPanel, right.columns - column),
                  &out[row * right.columns + column]);
    }
  }
}

template void multiply(const Rectangle<float>&, const Rectangle<float>&, double*);
template void multiply(const Rectangle<double>&, const Rectangle<double>&, double*);

}  // namespace kerr::graph
