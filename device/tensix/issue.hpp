// How a TRISC gives words to its thread of the coprocessor: constants as instructions of its own (.ttinsn), others by a
// store.
// docs/hardware/kernels.md 1.2
#pragma once

#include <stdint.h>

#include "arch/memory_map.hpp"
#include "device/tensix/operand_order.hpp"

namespace kerr::device {

[[gnu::always_inline]] inline volatile uint32_t& mmio(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}

[[gnu::error("TTI_...() takes constants; for operands that are computed at run time there is TT_...()")]] void
tensix_word_is_not_constant();
[[gnu::error("a Tensix word below 0xC0000000 is wanted")]] void not_a_tensix_word();

/// A constant word, as an instruction of the hart.
[[gnu::always_inline]] inline void ttinsn(uint32_t word) {
  if (!__builtin_constant_p(word)) tensix_word_is_not_constant();
  if (__builtin_constant_p(word) && word >= 0xC0000000) not_a_tensix_word();
  asm volatile(".word %0" ::"i"(word << 2 | word >> 30));
}

/// Any word, by a store.
[[gnu::always_inline]] inline void push(uint32_t word) { mmio(arch::kInstructionPushBase) = word; }

/// A word, in the cheaper of both ways.
[[gnu::always_inline]] inline void issue_word(uint32_t word) {
  if (__builtin_constant_p(word)) {
    asm volatile(".word %0" ::"i"(__builtin_constant_p(word) ? word << 2 | word >> 30 : 0));
  } else {
    push(word);
  }
}

template <class Instruction>
[[gnu::always_inline]] inline void issue(Instruction instruction) {
  issue_word(instruction.word());
}

}  // namespace kerr::device

#define X(mnemonic, ...)                                                            \
  template <class... Values>                                                        \
  [[gnu::always_inline]] constexpr uint32_t TT_OP_##mnemonic(Values... values) {    \
    return kerr::tensix::word_of<kerr::tensix::mnemonic>(values...);                \
  }                                                                                 \
  template <class... Values>                                                        \
  [[gnu::always_inline]] inline void TT_##mnemonic(Values... values) {              \
    kerr::device::push(kerr::tensix::word_of<kerr::tensix::mnemonic>(values...));   \
  }                                                                                 \
  template <class... Values>                                                        \
  [[gnu::always_inline]] inline void TTI_##mnemonic(Values... values) {             \
    kerr::device::ttinsn(kerr::tensix::word_of<kerr::tensix::mnemonic>(values...)); \
  }
#include "isa/tensix/instructions.def"

// Those without operands are written without parentheses in tt-metal.
#define TT_OP_NOP (kerr::tensix::NOP{}.word())
#define TT_OP_DMANOP (kerr::tensix::DMANOP{}.word())
#define TT_OP_SFPNOP (kerr::tensix::SFPNOP{}.word())
#define TT_OP_TRNSPSRCA (kerr::tensix::TRNSPSRCA{}.word())
#define TT_OP_TRNSPSRCB (kerr::tensix::TRNSPSRCB{}.word())
#define TT_OP_RAREB (kerr::tensix::RAREB{}.word())
#define TT_OP_RSTDMA (kerr::tensix::RSTDMA{}.word())
#define TT_OP_CLREXPHIST (kerr::tensix::CLREXPHIST{}.word())
#define TTI_NOP kerr::device::ttinsn(TT_OP_NOP)
#define TTI_DMANOP kerr::device::ttinsn(TT_OP_DMANOP)
#define TTI_SFPNOP kerr::device::ttinsn(TT_OP_SFPNOP)
#define TTI_TRNSPSRCA kerr::device::ttinsn(TT_OP_TRNSPSRCA)
#define TTI_TRNSPSRCB kerr::device::ttinsn(TT_OP_TRNSPSRCB)
#define TTI_RAREB kerr::device::ttinsn(TT_OP_RAREB)
#define TTI_RSTDMA kerr::device::ttinsn(TT_OP_RSTDMA)
#define TTI_CLREXPHIST kerr::device::ttinsn(TT_OP_CLREXPHIST)
