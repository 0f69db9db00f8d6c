// How far element-wise results may be from the definition's.     docs/reference/loop-programs.md "Path tiles"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "loops/program.hpp"
#include "loops/types.hpp"

namespace kerr::loops::tiles {

/// Units in the last place of a result.
inline constexpr double kMostUlps = 4;

/// If exp2, log2 and sin, and with `quotients` these, too, are at most one unit off: a bound, in units of its own, for
/// each value of the program that these lines make.
/// Nothing if one is unbounded: a difference of such values, what is decided by comparing them, and what is multiplied
/// with or divided by a value that may have become 0 or infinite.
std::optional<std::vector<double>> bounds_with_quick_functions(const Program& program, const std::vector<bool>& lines,
                                                               bool quotients);

/// Functions that have a quick form.
bool has_quick_form(Verb verb);

/// Between two numbers of f32 or bf16; denormals are zeros, whose neighbours are the smallest normal numbers. Infinite
/// between NaN and others.
double ulps_between(Type type, uint32_t a, uint32_t b);

/// Takes over from `made` the elements that are at most kMostUlps from `right`.
void take_over(Type type, std::span<const std::byte> made, std::span<std::byte> right);

}  // namespace kerr::loops::tiles
