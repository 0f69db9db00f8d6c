// The circular buffers of a plan: how many pages they have, and how they are used.
#pragma once

#include "kernels/blocks/flow.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::kernels::matmul {

// Direct: blocks of A (sub_rows x k_block tiles), of B (k_block x sub_columns), of C (one sub-block); all twice.
// Multicast: blocks of the core's rows and columns, twice; all of the core's C once. Partial sums: all of the core's,
// in the pages of C if they are of its format. Numbers without gaps, for a launch writes a table up to the highest one.
inline constexpr uint8_t kBufferA = 0;
inline constexpr uint8_t kBufferB = 1;
inline constexpr uint8_t kBufferC = 2;
inline constexpr uint8_t kBufferPartial = 3;
inline constexpr uint8_t kBufferOperands = 4;  // of the epilogue: those of a sub-block, one after the other; twice

inline uint32_t block_rows(const MatmulPlan& p) { return p.multicast() ? p.core_rows : p.sub_rows; }
inline uint32_t block_columns(const MatmulPlan& p) { return p.multicast() ? p.core_columns : p.sub_columns; }
inline uint32_t pages_a(const MatmulPlan& p) { return 2 * block_rows(p) * p.k_block; }
inline uint32_t pages_b(const MatmulPlan& p) { return 2 * block_columns(p) * p.k_block; }
/// Partial sums and C take turns in the same pages.
inline bool partials_alias(const MatmulPlan& p) {
  return p.has_partials() && partial_format(p.options) == p.options.out;
}
inline uint32_t pages_operands(const MatmulPlan& p) { return 2 * p.operands() * p.sub_tiles(); }
inline uint32_t pages_partial(const MatmulPlan& p) { return p.core_rows * p.core_columns; }
inline uint32_t pages_c(const MatmulPlan& p) {
  const bool all = p.multicast() && (!p.has_partials() || partials_alias(p));
  return all ? p.core_rows * p.core_columns : 2 * p.sub_rows * p.sub_columns;
}
/// How blocks of A and B, and those of C, go through their buffers.
inline Flow flow_of_operands(const MatmulPlan& p) {
  const uint32_t blocks = p.k_blocks() * (p.multicast() ? 1 : p.sub_blocks());
  return p.batch() > 1 || blocks > 2 ? Flow::Around : blocks > 1 ? Flow::Straight : Flow::Once;
}
inline Flow flow_of_c(const MatmulPlan& p) {
  const bool fits = p.core_rows * p.core_columns <= pages_c(p);
  return p.batch() > 1 || !fits ? Flow::Around : p.sub_blocks() > 1 ? Flow::Straight : Flow::Once;
}
/// A sub-block at least as wide as high holds A's tile of a row in SrcB while B's tiles pass through SrcA; a higher one
/// the other way round (docs/hardware/kernels.md 3.5).
inline bool holds_a(const MatmulPlan& p) { return p.sub_columns >= p.sub_rows; }

}  // namespace kerr::kernels::matmul
