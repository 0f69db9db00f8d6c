// Instructions in the form in which the fast loop runs them.
#pragma once

#include <array>
#include <cstdint>

#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// What the fast loop can do in one step: a place in fast_loop.cpp each.
enum class FastOp : uint8_t {
  // A row of semantics.def that writes a register other than x0, or stores; FLOAT: in the usual rounding mode.
#define ALU(op, value) op,
#define BRANCH(op, condition) Near##op, Far##op,  // Near: to the same line
#define LOAD(op, type) op,
#define STORE(op, type) op,
#include "emu/riscv/semantics.def"
  Nop,
  Auipc,
  NearJal,
  FarJal,
  NearJ,  // without link
  FarJ,
  Jalr,
  Jr,        // without link
  NextLine,  // behind the last instruction of a line: no instruction, no cycle
  Plain,     // everything else: left to the plain loop
};
inline constexpr int kFastOps = static_cast<int>(FastOp::Plain) + 1;

/// Two neighbours in one step: pairs.def.
enum class FastPair : uint8_t {
#define PAIR(first, second, rule) first##second##rule,
#define PAIR_BRANCH(first, second, rule) first##Near##second##rule, first##Far##second##rule,
#define PAIR_JUMP(first) first##NearJ, first##FarJ,
#include "emu/riscv/fast/pairs.def"
  None,
};
inline constexpr int kFastPairs = static_cast<int>(FastPair::None);

struct MicroOp {
  const void* handler;  // in Hart::fast_loop: of the pair that begins here, or of op
  /// Near: bytes from this MicroOp to the target's. Far and Auipc: what to add to the line's address. FLOAT: rs3.
  /// Otherwise the operand.
  int32_t imm;
  uint8_t rd, rs1;  // isa::riscv::RegisterNumbers, as are rs2 and rs3
  uint8_t rs2;     // Jal, Jalr: what to add to the line's address for the link
  FastOp op;
};
static_assert(sizeof(MicroOp) == 16);

inline constexpr int kLineInstructions = 16;
using LineInstructions = std::array<isa::riscv::Instruction, kLineInstructions>;
using LineMicroOps = std::array<MicroOp, kLineInstructions + 1>;  // the last is NextLine

/// Whom the harts that run a line have to tell of something: such instructions are left to the plain loop.
struct Listeners {
  bool prints = false;    // of words of prints (isa/hints.hpp)
  bool observed = false;  // of what Observer::retired() is told of in any case
};

void translate(const LineInstructions& line, LineMicroOps& out, Listeners listeners = {});

/// The place of each FastOp and FastPair.
struct FastHandlers {
  std::array<const void*, kFastOps> op;
  std::array<const void*, kFastPairs> pair;
};
const FastHandlers& fast_handlers(bool observed);

}  // namespace kerr::emu
