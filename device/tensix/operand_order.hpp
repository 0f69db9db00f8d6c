// The operands of TT_...() and TTI_...(): from the highest bits of the word to the lowest, which is tt-metal's order. A
// few instructions are written there with operands that the hardware does not have, or without some that it has.
#pragma once

#include <utility>

#include "device/tensix/instructions.hpp"

namespace kerr::tensix {

template <class Instruction>
struct OperandOrder {
  static constexpr size_t kCount = sizeof(Instruction::kOperands) / sizeof(OperandBits) - 1;
  static constexpr OperandBits at(size_t i) { return Instruction::kOperands[kCount - 1 - i]; }
};

template <OperandBits... operands>
struct ListedOrder {
  static constexpr size_t kCount = sizeof...(operands);
  static constexpr OperandBits kOperands[] = {operands...};
  static constexpr OperandBits at(size_t i) { return kOperands[i]; }
};

#define KERR_OPERAND_ORDER(mnemonic, order) \
  template <>                               \
  struct OperandOrder<mnemonic> : order {};

// A constant, two registers and a mode, whether or not the instruction has them all.
using VectorOrder = ListedOrder<OperandBits{12, 12}, OperandBits{8, 4}, OperandBits{4, 4}, OperandBits{0, 4}>;
KERR_OPERAND_ORDER(SFPABS, VectorOrder)
KERR_OPERAND_ORDER(SFPCOMPC, VectorOrder)
KERR_OPERAND_ORDER(SFPENCC, VectorOrder)
KERR_OPERAND_ORDER(SFPEXEXP, VectorOrder)
KERR_OPERAND_ORDER(SFPEXMAN, VectorOrder)
KERR_OPERAND_ORDER(SFPGT, VectorOrder)
KERR_OPERAND_ORDER(SFPLE, VectorOrder)
KERR_OPERAND_ORDER(SFPLZ, VectorOrder)
KERR_OPERAND_ORDER(SFPMOV, VectorOrder)
KERR_OPERAND_ORDER(SFPNOT, VectorOrder)
KERR_OPERAND_ORDER(SFPPOPC, VectorOrder)
KERR_OPERAND_ORDER(SFPPUSHC, VectorOrder)
KERR_OPERAND_ORDER(SFPSWAP, VectorOrder)
KERR_OPERAND_ORDER(SFPTRANSP, VectorOrder)
KERR_OPERAND_ORDER(SFPXOR, VectorOrder)

// Units, two counters of each channel, and which of them are set; no thread.
using CounterOrder = ListedOrder<OperandBits{21, 3}, OperandBits{15, 3}, OperandBits{12, 3}, OperandBits{9, 3},
                                 OperandBits{6, 3}, OperandBits{0, 4}>;
KERR_OPERAND_ORDER(SETADCXY, CounterOrder)
KERR_OPERAND_ORDER(SETADCZW, CounterOrder)
KERR_OPERAND_ORDER(ADDRCRXY, CounterOrder)
KERR_OPERAND_ORDER(ADDRCRZW, CounterOrder)
using CounterStepOrder =
    ListedOrder<OperandBits{21, 3}, OperandBits{15, 3}, OperandBits{12, 3}, OperandBits{9, 3}, OperandBits{6, 3}>;
KERR_OPERAND_ORDER(INCADCXY, CounterStepOrder)
KERR_OPERAND_ORDER(INCADCZW, CounterStepOrder)
#undef KERR_OPERAND_ORDER

template <>
struct OperandOrder<ZEROACC>
    : ListedOrder<OperandBits{19, 2}, OperandBits{18, 1}, OperandBits{17, 1}, OperandBits{14, 3}, OperandBits{0, 10}> {
};
template <>
struct OperandOrder<SFPLUT> : ListedOrder<OperandBits{20, 4}, OperandBits{16, 4}, OperandBits{0, 10}> {};
template <>
struct OperandOrder<SFPLUTFP32> : ListedOrder<OperandBits{4, 4}, OperandBits{0, 4}> {};
template <>
struct OperandOrder<ATSWAP>
    : ListedOrder<OperandBits{23, 1}, OperandBits{14, 8}, OperandBits{6, 6}, OperandBits{0, 6}> {};
template <>
struct OperandOrder<STOREIND>
    : ListedOrder<OperandBits{23, 1}, OperandBits{22, 1}, OperandBits{21, 1}, OperandBits{14, 7}, OperandBits{12, 2},
                  OperandBits{6, 6}, OperandBits{0, 6}> {};

template <class Instruction, size_t operand>
[[gnu::error("this operand (counted from 0) of a Tensix instruction does not fit its bits")]] void
operand_does_not_fit();

template <class Instruction, size_t operand>
[[gnu::always_inline]] constexpr uint32_t placed(uint32_t value) {
  constexpr OperandBits bits = OperandOrder<Instruction>::at(operand);
  if (known_not_to_fit(value, bits.width)) operand_does_not_fit<Instruction, operand>();
  return (value & ((1u << bits.width) - 1)) << bits.low;
}

template <class Instruction, size_t... i, class... Values>
[[gnu::always_inline]] constexpr uint32_t word_of(std::index_sequence<i...>, Values... values) {
  return (Instruction{}.bits | ... | placed<Instruction, i>(static_cast<uint32_t>(values)));
}

/// The word of an instruction whose operands are given in tt-metal's order.
template <class Instruction, class... Values>
[[gnu::always_inline]] constexpr uint32_t word_of(Values... values) {
  constexpr size_t kCount = OperandOrder<Instruction>::kCount;
  static_assert(sizeof...(Values) == kCount, "the instruction has another number of operands");
  return word_of<Instruction>(std::make_index_sequence<kCount>{}, values...);
}

}  // namespace kerr::tensix
