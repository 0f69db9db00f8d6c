#include "isa/riscv/syntax.hpp"

#include <array>

namespace kerr::isa::riscv {
namespace {

using enum Operand;

constexpr std::array kRegister{Rd, Rs1, Rs2};
constexpr std::array kUnary{Rd, Rs1};
constexpr std::array kImmediate{Rd, Rs1, Imm};
constexpr std::array kLoad{Rd, Offset};
constexpr std::array kStore{Rs2, Offset};
constexpr std::array kBranch{Rs1, Rs2, Target};
constexpr std::array kJump{Rd, Target};
constexpr std::array kUpper{Rd, UpperImm};
constexpr std::array kCsr{Rd, Csr, Rs1};
constexpr std::array kCsrImmediate{Rd, Csr, Imm};
constexpr std::array kAmo{Rd, Rs2, Address};
constexpr std::array kFence{OptionalFence};
constexpr std::array kFLoad{Fd, Offset};
constexpr std::array kFStore{Fs2, Offset};
constexpr std::array kFRegister{Fd, Fs1, Fs2};
constexpr std::array kFRounded{Fd, Fs1, Fs2, OptionalRm};
constexpr std::array kFFused{Fd, Fs1, Fs2, Fs3, OptionalRm};
constexpr std::array kFCompare{Rd, Fs1, Fs2};
constexpr std::array kFToInteger{Rd, Fs1, OptionalRm};
constexpr std::array kFFromInteger{Fd, Rs1, OptionalRm};
constexpr std::array kFMoveOut{Rd, Fs1};
constexpr std::array kFMoveIn{Fd, Rs1};
constexpr std::array kTensix{TensixWord};

std::string_view describe(Operand operand) {
  switch (operand) {
    case Rd: return "rd";
    case Rs1: return "rs1";
    case Rs2: return "rs2";
    case Fd: return "fd";
    case Fs1: return "fs1";
    case Fs2: return "fs2";
    case Fs3: return "fs3";
    case Imm: return "imm";
    case UpperImm: return "imm";
    case Target: return "label";
    case Csr: return "csr";
    case Offset: return "imm(rs1)";
    case Address: return "(rs1)";
    case OptionalRm: return "[rounding mode]";
    case OptionalFence: return "[pred, succ]";
    case TensixWord: return "a Tensix word or instruction";
  }
  return "";
}

}  // namespace

std::span<const Operand> syntax(Format format) {
  switch (format) {
    case Format::Register: return kRegister;
    case Format::Unary: return kUnary;
    case Format::Immediate:
    case Format::Shift: return kImmediate;
    case Format::Load: return kLoad;
    case Format::Store: return kStore;
    case Format::Branch: return kBranch;
    case Format::Jump: return kJump;
    case Format::Upper: return kUpper;
    case Format::Csr: return kCsr;
    case Format::CsrImmediate: return kCsrImmediate;
    case Format::Amo: return kAmo;
    case Format::Fence: return kFence;
    case Format::FLoad: return kFLoad;
    case Format::FStore: return kFStore;
    case Format::FRegister: return kFRegister;
    case Format::FRounded: return kFRounded;
    case Format::FFused: return kFFused;
    case Format::FCompare: return kFCompare;
    case Format::FToInteger: return kFToInteger;
    case Format::FFromInteger: return kFFromInteger;
    case Format::FMoveOut: return kFMoveOut;
    case Format::FMoveIn: return kFMoveIn;
    case Format::Tensix: return kTensix;
    case Format::None:
    case Format::Plain: return {};
  }
  return {};
}

std::string describe(std::span<const Operand> operands) {
  std::string text;
  for (const Operand operand : operands) {
    if (!text.empty()) text += ", ";
    text += describe(operand);
  }
  return text.empty() ? "no operands" : text;
}

}  // namespace kerr::isa::riscv
