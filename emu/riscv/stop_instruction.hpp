// What the loops of a hart find in place of an instruction at which a debugger wants it to stop: an ebreak such as no
// word decodes to. They contain no code for it.
#pragma once

#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

inline constexpr isa::riscv::Instruction kStopInstruction{.op = isa::riscv::Op::Ebreak, .csr = 0xFFF};

inline bool is_stop(const isa::riscv::Instruction& i) { return i.op == kStopInstruction.op && i.csr != 0; }

}  // namespace kerr::emu
