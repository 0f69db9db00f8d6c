// The modes in which matrix unit instructions are compared: those that the reference simulator accepts.
#pragma once

#include <vector>

#include "oracle/fpu_block.hpp"

namespace kerr::oracle {

/// One block without operands for each instruction, format, Dst width, phase and variant.
std::vector<FpuBlock> comparable_blocks();

}  // namespace kerr::oracle
