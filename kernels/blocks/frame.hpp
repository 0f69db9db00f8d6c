// How every kernel begins and ends: arch/kernel_abi.hpp wants s0..s11 back as they were.
#pragma once

#include <string>

#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

/// Saves those of s0..s11 that are written before leave(). Afterwards all registers but sp, ra, gp and tp are the
/// kernel's, and so are `local_bytes` (a multiple of 16) of the stack from sp on.
void enter(Caller a, int32_t local_bytes = 0);

/// Restores them and returns to the firmware. Throws std::logic_error without enter().
void leave(Caller a);

/// A stream that begins with function `name` and has entered it, and the kernel that it becomes when it has left it.
Stream begin_kernel(std::string name, Stream::Where where = Stream::Where::current());
Kernel end_kernel(Caller a);

/// reg += value modulo 2^32, of any size. Clobbers t0.
void add_constant(Caller a, isa::Reg reg, uint32_t value);

}  // namespace kerr::kernels
