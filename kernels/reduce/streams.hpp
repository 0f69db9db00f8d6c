// The two streams of a reduction that are its own; unpack, pack and writer are those of element-wise programs.
#pragma once

#include "kernels/elementwise/streams.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::kernels::reduce {

/// NCRISC: for each tile of the output all tiles that it is made of.
Kernel reader(const ReduceShape& shape, const elementwise::Traffic& traffic, const arch::FirmwareLayout& layout);
/// TRISC1: adds up (or compares) in FP32, lane by lane; at the end between lanes.
Kernel math(const ReduceShape& shape, const elementwise::Traffic& traffic);

}  // namespace kerr::kernels::reduce
