#pragma once

#include <span>
#include <string_view>

#include "isa/riscv/instructions.hpp"

// Pseudo-instructions that stand for one instruction with some operands fixed, and other ways to write an instruction.
// The assembler reads them all; the disassembler prints those marked so. (li and la may need two instructions; the
// assembler knows those by itself.)

namespace kerr::isa::riscv {

struct Pseudo {
  std::string_view text;
  Instruction preset;  // the operands that are not written
  Operands operands;
  bool printed;
};

std::span<const Pseudo> pseudos();

/// Sets the members that an operand stands for to 0.
void clear(Operand operand, Instruction& instruction);

}  // namespace kerr::isa::riscv
