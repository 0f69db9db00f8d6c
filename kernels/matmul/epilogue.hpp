// What is done to a sub-block between its last product and the packer.
#pragma once

#include <cstdint>

#include "kernels/matmul/plan.hpp"
#include "kernels/vector/emit.hpp"

namespace kerr::kernels::matmul {

/// The vector unit's code for tile `tile`, the selected one, of a sub-block of `sub_tiles`. Behind these Dst holds a
/// tile for each operand, then values that find no register. Throws std::length_error if there is no room for them.
vector::Emitted epilogue_code(const MatmulOptions& options, uint32_t sub_tiles, uint32_t tile);

}  // namespace kerr::kernels::matmul
