// Instructions of a hart whose registers are not chosen yet.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/riscv/instructions.hpp"
#include "loops/scalar/routines.hpp"

namespace kerr::loops::scalar {

/// A register: 0 to 31 are the integer registers, then the 32 float registers; from kFirstVirtual on they are still to
/// be chosen.
using RegId = uint32_t;
inline constexpr RegId kFirstVirtual = 64;
inline constexpr RegId float_reg(uint32_t number) { return 32 + number; }

// What code for loop programs uses registers for, all the time.
inline constexpr RegId kZero = 0, kRa = 1, kSp = 2;
inline constexpr RegId kWork = 3;                  // gp: working memory in L1
inline constexpr RegId kFrame = 8;                 // s0: the middle of the slots in local RAM
inline constexpr RegId kT0 = 5, kT1 = 6, kT2 = 7;  // between steps nothing is in them, nor in ft0 and ft1
inline constexpr RegId kSpill0 = 30,
                       kSpill1 = 31;  // t5, t6: operands that lie in slots; routines of memory change them, too

struct Step {
  enum class Kind : uint8_t {
    Instruction,  // op rd, rs1, rs2, imm
    Branch,       // op rs1, rs2 to label
    Jump,         // to label
    Constant,     // rd = imm, of either file
    Bind,         // label
    Call,         // of calls[label]
    MemoryCall,   // of the routine of memory.hpp with the number `label`: operands and results in t0, t1, t2
    LoopBegin,
    LoopEnd,  // what is made before and used inside lives until the end
    Define,   // rd has a value from here on, whichever
    ColdBegin,
    ColdEnd,  // what stands between is seldom executed, and placed behind everything
  };
  Kind kind = Kind::Instruction;
  isa::riscv::Op op = isa::riscv::Op::Illegal;
  RegId rd = kZero, rs1 = kZero, rs2 = kZero;
  int32_t imm = 0;
  uint32_t label = 0;
  uint32_t line = 0;  // of the program
};

struct RoutineCall {
  Routine routine;
  uint8_t operand_count = 0, result_count = 0;
  std::array<RegId, 4> operands{};  // in a0 and up
  std::array<RegId, 2> results{};
};

struct Machine {
  std::vector<Step> steps;
  std::vector<RoutineCall> calls;
  std::vector<bool> is_float;  // of each virtual register
  uint32_t labels = 0;

  RegId make(bool float_file) {
    is_float.push_back(float_file);
    return kFirstVirtual + static_cast<RegId>(is_float.size() - 1);
  }
  bool in_float_file(RegId reg) const { return reg >= kFirstVirtual ? is_float[reg - kFirstVirtual] : reg >= 32; }
};

}  // namespace kerr::loops::scalar
