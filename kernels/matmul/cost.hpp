// What a plan moves and computes: exact counts, no times.
#pragma once

#include <cstdint>

#include "kernels/matmul/plan.hpp"

namespace kerr::kernels {

struct MatmulCost {
  uint64_t l1_a = 0, l1_b = 0, l1_c = 0;  // bytes of a core's circular buffers
  uint64_t l1_partials = 0;               // 0 if they lie in C's pages
  bool partials_in_l1 = false;
  uint64_t dram_read = 0, dram_written = 0;  // bytes, all cores
  uint64_t multicast = 0;                    // bytes that senders send; each reaches all receivers of its row or column
  uint64_t core_mvmuls = 0;
  double useful = 0;  // of the multiply-accumulates, those that the request asked for; 0 to 1
};

MatmulCost cost_of(const MatmulPlan& plan);

/// Roughly how many cycles a plan takes, from rates measured on silicon (docs/hardware/noc.md 10, kernels.md 5.4): good
/// for choosing between plans, not for telling their times.
struct MatmulEstimate {
  uint64_t feed = 0;     // a block of operands, from DRAM to every core that wants it
  uint64_t compute = 0;  // what a core does with it
  uint64_t blocks = 0;   // the next one is fed while one is computed
  uint64_t write = 0;    // the part of writing C that computing does not hide
  uint64_t cycles() const { return feed + (blocks - 1) * (feed > compute ? feed : compute) + compute + write; }
};
MatmulEstimate estimate(const MatmulPlan& plan);

/// Bytes of L1 that a core's circular buffers take.
uint64_t l1_of(const MatmulPlan& plan);

}  // namespace kerr::kernels
