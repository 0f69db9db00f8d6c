#include "isa/disassembler.hpp"

#include <fmt/format.h>

#include <utility>

#include "isa/riscv/instructions.hpp"
#include "isa/riscv/pseudo.hpp"
#include "isa/riscv/syntax.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::isa {
namespace {

using riscv::Instruction;
using riscv::Op;
using riscv::Operand;

std::string_view x(unsigned n) { return name(Reg{static_cast<uint8_t>(n)}); }
std::string_view f(unsigned n) { return name(FReg{static_cast<uint8_t>(n)}); }

std::string target(int32_t offset, std::optional<uint32_t> pc) {
  if (pc) return fmt::format("{:#x}", *pc + static_cast<uint32_t>(offset));
  return fmt::format(".{:+}", offset);
}

std::string fence_set(unsigned bits) {
  std::string text;
  for (int k = 3; k >= 0; --k) {
    if (bits >> k & 1) text += "wroi"[k];
  }
  return text.empty() ? "0" : text;
}

std::string fence_operands(int32_t imm) {
  if (imm == riscv::kFenceAll) return "";
  if (imm >> 8 != 0) return fmt::format("{:#x}", imm);
  return fence_set(imm >> 4 & 15) + ", " + fence_set(imm & 15);
}

std::string operand_text(Operand operand, const Instruction& i, std::optional<uint32_t> pc) {
  switch (operand) {
    case Operand::Rd: return std::string(x(i.rd));
    case Operand::Rs1: return std::string(x(i.rs1));
    case Operand::Rs2: return std::string(x(i.rs2));
    case Operand::Fd: return std::string(f(i.rd));
    case Operand::Fs1: return std::string(f(i.rs1));
    case Operand::Fs2: return std::string(f(i.rs2));
    case Operand::Fs3: return std::string(f(i.rs3));
    case Operand::Imm: return fmt::format("{}", i.imm);
    case Operand::UpperImm: return fmt::format("{:#x}", static_cast<uint32_t>(i.imm) >> 12);
    case Operand::Target: return target(i.imm, pc);
    case Operand::Csr: return csr_name(i.csr);
    case Operand::Offset: return fmt::format("{}({})", i.imm, x(i.rs1));
    case Operand::Address: return fmt::format("({})", x(i.rs1));
    case Operand::OptionalRm: return i.rm == 7 ? "" : std::string(riscv::kRoundingModes[i.rm & 7]);
    case Operand::OptionalFence: return fence_operands(i.imm);
    case Operand::TensixWord: return "";
  }
  return "";
}

std::string with_operands(std::string text, std::span<const Operand> operands, const Instruction& i,
                          std::optional<uint32_t> pc) {
  const char* separator = " ";
  for (const Operand operand : operands) {
    const std::string operand_string = operand_text(operand, i, pc);
    if (operand_string.empty()) continue;
    text += separator + operand_string;
    separator = ", ";
  }
  return text;
}

bool stands_for(const riscv::Pseudo& pseudo, Instruction i) {
  if (!pseudo.printed || pseudo.preset.op != i.op) return false;
  for (const Operand operand : pseudo.operands) riscv::clear(operand, i);
  return i == pseudo.preset;
}

// `directive` is what to print when the word is no instruction.
std::string tensix_text(uint32_t word, std::string_view directive) {
  const tensix::Row* row = tensix::row_of(word);
  if (!row) return fmt::format("{} {:#010x}  # no Tensix instruction has opcode {:#04x}", directive, word, word >> 24);
  std::string text(row->mnemonic);
  const char* separator = " ";
  for (const tensix::Field& field : row->fields) {
    const uint32_t value = field.get(word);
    if (value == 0) continue;
    text += fmt::format(fmt::runtime(value < 1024 ? "{}{}={}" : "{}{}={:#x}"), separator, field.name, value);
    separator = ", ";
  }
  if (const uint32_t stray = tensix::unnamed_bits(word); stray != 0) text += fmt::format(" ; stray {:#x}", stray);
  return text;
}

}  // namespace

std::string disassemble(uint32_t word, std::optional<uint32_t> pc) {
  const Instruction i = riscv::decode(word);
  if (i.op == Op::Ttinsn) return tensix_text(riscv::tensix_of(word), ".ttinsn");
  if (i.op == Op::Illegal) return fmt::format(".word {:#010x}  # no instruction", word);
  if (riscv::encode(i) != word) return fmt::format(".word {:#010x}  # fence with reserved bits set", word);
  for (const riscv::Pseudo& pseudo : riscv::pseudos()) {
    if (stands_for(pseudo, i)) return with_operands(std::string(pseudo.text), pseudo.operands, i, pc);
  }
  const riscv::Row& row = riscv::row(i.op);
  std::string text(row.text);
  if (row.format == riscv::Format::Amo) text += riscv::kAmoSuffixes[i.imm & 3];
  return with_operands(std::move(text), riscv::syntax(row.format), i, pc);
}

std::string disassemble_tensix(uint32_t word) { return tensix_text(word, ".word"); }

}  // namespace kerr::isa
