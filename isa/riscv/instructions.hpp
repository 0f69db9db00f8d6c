#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/riscv/formats.hpp"
#include "isa/riscv/registers.hpp"

// The RV32 half of the machine's instruction set: decode, encode and rows, derived from instructions.def.
//
//   const Instruction i = decode(word);     // i.op, i.rd, i.rs1, i.rs2, i.imm, ...: what an interpreter switches on
//   const uint32_t w = encode(i);      // throws RangeError naming mnemonic, operand, value and what is allowed
//
// All instructions are 32 bits. A word whose low two bits are not 11 is a `.ttinsn`: it pushes a Tensix word to the
// coprocessor.                                                                          docs/hardware/tile.md 1.2, 1.3

namespace kerr::isa::riscv {

/// Contiguous from 0, so a decode cache can index handlers with it.
enum class Op : uint8_t {
  Illegal,
  Ttinsn,
#define X(op, method, text, kind, format, match) op,
#include "isa/riscv/instructions.def"
};

/// What an instruction occupies; timing.md 2.2 prices these.
enum class Kind : uint8_t {
  Illegal,
  Push,
  Alu,
  Mul,
  Div,
  Load,
  Store,
  Branch,
  Jump,
  Csr,
  Amo,
  Fence,
  System,
  Float,
};

/// A decoded instruction. Operands that the format does not have are 0.
struct Instruction {
  Op op = Op::Illegal;
  uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  uint8_t rm = 0;  // rounding mode, 7 = dynamic
  uint16_t csr = 0;
  int32_t imm = 0;  // sign-extended; Illegal: the word; Ttinsn: the Tensix word

  friend constexpr bool operator==(const Instruction&, const Instruction&) = default;
};
static_assert(sizeof(Instruction) == 12);

struct Row {
  Op op;
  std::string_view text;
  Kind kind;
  Format format;
  uint32_t match;  // word & mask == match
  uint32_t mask;
};

inline constexpr int kOpCount = 2
#define X(...) +1
#include "isa/riscv/instructions.def"
    ;

/// Rows indexed by Op; rows()[0] is Illegal, rows()[1] is .ttinsn.
std::span<const Row, kOpCount> rows();
const Row& row(Op op);

/// Operands as numbers of one register file: x0 to x31, then f0 to f31. x0 is what the format does not have.
struct RegisterNumbers {
  uint8_t rd, rs1, rs2, rs3;
};
inline RegisterNumbers register_numbers(const Instruction& i) {
  constexpr unsigned kF0 = 32;
  const Format format = row(i.op).format;
  if (!has_float_operands(format)) return {i.rd, i.rs1, i.rs2, 0};
  const FloatOperands f = float_operands(format);
  const auto number = [](unsigned n, bool is_float) { return static_cast<uint8_t>(n + (is_float ? kF0 : 0)); };
  return {number(i.rd, f.rd), number(i.rs1, f.rs1), number(i.rs2, f.rs2), number(i.rs3, format == Format::FFused)};
}

/// The row of a mnemonic in lower case ("addi", "sext.b"); nullptr if there is none.
const Row* find(std::string_view text);

/// Never fails: what is no instruction decodes as Op::Illegal with the word in imm. Reserved bits of fence are ignored.
Instruction decode(uint32_t word);

/// Throws RangeError for an operand out of range; an Illegal encodes as the word in imm.
uint32_t encode(const Instruction& instruction);

/// `.ttinsn`: a Tensix word and the RISC-V word that pushes it.                               docs/hardware/tile.md 1.3
constexpr bool is_ttinsn(uint32_t word) { return (word & 3) != 3; }
constexpr uint32_t ttinsn(uint32_t tensix_word) { return tensix_word << 2 | tensix_word >> 30; }
constexpr uint32_t tensix_of(uint32_t word) { return word >> 2 | word << 30; }

}  // namespace kerr::isa::riscv
