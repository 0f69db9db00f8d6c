#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

// Which bits of an instruction are operands, and how these are written: derived from formats.def.

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

/// At most five, in their order in text.
struct Operands {
  std::array<Operand, 5> all{};
  size_t count = 0;

  constexpr Operands(std::initializer_list<Operand> operands) : count(operands.size()) {
    std::ranges::copy(operands, all.begin());
  }
  constexpr operator std::span<const Operand>() const { return {all.data(), count}; }  // NOLINT
  constexpr const Operand* begin() const { return all.data(); }
  constexpr const Operand* end() const { return all.data() + count; }
};

/// What rows of instructions.def call a format.
enum class Format : uint8_t {
#define F(format, bits, ...) format,
#include "isa/riscv/formats.def"
};

struct FormatRow {
  uint32_t fixed_bits;
  Operands operands;
};
inline constexpr auto kFormats = [] {
  using enum Operand;
  return std::to_array<FormatRow>({
#define F(format, bits, ...) {bits, {__VA_ARGS__}},
#include "isa/riscv/formats.def"
  });
}();

constexpr std::span<const Operand> syntax(Format format) { return kFormats[static_cast<size_t>(format)].operands; }

/// Which operands of a format are float registers; the others are integer registers. rs3 is always a float register.
struct FloatOperands {
  bool rd = false, rs1 = false, rs2 = false;
};
inline constexpr auto kFloatOperands = [] {
  std::array<FloatOperands, kFormats.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) {
    const auto has = [&](Operand operand) { return std::ranges::count(kFormats[i].operands, operand) != 0; };
    all[i] = {has(Operand::Fd), has(Operand::Fs1), has(Operand::Fs2)};
  }
  return all;
}();
constexpr bool has_float_operands(Format format) { return format >= Format::FLoad; }
constexpr FloatOperands float_operands(Format format) { return kFloatOperands[static_cast<size_t>(format)]; }

}  // namespace kerr::isa::riscv
