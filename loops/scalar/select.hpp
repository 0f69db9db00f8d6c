// The steps of each operation on each type. Registers hold integers of up to 32 bits extended as their type says, bool
// as 0 or 1, float16 and bfloat16 as their bits, float32 in the float file, 64 bits in two integer registers.
#pragma once

#include <span>

#include "loops/program.hpp"
#include "loops/scalar/builder.hpp"

namespace kerr::loops::scalar {

constexpr bool is_wide(Type type) { return info(type).bytes == 8; }
constexpr bool in_float_file(Type type) { return type == Type::F32; }

/// `count_type`: of a shift's count, else that of the operands.
Scalar compute(Builder& b, Verb verb, Type type, std::span<const Scalar> inputs, Type count_type);
Scalar convert(Builder& b, Type to, Type from, Scalar value);
/// Types of the same size.
Scalar bitcast(Builder& b, Type to, Type from, Scalar value);
/// A number as memory holds it.
Scalar number(Builder& b, Type type, uint64_t bits);

}  // namespace kerr::loops::scalar
