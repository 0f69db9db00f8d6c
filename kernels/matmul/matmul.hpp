// A matmul as a host::Program: planned, generated in-process, ready to launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/shards.hpp"

namespace kerr::kernels {

/// DRAM addresses of the three tensors: tiles of 32 x 32 (four 16 x 16 faces each), row-major over the tiles of the
/// executed shape, one tile a page, pages round the banks or in shards, of banks or of L1. Multiples of 64; of shards
/// of L1, of 16.
struct MatmulBuffers {
  uint32_t a = 0, b = 0, c = 0;
  std::vector<uint32_t> operands{};  // of the epilogue, of tiles like C's or of one row of them
  Shards a_shards{}, b_shards{}, c_shards{};
};

/// The program of `plan` on the first plan.cores() of `cores` (translated coordinates), or where the plan has placed
/// it. Throws std::invalid_argument if they are too few, or shards too small.
host::Program matmul_program(const MatmulPlan& plan, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, const MatmulBuffers& buffers);

}  // namespace kerr::kernels
