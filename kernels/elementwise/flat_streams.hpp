// What flat programs have of their own among the streams of element-wise programs.
#pragma once

#include "kernels/elementwise/streams.hpp"
#include "kernels/vector/phases.hpp"

namespace kerr::kernels::elementwise {

/// TRISC1; Dst has 32 bits.
Kernel flat_math(const Traffic& traffic, const vector::Phases& code);

}  // namespace kerr::kernels::elementwise
