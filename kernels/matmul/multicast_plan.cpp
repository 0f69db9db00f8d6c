// Which rectangle of cores, and the choice between the two dataflows.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "kernels/matmul/cost.hpp"
#include "kernels/matmul/rectangles.hpp"
#include "kernels/matmul/shape.hpp"

namespace kerr::kernels {

namespace {

constexpr uint32_t kDeepest = 64;  // K tiles of a block; deeper ones only cost L1

// For each number of rows the run that has the most columns.
std::vector<CoreRows> widest_runs(std::span<const arch::NocCoord> workers) {
  std::map<size_t, CoreRows> widest;
  for (CoreRows& rows : row_runs(workers)) {
    CoreRows& other = widest[rows.ys.size()];
    if (rows.xs.size() > other.xs.size()) other = std::move(rows);
  }
  std::vector<CoreRows> all;
  for (auto& [count, rows] : widest) all.push_back(std::move(rows));
  return all;
}

// Numbers of tiles that `parts` parts of equal size, multiples of `sub`, need for `tiles`; 0 if the last part would be
// empty.
uint32_t part(uint32_t tiles, uint32_t sub, uint32_t parts) {
  const uint32_t size = divide_up(divide_up(tiles, parts), sub) * sub;
  return (parts - 1) * size < tiles ? size : 0;
}

}  // namespace

MatmulPlan plan_matmul_multicast(const ProductShape& shape, const MatmulCores& cores, MatmulOptions options) {
  check_shape(shape);
  const uint64_t m = shape.m, n = shape.n, k = shape.k;
  check_batch(options);
  packer_input(options);
  const uint32_t mt = tiles(m), nt = tiles(n), kt = tiles(k), dst = dst_tiles(options);
  const std::vector<uint32_t> k_blocks = divisors(kt);
  using Key = std::tuple<uint64_t, uint64_t, uint32_t>;
  std::optional<Key> least;
  MatmulPlan best;
  CoreRows best_rows;
  uint64_t least_l1 = ~uint64_t{0};  // of what does not fit
  for (const CoreRows& rows : widest_runs(cores.workers)) {
    for (uint32_t columns = 1; columns <= rows.xs.size(); ++columns) {
      for (uint32_t h = dst; h >= 1; --h) {  // tall ones first: of equals they change SrcB, which fewer phases read
        for (uint32_t w = 1; h * w <= dst; ++w) {
          const auto r = static_cast<uint32_t>(rows.ys.size());
          const uint32_t pm = part(mt, h, r), pn = part(nt, w, columns);
          if (pm == 0 || pn == 0) continue;
          MatmulPlan plan = on_grid(shape, options, {r, columns}, {pm, pn}, {h, w});
          plan.placement.resize(1);  // a multicast; where comes last
          for (const uint32_t k_block : k_blocks) {
            if (k_block > kDeepest) break;
            plan.k_block = k_block;
            if (plan.has_partials() && !partial_format(options)) continue;
            const uint64_t l1 = l1_of(plan);
            least_l1 = std::min(least_l1, l1);
            if (l1 > cores.l1_bytes) continue;
            const Key key{estimate(plan).cycles(), uint64_t{plan.m_tiles} + plan.n_tiles, plan.cores()};
            if (least && key >= *least) continue;
            least = key;
            best = plan;
            best_rows = rows;
          }
        }
      }
    }
  }
  if (!least) {
    throw std::invalid_argument(cores.workers.empty() ? "a matmul needs at least one core"
                                : least_l1 == ~uint64_t{0}
                                    ? fmt::format("sums of {} matrices cannot wait in L1 for the next block of K{}, "
                                                  "and Dst does not hold a core's part",
                                                  info(options.in).name, options.int8() ? "" : " unless they are fp32")
                                    : fmt::format("no grid of the {} cores can hold its part of a {} x {} x {} (M N K) "
                                                  "product in {} bytes of L1: the smallest part "
                                                  "takes {}",
                                                  cores.workers.size(), m, n, k, cores.l1_bytes, least_l1));
  }
  best.placement = placement(best_rows, best.grid_columns);
  return best;
}

MatmulPlan plan_matmul(const ProductShape& shape, const MatmulCores& cores, MatmulOptions options) {
  MatmulPlan direct = plan_matmul_direct(shape, static_cast<uint32_t>(cores.workers.size()), options);
  try {
    MatmulPlan multicast = plan_matmul_multicast(shape, cores, options);
    return estimate(multicast).cycles() < estimate(direct).cycles() ? multicast : direct;
  } catch (const std::invalid_argument&) {  // does not fit, or cannot be added up in L1
    return direct;
  }
}

}  // namespace kerr::kernels
