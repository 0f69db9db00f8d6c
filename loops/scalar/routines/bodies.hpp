// The code of each routine, and pieces of code that several have.
#pragma once

#include "isa/assembler.hpp"
#include "loops/scalar/routines.hpp"

namespace kerr::loops::scalar {

/// Emits the code behind the routine's label.
template <Routine routine>
void body(isa::Assembler& a, Routines& routines);
#define ROUTINE(routine) \
  template <>            \
  void body<Routine::routine>(isa::Assembler & a, Routines & routines);
#define ARITHMETIC(routine, verb, type) ROUTINE(routine)
#define CONVERSION(routine, to, from) ROUTINE(routine)
#define INTERNAL(routine) ROUTINE(routine)
#include "loops/scalar/routines.def"
#undef ROUTINE

// DivideWide: t0 = t0:t1 / t2 and t1 = the remainder; t0 < t2, the highest bit of t2 set. Called by jal(t6, ...);
// changes t3, t4, t5 and a5 as well.
//
// RoundF64: the float64 of a1:a0, whose highest bit is set and whose lowest also stands for all below it, times
// 2^(t0 - 1023 - 63), with t6 as sign bit. Jumped to: it returns to ra.

/// Two registers that hold a number of 64 bits.
struct Pair {
  isa::Reg low, high;
};

/// Returns `value` in a0 from `at`.
void answer(isa::Assembler& a, isa::Label at, uint32_t value);

/// Shifts by `count`, at most 31. `complement` becomes ~count.
void shift_left(isa::Assembler& a, Pair value, isa::Reg count, isa::Reg complement, isa::Reg scratch);
/// Shifts right by `count`, any number; what falls off is OR-ed into the lowest bit.
void shift_right_sticky(isa::Assembler& a, Pair value, isa::Reg count, isa::Reg scratch, isa::Reg scratch2);
/// Shifts left until the highest bit is set; `zeros` is by how much. The number is not zero.
void normalize(isa::Assembler& a, Pair value, isa::Reg zeros, isa::Reg scratch, isa::Reg scratch2);
void negate(isa::Assembler& a, Pair value, isa::Reg scratch);
/// Complements and adds one if `mask` is all ones, nothing if it is zero.
void negate_if(isa::Assembler& a, Pair value, isa::Reg mask, isa::Reg scratch);

/// The float32 of `word`, whose highest bit is set and whose lowest also stands for all below it, to the nearest, of
/// two the even one. Its exponent field, 1 to 254, is given less one; its sign is zero. Changes `word`.
void round_f32(isa::Assembler& a, isa::Reg result, isa::Reg word, isa::Reg exponent_less_one, isa::Reg scratch);

/// An approximation of 2^30 / sqrt(m) for m = `m` * 2^-32 from 1/4 to 1, at most 2^31. `steps` of Newton's method:
/// relative error 2^-26 after two, 2^-29 after three.
void reciprocal_root(isa::Assembler& a, isa::Reg result, isa::Reg m, unsigned steps, isa::Reg scratch,
                     isa::Reg scratch2);

}  // namespace kerr::loops::scalar
