// The planner of docs/hardware/kernels.md 5.2: a comparison with times measured on silicon must run the same work.
#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "kernels/matmul/cost.hpp"
#include "kernels/matmul/rectangles.hpp"
#include "kernels/matmul/shape.hpp"

namespace kerr::kernels {

MatmulPlan plan_matmul_compat(const ProductShape& shape, const MatmulCores& cores_there, MatmulOptions options) {
  const auto [workers, l1_bytes] = cores_there;
  check_shape(shape);
  const uint64_t m = shape.m, n = shape.n, k = shape.k;
  check_batch(options);
  if (options.in != Format::Bf16 || options.out != Format::Bf16)
    throw std::invalid_argument("the compat plan multiplies bf16 matrices to bf16 only");
  const uint32_t mt = tiles(m), nt = tiles(n), kt = tiles(k);
  const std::vector<uint32_t> k_blocks = divisors(kt);
  constexpr uint64_t kFullTiles = 16;  // a core with fewer tiles of C uses each operand tile too rarely
  constexpr uint32_t kDeepest = 32, kDeepestOfMany = 64;  // K tiles that are added up in a 16-bit Dst

  using Key = std::tuple<uint64_t, int64_t, uint64_t, uint32_t, uint32_t>;
  std::optional<Key> largest;
  MatmulPlan best;
  CoreRows best_rows;
  for (const CoreRows& rows : row_runs(workers)) {
    const auto r = static_cast<uint32_t>(rows.ys.size());
    for (uint32_t c = 1; c <= rows.xs.size(); ++c) {
      const uint32_t pm = divide_up(mt, r), pn = divide_up(nt, c);
      const uint64_t core_tiles = uint64_t{pm} * pn;
      for (uint32_t h = 1; h <= dst_tiles(options); ++h) {
        for (uint32_t w = 1; w * h <= dst_tiles(options); ++w) {
          if (pm % h != 0 || pn % w != 0) continue;
          MatmulPlan plan = on_grid(shape, options, {r, c}, {pm, pn}, {h, w});
          plan.placement.resize(1);  // a multicast; where comes last
          plan.compat = true;
          for (const uint32_t bw : k_blocks) {
            plan.k_block = bw;
            if (l1_of(plan) > l1_bytes) continue;
            if (!options.fp32_accumulate && bw > (core_tiles <= kFullTiles ? kDeepest : kDeepestOfMany)) break;
            const uint64_t o = std::min(core_tiles, kFullTiles), cores = uint64_t{r} * c;
            const Key key{cores * bw * o * o, -static_cast<int64_t>(cores * core_tiles), cores * bw, h * w,
                          static_cast<uint32_t>(cores)};
            if (largest && key <= *largest) continue;
            largest = key;
            best_rows = rows;
            best = plan;
          }
        }
      }
    }
  }
  if (!largest) {
    throw std::invalid_argument(
        fmt::format("no grid of the {} cores can hold its part of a {} x {} x {} (M N K) product in {} bytes of L1",
                    workers.size(), m, n, k, l1_bytes));
  }
  best.placement = placement(best_rows, best.grid_columns);
  return best;
}

}  // namespace kerr::kernels
