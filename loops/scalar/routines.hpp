// What a hart has no instructions for, as RV32 functions that compiled loop programs call. Each gives the bits that
// compute() and convert() of loops/arithmetic.hpp give.
//
//   Routines routines(a);
//   a.call(routines.of(Routine::DivF32));   // a0 = a0 / a1
//   ...
//   routines.emit();                        // those that were asked for, behind the program
//
// Calling convention. Operands and results are integer registers. A value of up to 32 bits is one: float32 as its
// bits, what is narrower in the low bits (float16 and bfloat16 with zeros above). A value of 64 bits is two, its low
// word in the lower one. The first operand begins at a0 and the others follow; the result begins at a0. A routine may
// change a0-a7, t0-t6 and ft0-ft7, and nothing else; it returns to ra and uses no stack. It runs on what BRISC and
// NCRISC have: RV32IM, Zba, Zbb and the F subset.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/assembler.hpp"
#include "loops/program.hpp"
#include "loops/types.hpp"

namespace kerr::loops::scalar {

enum class Routine : uint8_t {
#define ARITHMETIC(routine, verb, type) routine,
#define CONVERSION(routine, to, from) routine,
#define INTERNAL(routine) routine,
#include "loops/scalar/routines.def"
};
inline constexpr size_t kRoutines = static_cast<size_t>(Routine::RoundF64) + 1;

/// "DivF32".
std::string_view name(Routine routine);
/// Nothing: a hart does it with a few instructions, or it goes through another type.
std::optional<Routine> arithmetic_routine(Verb verb, Type type);
std::optional<Routine> conversion_routine(Type to, Type from);

class Routines {
 public:
  /// Code that calls the routines goes through this assembler, which must live as long as they.
  explicit Routines(isa::Assembler& assembler) : assembler_(assembler) {}

  /// To call. Asks for the routine.
  isa::Label of(Routine routine);
  /// Each routine that has been asked for and not emitted yet, and those that it calls, as functions named
  /// "loops.DivF32". Execution must not run into them. Aligned to 4 bytes; tables are among the code.
  void emit();

 private:
  isa::Assembler& assembler_;
  std::array<isa::Label, kRoutines> labels_;  // id ~0u: nobody has asked
  std::vector<Routine> pending_;
};

}  // namespace kerr::loops::scalar
