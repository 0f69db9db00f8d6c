#include "graph/float64_product.hpp"

namespace kerr::graph {

namespace {

// Each element adds up its products in the order of k. A product of two BF16 numbers is exact in float64, so neither vectors nor fused
// multiply-adds change a bit.
[[gnu::always_inline]] inline void add_up_here(const Block& block) {
  const std::size_t columns = block.columns;
  for (std::size_t k = 0; k < block.depth; ++k) {
    const double* const __restrict right = block.right + k * block.right_stride;
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      double* const __restrict out = block.out + row * kColumnsAtOnce;
      const double factor = block.left[k * kRowsAtOnce + row];
      for (std::size_t column = 0; column < columns; ++column) out[column] += factor * right[column];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_up_avx2(const Block& block) { add_up_here(block); }
[[gnu::target("avx512f")]] void add_up_avx512(const Block& block) { add_up_here(block); }
#endif

}  // namespace

void add_up(const Block& block) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_up_avx512(block);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_up_avx2(block);
#endif
  add_up_here(block);
}

}  // namespace kerr::graph
