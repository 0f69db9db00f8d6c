#include "isa/riscv/pseudo.hpp"

namespace kerr::isa::riscv {
namespace {

using enum Operand;

constexpr std::array kRs1{Rs1};
constexpr std::array kTarget{Target};
constexpr std::array kRdImm{Rd, Imm};
constexpr std::array kRdRs1{Rd, Rs1};
constexpr std::array kRdRs2{Rd, Rs2};
constexpr std::array kRs1Target{Rs1, Target};
constexpr std::array kRs2Target{Rs2, Target};
constexpr std::array kSwapped{Rs2, Rs1, Target};
constexpr std::array kRdCsr{Rd, Csr};
constexpr std::array kCsrRs1{Csr, Rs1};
constexpr std::array kCsrImm{Csr, Imm};
constexpr std::array kThree{Rd, Rs1, Imm};
constexpr std::span<const Operand> kNone{};

// If several rows fit an instruction, the disassembler takes the first one.
constexpr std::array kPseudos = {
    Pseudo{"nop", {.op = Op::Addi}, kNone, true},
    Pseudo{"li", {.op = Op::Addi}, kRdImm, true},
    Pseudo{"mv", {.op = Op::Addi}, kRdRs1, true},
    Pseudo{"not", {.op = Op::Xori, .imm = -1}, kRdRs1, true},
    Pseudo{"neg", {.op = Op::Sub}, kRdRs2, true},
    Pseudo{"seqz", {.op = Op::Sltiu, .imm = 1}, kRdRs1, true},
    Pseudo{"snez", {.op = Op::Sltu}, kRdRs2, true},
    Pseudo{"sltz", {.op = Op::Slt}, kRdRs1, true},
    Pseudo{"sgtz", {.op = Op::Slt}, kRdRs2, true},
    Pseudo{"zext.b", {.op = Op::Andi, .imm = 255}, kRdRs1, true},
    Pseudo{"zext.h", {.op = Op::Pack}, kRdRs1, true},
    Pseudo{"beqz", {.op = Op::Beq}, kRs1Target, true},
    Pseudo{"bnez", {.op = Op::Bne}, kRs1Target, true},
    Pseudo{"bltz", {.op = Op::Blt}, kRs1Target, true},
    Pseudo{"bgez", {.op = Op::Bge}, kRs1Target, true},
    Pseudo{"bgtz", {.op = Op::Blt}, kRs2Target, true},
    Pseudo{"blez", {.op = Op::Bge}, kRs2Target, true},
    Pseudo{"bgt", {.op = Op::Blt}, kSwapped, false},
    Pseudo{"ble", {.op = Op::Bge}, kSwapped, false},
    Pseudo{"bgtu", {.op = Op::Bltu}, kSwapped, false},
    Pseudo{"bleu", {.op = Op::Bgeu}, kSwapped, false},
    Pseudo{"j", {.op = Op::Jal}, kTarget, true},
    Pseudo{"jal", {.op = Op::Jal, .rd = 1}, kTarget, false},
    Pseudo{"call", {.op = Op::Jal, .rd = 1}, kTarget, false},
    Pseudo{"ret", {.op = Op::Jalr, .rs1 = 1}, kNone, true},
    Pseudo{"jr", {.op = Op::Jalr}, kRs1, true},
    Pseudo{"jalr", {.op = Op::Jalr, .rd = 1}, kRs1, false},
    Pseudo{"jalr", {.op = Op::Jalr}, kThree, false},
    Pseudo{"csrr", {.op = Op::Csrrs}, kRdCsr, true},
    Pseudo{"csrw", {.op = Op::Csrrw}, kCsrRs1, true},
    Pseudo{"csrs", {.op = Op::Csrrs}, kCsrRs1, true},
    Pseudo{"csrc", {.op = Op::Csrrc}, kCsrRs1, true},
    Pseudo{"csrwi", {.op = Op::Csrrwi}, kCsrImm, true},
    Pseudo{"csrsi", {.op = Op::Csrrsi}, kCsrImm, true},
    Pseudo{"csrci", {.op = Op::Csrrci}, kCsrImm, true},
    Pseudo{"fence.tso", {.op = Op::Fence, .imm = kFenceTso}, kNone, true},
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
