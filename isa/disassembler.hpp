#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Words as text that assembles back to the same words (isa/text.hpp). What is no instruction prints as `.word` or
// `.ttinsn` with a remark that says why, and so still round-trips.

namespace kerr::isa {

/// An instruction in a hart's code: RV32, or the Tensix instruction that a .ttinsn carries, in upper case.
/// Branch and jump targets are bytes from the instruction (".+8"), or addresses if `pc` says where the instruction is.
/// Where GNU objdump prints a common pseudo-instruction (nop, li, mv, ret, j, beqz ...), so does this.
std::string disassemble(uint32_t word, std::optional<uint32_t> pc = std::nullopt);

/// A raw Tensix word (as in a push window, a MOP template or a GPR): "MVMUL dst=8, addr_mode=1". Operands that are 0
/// are left out; bits that belong to no operand come last: "INCRWC rwc_d=8 ; stray 0x200000".
std::string disassemble_tensix(uint32_t word);

}  // namespace kerr::isa
