// What a plan moves and computes: exact counts, no times.
#pragma once

#include <cstdint>

#include "kernels/matmul/plan.hpp"

namespace kerr::kernels {

struct MatmulCost {
  std::uint64_t l1_a = 0, l1_b = 0, l1_c = 0;  // bytes of a core's circular buffers
  bool partials_in_l1 = false;
  std::uint64_t dram_read = 0, dram_written = 0;  // bytes, all cores
  std::uint64_t multicast = 0;  // bytes that senders send; each reaches all receivers of its row or column
  std::uint64_t core_mvmuls = 0;
  double useful = 0;  // of the multiply-accumulates, those that the request asked for; 0 to 1
};

MatmulCost cost_of(const MatmulPlan& plan);

}  // namespace kerr::kernels
