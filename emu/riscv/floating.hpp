// The harts' scalar float instructions.   docs/hardware/tile.md 1.2, last table
#pragma once

#include <cstdint>

#include "emu/riscv/port.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// A float instruction; all others are refused. False: the hart has stopped.
bool floating(HartState& hart, HartPort& port, const isa::riscv::Instruction& i);

/// The value for its rd by its line of semantics.def, on FP32 patterns (or integers, where the operand is one). Rounds
/// to nearest even whatever the instruction says: the caller refuses other modes.
uint32_t float_result(isa::riscv::Op op, uint32_t a, uint32_t b, uint32_t c);

/// It rounds to nearest even, or not at all. Of other modes nobody knows what silicon does.
constexpr bool rounds_as_known(const isa::riscv::Instruction& i) {
  constexpr unsigned kToNearestEven = 0, kDynamic = 7;
  return i.rm == kToNearestEven || i.rm == kDynamic;
}

}  // namespace kerr::emu
