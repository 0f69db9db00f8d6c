#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/riscv/formats.hpp"

// Words of the text that the assembler reads and the disassembler writes.

namespace kerr::isa::riscv {

/// "rd, rs1, imm": for messages.
std::string describe(std::span<const Operand> operands);

/// Rounding modes by rm, 0..7. 5 and 6 are reserved and named rm5, rm6.
inline constexpr std::string_view kRoundingModes[] = {"rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn"};

/// "", ".rl", ".aq", ".aqrl" by imm of the Amo format.
inline constexpr std::string_view kAmoSuffixes[] = {"", ".rl", ".aq", ".aqrl"};

inline constexpr int32_t kFenceAll = 0x0FF;  // iorw, iorw
inline constexpr int32_t kFenceTso = 0x833;

}  // namespace kerr::isa::riscv
