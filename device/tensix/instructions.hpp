// Words of Tensix instructions, from the rows of isa/tensix/instructions.def, for code that runs on a TRISC.
//
//   issue(tensix::SFPLOAD().lreg_ind(1).instr_mod0(2).sfpu_addr_mode(7));  // operands in any order; 0 if left out
//   TTI_SFPLOAD(1, 2, 7, 0);                                              // the same, in the order of tt-metal
//   TT_SFPLOAD(1, 2, 7, 64 * tile);                                       // computed when it runs, and stored
//   constexpr uint32_t word = TT_OP_SFPLOAD(1, 2, 7, 0);                  // the word, for MOPs and GPRs
//
// A constant that does not fit its operand is an error of the compiler that names instruction and operand.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "isa/each.hpp"

namespace kerr::tensix {

/// Where an operand lies in the word.
struct OperandBits {
  uint8_t low, width;
};

/// Whether `value` is known to the compiler and wider than `width` bits. Operands of 12 bits take negative numbers too.
[[gnu::always_inline]] constexpr bool known_not_to_fit(uint32_t value, uint32_t width) {
  if (width == 12 && value >= 0xFFFFF800) return false;
  return __builtin_constant_p(value) && value >> width != 0;
}

#define KERR_OPERAND(name, low, width)                                                                          \
  [[gnu::error("this operand of a Tensix instruction has " #width " bits")]] static void name##_does_not_fit(); \
  [[gnu::always_inline]] constexpr auto name(uint32_t value) const {                                            \
    if (known_not_to_fit(value, width)) name##_does_not_fit();                                                  \
    auto with = *this;                                                                                          \
    with.bits |= (value & ((1u << (width)) - 1)) << (low);                                                      \
    return with;                                                                                                \
  }
#define KERR_OPERAND_BITS(name, low, width) OperandBits{low, width},

#define X(mnemonic, opcode, unit, cycles, gate, reads, writes, ...)                                       \
  struct mnemonic {                                                                                       \
    static constexpr OperandBits kOperands[] = {KERR_EACH(KERR_OPERAND_BITS, __VA_ARGS__) OperandBits{}}; \
    uint32_t bits = uint32_t{opcode} << 24;                                                               \
    constexpr uint32_t word() const { return bits; }                                                      \
    KERR_EACH(KERR_OPERAND, __VA_ARGS__)                                                                  \
  };
#include "isa/tensix/instructions.def"
#undef KERR_OPERAND
#undef KERR_OPERAND_BITS

}  // namespace kerr::tensix
