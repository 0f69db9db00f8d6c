#include "kernels/matmul/cost.hpp"

#include "kernels/matmul/streams.hpp"

namespace kerr::kernels {

MatmulCost cost_of(const MatmulPlan& p) {
  const std::uint64_t a_tiles = std::uint64_t{p.m_tiles} * p.k_tiles, b_tiles = std::uint64_t{p.k_tiles} * p.n_tiles;
  MatmulCost c;
  c.l1_a = std::uint64_t{matmul::pages_a(p)} * p.in_bytes();
  c.l1_b = std::uint64_t{matmul::pages_b(p)} * p.in_bytes();
  c.l1_c = std::uint64_t{matmul::pages_c(p)} * p.out_bytes();
  c.partials_in_l1 = matmul::has_partials(p);
  if (p.multicast()) {
    const auto rectangles = [](const matmul::OperandStream& s) {
      return (s.near != 0 ? 1u : 0u) + (s.far != 0 ? 1u : 0u);
    };
    c.dram_read = (a_tiles + b_tiles) * p.in_bytes();
    c.multicast =
        (a_tiles * rectangles(matmul::stream_a(p)) + b_tiles * rectangles(matmul::stream_b(p))) * p.in_bytes();
  } else {
    c.dram_read = std::uint64_t{p.cores()} * p.sub_blocks() * (p.sub_rows + p.sub_columns) * p.k_tiles * p.in_bytes();
  }
  c.dram_written = std::uint64_t{p.m_tiles} * p.n_tiles * p.out_bytes();
  c.core_mvmuls = p.mvmuls() / p.cores();
  c.useful = static_cast<double>(p.m) / p.executed_m() * p.n / p.executed_n() * p.k / p.executed_k();
  return c;
}

}  // namespace kerr::kernels
