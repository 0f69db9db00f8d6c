#include "isa/riscv/pseudo.hpp"

#include "isa/riscv/syntax.hpp"

namespace kerr::isa::riscv {
namespace {

using enum Operand;

// If several rows fit an instruction, the disassembler takes the first one.
constexpr std::array kPseudos = {
    Pseudo{"nop", {.op = Op::Addi}, {}, true},
    Pseudo{"li", {.op = Op::Addi}, {Rd, Imm}, true},
    Pseudo{"mv", {.op = Op::Addi}, {Rd, Rs1}, true},
    Pseudo{"not", {.op = Op::Xori, .imm = -1}, {Rd, Rs1}, true},
    Pseudo{"neg", {.op = Op::Sub}, {Rd, Rs2}, true},
    Pseudo{"seqz", {.op = Op::Sltiu, .imm = 1}, {Rd, Rs1}, true},
    Pseudo{"snez", {.op = Op::Sltu}, {Rd, Rs2}, true},
    Pseudo{"sltz", {.op = Op::Slt}, {Rd, Rs1}, true},
    Pseudo{"sgtz", {.op = Op::Slt}, {Rd, Rs2}, true},
    Pseudo{"zext.b", {.op = Op::Andi, .imm = 255}, {Rd, Rs1}, true},
    Pseudo{"zext.h", {.op = Op::Pack}, {Rd, Rs1}, true},
    Pseudo{"beqz", {.op = Op::Beq}, {Rs1, Target}, true},
    Pseudo{"bnez", {.op = Op::Bne}, {Rs1, Target}, true},
    Pseudo{"bltz", {.op = Op::Blt}, {Rs1, Target}, true},
    Pseudo{"bgez", {.op = Op::Bge}, {Rs1, Target}, true},
    Pseudo{"bgtz", {.op = Op::Blt}, {Rs2, Target}, true},
    Pseudo{"blez", {.op = Op::Bge}, {Rs2, Target}, true},
    Pseudo{"bgt", {.op = Op::Blt}, {Rs2, Rs1, Target}, false},
    Pseudo{"ble", {.op = Op::Bge}, {Rs2, Rs1, Target}, false},
    Pseudo{"bgtu", {.op = Op::Bltu}, {Rs2, Rs1, Target}, false},
    Pseudo{"bleu", {.op = Op::Bgeu}, {Rs2, Rs1, Target}, false},
    Pseudo{"j", {.op = Op::Jal}, {Target}, true},
    Pseudo{"jal", {.op = Op::Jal, .rd = 1}, {Target}, false},
    Pseudo{"call", {.op = Op::Jal, .rd = 1}, {Target}, false},
    Pseudo{"ret", {.op = Op::Jalr, .rs1 = 1}, {}, true},
    Pseudo{"jr", {.op = Op::Jalr}, {Rs1}, true},
    Pseudo{"jalr", {.op = Op::Jalr, .rd = 1}, {Rs1}, false},
    Pseudo{"jalr", {.op = Op::Jalr}, {Rd, Rs1, Imm}, false},
    Pseudo{"csrr", {.op = Op::Csrrs}, {Rd, Csr}, true},
    Pseudo{"csrw", {.op = Op::Csrrw}, {Csr, Rs1}, true},
    Pseudo{"csrs", {.op = Op::Csrrs}, {Csr, Rs1}, true},
    Pseudo{"csrc", {.op = Op::Csrrc}, {Csr, Rs1}, true},
    Pseudo{"csrwi", {.op = Op::Csrrwi}, {Csr, Imm}, true},
    Pseudo{"csrsi", {.op = Op::Csrrsi}, {Csr, Imm}, true},
    Pseudo{"csrci", {.op = Op::Csrrci}, {Csr, Imm}, true},
    Pseudo{"fence.tso", {.op = Op::Fence, .imm = kFenceTso}, {}, true},
};

}  // namespace

std::span<const Pseudo> pseudos() { return kPseudos; }

void clear(Operand operand, Instruction& i) {
  switch (operand) {
    case Rd:
    case Fd: i.rd = 0; break;
    case Rs1:
    case Fs1:
    case Address: i.rs1 = 0; break;
    case Rs2:
    case Fs2: i.rs2 = 0; break;
    case Fs3: i.rs3 = 0; break;
    case Imm:
    case UpperImm:
    case Target:
    case OptionalFence:
    case TensixWord: i.imm = 0; break;
    case Csr: i.csr = 0; break;
    case Offset: i.rs1 = 0, i.imm = 0; break;
    case OptionalRm: i.rm = 0; break;
  }
}

}  // namespace kerr::isa::riscv
