// How every kernel begins and ends: arch/kernel_abi.hpp wants s0..s11 back as they were.
#pragma once

#include "kernels/ir/stream.hpp"

namespace kerr::kernels {

/// Saves s0..s11 on the stack. Afterwards all registers but sp, ra, gp and tp are the kernel's.
void enter(Stream& a);

/// Restores them and returns to the firmware.
void leave(Stream& a);

/// reg += value, of any size. Clobbers t0.
void add_constant(Stream& a, isa::Reg reg, std::uint32_t value);

}  // namespace kerr::kernels
