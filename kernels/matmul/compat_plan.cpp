// The planner of docs/hardware/kernels.md 5.2: whoever compares with the times measured on silicon must run the same work.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "kernels/matmul/shape.hpp"

namespace kerr::kernels {

namespace {

// Cores that form a rectangle: a run of rows, and in these the first columns that all of them have.
struct Rows {
  std::vector<std::uint8_t> ys, xs;
};

std::vector<Rows> row_runs(std::span<const arch::NocCoord> workers) {
  std::map<std::uint8_t, std::set<std::uint8_t>> columns_of_row;
  for (const arch::NocCoord worker : workers) columns_of_row[worker.y].insert(worker.x);
  std::vector<Rows> runs;
  for (auto first = columns_of_row.begin(); first != columns_of_row.end(); ++first) {
    std::set<std::uint8_t> common = first->second;
    std::vector<std::uint8_t> ys;
    for (auto row = first; row != columns_of_row.end() && (ys.empty() || row->first == ys.back() + 1); ++row) {
      std::erase_if(common, [&](std::uint8_t x) { return !row->second.contains(x); });
      ys.push_back(row->first);
      runs.push_back({ys, {common.begin(), common.end()}});
    }
  }
  return runs;
}

std::vector<std::uint32_t> divisors(std::uint32_t value) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t d = 1; d <= value; ++d) {
    if (value % d == 0) all.push_back(d);
  }
  return all;
}

std::vector<arch::NocCoord> placement(const Rows& rows, std::uint32_t columns) {
  std::vector<arch::NocCoord> cores;
  for (const std::uint8_t y : rows.ys) {
    for (std::uint32_t c = 0; c < columns; ++c) cores.push_back({rows.xs[c], y});
  }
  return cores;
}

}  // namespace

MatmulPlan plan_matmul_compat(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                              std::span<const arch::NocCoord> workers, std::uint32_t l1_bytes, MatmulOptions options) {
  check_shape(m, n, k);
  if (options.in != Format::Bf16 || options.out != Format::Bf16)
    throw std::invalid_argument("the compat plan multiplies bf16 matrices to bf16 only");
  const std::uint32_t mt = tiles(m), nt = tiles(n), kt = tiles(k);
  const std::vector<std::uint32_t> k_blocks = divisors(kt);
  constexpr std::uint64_t kFullTiles = 16;  // a core with fewer tiles of C uses each operand tile too rarely
  constexpr std::uint32_t kDeepest = 32, kDeepestOfMany = 64;  // K tiles that are added up in a 16-bit Dst

  using Key = std::tuple<std::uint64_t, std::int64_t, std::uint64_t, std::uint32_t, std::uint32_t>;
  std::optional<Key> largest;
  MatmulPlan best;
  Rows best_rows;
  for (const Rows& rows : row_runs(workers)) {
    const auto r = static_cast<std::uint32_t>(rows.ys.size());
    for (std::uint32_t c = 1; c <= rows.xs.size(); ++c) {
      const std::uint32_t pm = divide_up(mt, r), pn = divide_up(nt, c);
      const std::uint64_t core_tiles = std::uint64_t{pm} * pn;
      for (std::uint32_t h = 1; h <= dst_tiles(options); ++h) {
        for (std::uint32_t w = 1; w * h <= dst_tiles(options); ++w) {
          if (pm % h != 0 || pn % w != 0) continue;
          for (const std::uint32_t bw : k_blocks) {
            if ((2 * std::uint64_t{pm + pn} * bw + core_tiles) * tile_bytes(Format::Bf16) > l1_bytes) break;
            if (options.fp32_accumulate && bw != kt) continue;  // partial sums in L1 are bf16
            if (!options.fp32_accumulate && bw > (core_tiles <= kFullTiles ? kDeepest : kDeepestOfMany)) break;
            const std::uint64_t o = std::min(core_tiles, kFullTiles), cores = std::uint64_t{r} * c;
            const Key key{cores * bw * o * o, -static_cast<std::int64_t>(cores * core_tiles), cores * bw, h * w,
                          static_cast<std::uint32_t>(cores)};
            if (largest && key <= *largest) continue;
            largest = key;
            best_rows = rows;
            best = {.m = static_cast<std::uint32_t>(m),
                    .n = static_cast<std::uint32_t>(n),
                    .k = static_cast<std::uint32_t>(k),
                    .options = options,
                    .m_tiles = r * pm,
                    .n_tiles = c * pn,
                    .k_tiles = kt,
                    .grid_rows = r,
                    .grid_columns = c,
                    .core_rows = pm,
                    .core_columns = pn,
                    .sub_rows = h,
                    .sub_columns = w,
                    .k_block = bw,
                    .placement = {}};
          }
        }
      }
    }
  }
  if (!largest) {
    throw std::invalid_argument(
        fmt::format("no grid of the {} cores can hold its part of a {} x {} x {} (M N K) product in {} bytes of L1{}",
                    workers.size(), m, n, k, l1_bytes,
                    options.fp32_accumulate ? " with all of K in one block, as fp32 accumulation needs it here" : ""));
  }
  best.placement = placement(best_rows, best.grid_columns);
  return best;
}

}  // namespace kerr::kernels
