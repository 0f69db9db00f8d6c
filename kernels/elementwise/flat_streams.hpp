// The stream that flat programs do not have in common with other element-wise programs.
#pragma once

#include "kernels/elementwise/streams.hpp"
#include "kernels/vector/phases.hpp"

namespace kerr::kernels::elementwise {

/// TRISC1; Dst has 32 bits.
Kernel flat_math(const Traffic& traffic, const vector::Phases& code);

}  // namespace kerr::kernels::elementwise
