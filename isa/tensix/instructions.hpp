#pragma once

#include <cstdint>

#include "isa/each.hpp"
#include "isa/errors.hpp"
#include "isa/tensix/table.hpp"

// One struct per Tensix instruction, its operands as plain unsigned members, derived from instructions.def:
//
//   const MVMUL i = MVMUL::decode(word);        // i.dst, i.addr_mode, ...; bits without an operand are ignored
//   const uint32_t w = MVMUL{.dst = 8, .addr_mode = 1}.encode();   // throws RangeError if an operand does not fit
//
// Operands left out are 0. Signed operands (imm12 of SFPIADD, a negative dst offset) are given in two's complement of
// the field's width: signed_operand(-5, 12).

namespace kerr::isa::tensix {

#define KERR_MEMBER(name, low, width) uint32_t name = 0;
#define KERR_DECODE(name, low, width) i.name = (word >> (low)) & ((1u << (width)) - 1);
#define KERR_ENCODE(name, low, width)                                                          \
  if (name > (1u << (width)) - 1) throw_range(kMnemonic, #name, name, 0, (1u << (width)) - 1); \
  word |= name << (low);

#define X(mnemonic, opcode, unit, cycles, gate, reads, writes, ...)               \
  struct mnemonic {                                                               \
    static constexpr Opcode kOpcode = Opcode::mnemonic;                           \
    static constexpr const char* kMnemonic = #mnemonic;                           \
    KERR_EACH(KERR_MEMBER, __VA_ARGS__)                                           \
    static constexpr mnemonic decode([[maybe_unused]] uint32_t word) {            \
      mnemonic i{};                                                               \
      KERR_EACH(KERR_DECODE, __VA_ARGS__)                                         \
      return i;                                                                   \
    }                                                                             \
    constexpr uint32_t encode() const {                                           \
      uint32_t word = uint32_t{opcode} << 24;                                     \
      KERR_EACH(KERR_ENCODE, __VA_ARGS__)                                         \
      return word;                                                                \
    }                                                                             \
    friend constexpr bool operator==(const mnemonic&, const mnemonic&) = default; \
  };
#include "isa/tensix/instructions.def"

#undef KERR_MEMBER
#undef KERR_DECODE
#undef KERR_ENCODE

/// A negative operand in two's complement of `width` bits. Throws RangeError if it does not fit.
constexpr uint32_t signed_operand(int32_t value, unsigned width) {
  const int32_t limit = int32_t{1} << (width - 1);
  if (value < -limit || value >= limit) throw_range("signed operand", "value", value, -limit, limit - 1);
  return static_cast<uint32_t>(value) & ((1u << width) - 1);
}

}  // namespace kerr::isa::tensix
