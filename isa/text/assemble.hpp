#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/assembler.hpp"
#include "isa/code.hpp"

// Assembly text to code. One statement a line; what the disassembler prints is accepted.
//
//   # comment, also //
//   .equ  COUNT, 8                    a name for a number
//   loop:                             a label; .globl loop makes it a function
//         lw    a5, 40(s0)            RV32 in lower case, the usual pseudo-instructions (li, mv, call, ret, beqz ...)
//         addi  a0, a0, COUNT - 4     numbers: 12, -12, 0x0C, 0b1100, names, joined by + - |
//         bnez  a0, loop              or .+8 (bytes from here), or an address
//         MVMUL dst=8, addr_mode=1    Tensix in upper case, inline (.ttinsn); operands left out are 0
//         STALLWAIT stall_res=MATH, wait_res=SRCA_VLD|SRCB_VLD
//         INCRWC rwc_d=8 ; stray 0x200000    bits that belong to no operand
//         .ttinsn 0x60000000          a raw Tensix word, inline
//         .word 1, loop               also .half, .byte, .zero N, .balign N

namespace kerr::isa {

/// A statement that cannot be assembled. what() is "file:line:column: message" followed by the line and a caret.
class TextError : public AssemblerError {
 public:
  TextError(std::string_view file, size_t line, size_t column, std::string message, std::string_view source_line);

  size_t line, column;  // from 1
  std::string message;  // what is wrong and what is allowed
};

struct TextOptions {
  std::string file = "<text>";  // for messages and the line table
  uint32_t base = 0;            // address of the first byte
};

/// Throws TextError, or AssemblerError for what only shows when everything is laid out (a jump out of reach).
Code assemble(std::string_view source, const TextOptions& options = {});

/// One Tensix instruction as a raw word: "MVMUL dst=8, addr_mode=1". Throws TextError.
uint32_t assemble_tensix(std::string_view line);

/// Raw words of several Tensix instructions, one a line; comments, empty lines and `.word` are fine. Throws TextError.
std::vector<uint32_t> assemble_tensix_program(std::string_view source);

}  // namespace kerr::isa
