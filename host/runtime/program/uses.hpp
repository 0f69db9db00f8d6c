// What compiled kernels say that they use (image::Use), against what the program has.
#pragma once

#include "host/runtime/program/program.hpp"

namespace kerr::host {

/// Throws DeviceError (HostError) naming kernel and what is missing: a circular buffer or semaphore that the program
/// does not have; pages that are no multiple of the tiles that a kernel takes them for; a runtime argument beyond those
/// that a core is given; two kernels of a core that were compiled for the same NoC. Sees only numbers that were
/// constants when the kernel was compiled; assembled kernels say nothing of themselves (kernels::CheckedProgram).
void check_uses(const Program& program);

/// The NoC that a kernel was compiled for, or else the one of its options.
uint8_t noc_of(const Program::Kernel& kernel);
/// Whether the kernel says it.
bool says_noc(const Program::Kernel& kernel);

}  // namespace kerr::host
