// What the harts' scalar float instructions compute.   docs/hardware/tile.md 1.2, last table
#pragma once

#include <cstdint>

#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// The value for rd of an instruction of Kind::Float, on FP32 patterns (or integers, where the operand is one). Rounds
/// to nearest even whatever the instruction says: the caller refuses other modes.
uint32_t float_result(isa::riscv::Op op, uint32_t a, uint32_t b, uint32_t c);

}  // namespace kerr::emu
