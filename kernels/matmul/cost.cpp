#include "kernels/matmul/cost.hpp"

#include <algorithm>

#include "kernels/matmul/streams.hpp"

namespace kerr::kernels {

namespace {

// Bytes a cycle. Seven banks and 118 cores: reads on NoC 0, writes on NoC 1; one core that finds its pages by a table;
// packets of 16 KiB to a row on NoC 0, the slower of the two.
constexpr uint64_t kDramRead = 222, kDramWrite = 182, kCoreMoves = 27, kMulticast = 46;
// Cycles: until the first tile of a block comes; semaphores there and back; a tile into a source, 2 KiB; partial sums
// back into Dst; a half of Dst from the packer and back to it (assumed).
constexpr uint64_t kDramLatency = 500, kHandShake = 500, kUnpackTile = 18, kReloadTile = 68, kSection = 60;

// A K step of a sub-block: the matrix unit, or the unpackers if they take longer.
uint64_t step_cycles(const MatmulPlan& p) {
  const uint64_t products = uint64_t{16} * static_cast<uint64_t>(p.options.fidelity) * p.sub_tiles();
  const uint64_t held = std::min(p.sub_rows, p.sub_columns), passing = std::max(p.sub_rows, p.sub_columns);
  return std::max(products, held * (1 + passing) * kUnpackTile);
}

}  // namespace

uint64_t l1_of(const MatmulPlan& p) {
  const bool separate = p.has_partials() && !matmul::partials_alias(p);
  return uint64_t{matmul::pages_a(p) + matmul::pages_b(p)} * p.in_bytes() +
         uint64_t{matmul::pages_c(p)} * p.out_bytes() +
         (p.operands() != 0 ? uint64_t{matmul::pages_operands(p)} * tile_bytes(*operand_format(p.options)) : 0) +
         (separate ? uint64_t{matmul::pages_partial(p)} * tile_bytes(*partial_format(p.options)) : 0);
}

MatmulEstimate estimate(const MatmulPlan& p) {
  const uint64_t tile = p.in_bytes(), block_step = p.k_block * step_cycles(p);
  const uint64_t core_c = uint64_t{p.core_rows} * p.core_columns * p.out_bytes();
  MatmulEstimate e;
  if (!p.multicast()) {
    const uint64_t bytes = uint64_t{p.sub_rows + p.sub_columns} * p.k_block * tile;
    e.feed = kDramLatency + std::max(bytes / kCoreMoves, p.cores() * bytes / kDramRead);
    e.compute = block_step;
    e.blocks = uint64_t{p.sub_blocks()} * p.k_blocks() * ((p.batch() + p.groups - 1) / p.groups);
    e.write = std::max(core_c / kCoreMoves, p.cores() * core_c / kDramWrite) / p.sub_blocks();
    return e;
  }
  const uint64_t row = uint64_t{p.core_rows} * p.k_block * tile, column = uint64_t{p.core_columns} * p.k_block * tile;
  const uint64_t sent = std::max(p.grid_columns > 1 ? row : 0, p.grid_rows > 1 ? column : 0);
  e.feed = kDramLatency + kHandShake + sent / kMulticast +
           std::max(std::max(row, column) / kCoreMoves, (p.grid_rows * row + p.grid_columns * column) / kDramRead);
  e.compute = p.sub_blocks() * (block_step + kSection);
  e.blocks = uint64_t{p.k_blocks()} * p.batch();
  e.write = std::max(core_c / kCoreMoves, p.cores() * core_c / kDramWrite);
  if (p.has_partials()) e.write += uint64_t{p.core_rows} * p.core_columns * kReloadTile;
  e.write *= p.batch();
  return e;
}

MatmulCost cost_of(const MatmulPlan& p) {
  const uint64_t a_tiles = uint64_t{p.m_tiles} * p.k_tiles * p.batch();
  const uint64_t b_tiles = uint64_t{p.k_tiles} * p.n_tiles * p.batch();
  MatmulCost c;
  c.l1_a = uint64_t{matmul::pages_a(p)} * p.in_bytes();
  c.l1_b = uint64_t{matmul::pages_b(p)} * p.in_bytes();
  c.l1_c = uint64_t{matmul::pages_c(p)} * p.out_bytes();
  c.l1_partials = l1_of(p) - c.l1_a - c.l1_b - c.l1_c;
  c.partials_in_l1 = p.has_partials();
  if (p.multicast()) {
    const auto rectangles = [](const matmul::OperandFeed& s) {
      return (s.near != 0 ? 1u : 0u) + (s.far != 0 ? 1u : 0u);
    };
    c.dram_read = (a_tiles + b_tiles) * p.in_bytes();
    c.multicast =
        (a_tiles * rectangles(matmul::feed_of_a(p)) + b_tiles * rectangles(matmul::feed_of_b(p))) * p.in_bytes();
  } else {
    c.dram_read =
        uint64_t{p.grid_cores()} * p.batch() * p.sub_blocks() * (p.sub_rows + p.sub_columns) * p.k_tiles * p.in_bytes();
  }
  c.dram_written = uint64_t{p.m_tiles} * p.n_tiles * p.batch() * p.out_bytes();
  c.core_mvmuls = p.mvmuls() / p.batch() / p.grid_cores() * ((p.batch() + p.groups - 1) / p.groups);
  c.useful = static_cast<double>(p.m) / p.executed_m() * p.n / p.executed_n() * p.k / p.executed_k();
  return c;
}

}  // namespace kerr::kernels
