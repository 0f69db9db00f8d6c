#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/tensix/resources.hpp"

// The rows of instructions.def as data: look-up by opcode, mnemonic and word, and operands by name.
// A Tensix word is opcode[31:24] | operands[23:0]; opcodes are below 0xC0.          docs/hardware/tensix-datapath.md 1

namespace kerr::isa::tensix {

enum class Opcode : uint8_t {
#define X(mnemonic, opcode, ...) mnemonic = opcode,
#include "isa/tensix/instructions.def"
};

/// One named operand: bits [low + width - 1 : low] of the word.
struct Field {
  std::string_view name;
  uint8_t low;
  uint8_t width;

  constexpr uint32_t limit() const { return (1u << width) - 1; }  // the largest value
  constexpr uint32_t mask() const { return limit() << low; }
  constexpr uint32_t get(uint32_t word) const { return (word >> low) & limit(); }
  /// The word with this operand replaced. Precondition: value <= limit().
  constexpr uint32_t set(uint32_t word, uint32_t value) const { return (word & ~mask()) | (value << low); }
};

struct Row {
  Opcode opcode;
  std::string_view mnemonic;
  Unit unit;
  uint8_t cycles;           // until the unit takes the next instruction
  Gate gate;                // see held_by()
  Resources reads, writes;  // what it may touch
  uint32_t named_bits;      // union of the operands' masks
  std::span<const Field> fields;

  /// The operand of that name, or nullptr.
  const Field* field(std::string_view name) const;
};

/// All rows, in opcode order.
std::span<const Row> rows();

/// The row of an opcode; nullptr if the opcode byte names no instruction.
const Row* find(Opcode opcode);

/// The row of a mnemonic (upper case); nullptr if there is none.
const Row* find(std::string_view mnemonic);

/// The row of the word's opcode byte; nullptr if it names no instruction.
const Row* row_of(uint32_t word);

/// Operand bits that are set but belong to no operand: must be 0 in a valid word. All set operand bits for an unknown
/// opcode.
uint32_t unnamed_bits(uint32_t word);

/// Above this a word cannot be a Tensix instruction, nor be written as .ttinsn.
inline constexpr uint32_t kFirstInvalidWord = 0xC0000000;

constexpr Opcode opcode_of(uint32_t word) { return static_cast<Opcode>(word >> 24); }

}  // namespace kerr::isa::tensix
