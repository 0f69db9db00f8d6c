#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/riscv/instructions.hpp"

// How each format is written in text: one list per format, from which both the assembler and the disassembler work.

namespace kerr::isa::riscv {

enum class Operand : uint8_t {
  Rd,  // integer registers
  Rs1,
  Rs2,
  Fd,  // float registers
  Fs1,
  Fs2,
  Fs3,
  Imm,            // a number
  UpperImm,       // imm >> 12, 0 to 0xFFFFF
  Target,         // a label, .+8 (bytes from this instruction), or an address
  Csr,            // a name or a number
  Offset,         // imm(rs1)
  Address,        // (rs1)
  OptionalRm,     // rne, rtz, rdn, rup, rmm or dyn; dyn (7) when left out
  OptionalFence,  // pred, succ as letters iorw, or one number; iorw, iorw when left out
  TensixWord,
};

std::span<const Operand> syntax(Format format);

/// "rd, rs1, imm": for messages.
std::string describe(std::span<const Operand> operands);

/// Rounding modes by rm, 0..7. 5 and 6 are reserved and named rm5, rm6.
inline constexpr std::string_view kRoundingModes[] = {"rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn"};

/// "", ".rl", ".aq", ".aqrl" by imm of the Amo format.
inline constexpr std::string_view kAmoSuffixes[] = {"", ".rl", ".aq", ".aqrl"};

inline constexpr int32_t kFenceAll = 0x0FF;  // iorw, iorw
inline constexpr int32_t kFenceTso = 0x833;

}  // namespace kerr::isa::riscv
