// The arithmetic of loop programs on scalars, one operation at a time: the definition, and what code that is made for
// harts is tested against. Numbers are bits as memory holds them, in the low bits of a word whose upper bits are zero.
//                                                                          docs/reference/loop-programs.md "Arithmetic"
#pragma once

#include <cstdint>
#include <span>

#include "loops/program.hpp"

namespace kerr::loops {

/// `verb`: arithmetic. `type`: of the line (of comparisons: of their operands). `inputs`: as many as
/// operation(verb).operands; the count of a shift is zero-extended from its own type.
uint64_t compute(Verb verb, Type type, std::span<const uint64_t> inputs);
/// `bits` of type `from` as the nearest of type `to`.
uint64_t convert(Type to, Type from, uint64_t bits);

/// The three functions in float32, each one fixed sequence of float32 additions, multiplications and integer
/// operations, so that every machine gives the same bits. At most 1.5 ulp from the true value.
uint32_t exp2_f32(uint32_t bits);
uint32_t log2_f32(uint32_t bits);
uint32_t sin_f32(uint32_t bits);

}  // namespace kerr::loops
