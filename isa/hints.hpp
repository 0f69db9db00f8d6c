// Instructions that do nothing, on silicon too, and by which kernels tell those who watch something: the base ISA calls
// computations into x0 hints. All numbers that are taken, in one table, and what tells them apart.
//
//   addi zero, rs1, n   n from 1 on: a word of a print        docs/guide/prints.md, device/print.hpp
//   slti zero, rs1, n   n = kBytes ...: of the checker        docs/reference/checker.md, device/check.hpp
#pragma once

#include <cstdint>
#include <optional>

namespace kerr::isa::hint {

/// Print words: rs1 holds the next word of the print's values. The number is that of the print in its kernel (image::
/// Print), and kLast of its last word. A print without values has one word, of x0.
inline constexpr uint32_t kMostPrintIds = 1023;  // from 1 on: 0 is nop
inline constexpr uint32_t kLast = 1024;
/// A print has at most so many words.
inline constexpr uint32_t kMostPrintWords = 8;

/// Immediates of the checker's: rs1 holds the number of bytes for the next of the others, or the address in L1 of what
/// is a ...
enum Check : int32_t { kBytes = 0x3A0, kFlag, kMonotonic, kPrivate };

enum class Kind : uint8_t { Print, Check };

struct Hint {
  Kind kind = Kind::Print;
  int32_t number = 0;  // the immediate
  uint8_t rs1 = 0;

  uint32_t print_id() const { return static_cast<uint32_t>(number) & (kLast - 1); }
  bool last() const { return (static_cast<uint32_t>(number) & kLast) != 0; }
};

/// Whether an immediate of addi into x0 belongs to a print.
constexpr bool is_print(int32_t immediate) { return immediate > 0 && (immediate & (kLast - 1)) != 0; }

/// The instruction without its operands rs1 and immediate.
inline constexpr uint32_t kPrintWord = 0x0000'0013, kCheckWord = 0x0000'2013, kMask = 0x0000'7FFF;

constexpr std::optional<Hint> decode(uint32_t word) {
  const Hint hint{.kind = (word & kMask) == kCheckWord ? Kind::Check : Kind::Print,
                  .number = static_cast<int32_t>(word) >> 20,
                  .rs1 = static_cast<uint8_t>(word >> 15 & 31)};
  if ((word & kMask) == kCheckWord) return hint;
  if ((word & kMask) != kPrintWord || !is_print(hint.number)) return std::nullopt;
  return hint;
}

}  // namespace kerr::isa::hint
