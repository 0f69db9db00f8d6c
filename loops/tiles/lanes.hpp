// Arithmetic of loop programs on the vector unit, in each of its 32 lanes: the same bits as loops/arithmetic.hpp for
// every operand, NaN, infinities, denormals and zeros of both signs among them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/vector/code.hpp"
#include "loops/program.hpp"

namespace kerr::loops::tiles {

using kernels::vector::Code;
using kernels::vector::Value;

/// How a number of the type is in a lane: f32, i32 and u32 their bits; bool 0 or 1; bf16 as the f32 that it is. Other
/// types have no lanes.
bool has_lanes(Type type);
Value lane_constant(Code& code, Type type, uint64_t bits);

/// How exp2, log2 and sin, and how quotients are computed: to the bit, or if quick at most one unit in the last place
/// off. `beyond` collects values that are negative in lanes where a quick result means nothing.
struct Functions {
  bool quick = false, quick_quotients = false;
  std::vector<Value> beyond;
};

/// compute() of loops/arithmetic.hpp. Nothing where the vector unit cannot do it, or only slower than a hart: exact
/// log2 and sin, quotients of u32.
std::optional<Value> lane_compute(Code& code, Verb verb, Type type, std::span<const Value> inputs,
                                  Functions& functions);
/// convert(). Nothing from floats to u32.
std::optional<Value> lane_cast(Code& code, Type to, Type from, Value x);

/// The two numbers of 16 bits in a word of a flat buffer as lanes, and the word that they become.
Value lane_of_half(Code& code, Value word, bool upper);
Value halves_joined(Code& code, Value lower, Value upper);

}  // namespace kerr::loops::tiles
