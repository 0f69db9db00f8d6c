// What a launch is given, whatever path it takes.
#pragma once

#include <cstdint>
#include <span>

#include "loops/executable.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

/// Whether they have bytes in common.
bool overlap(const View& a, const View& b);

/// Throws RunError if views or numbers are not those that the program wants: as many, large enough, inside their
/// buffers, within the bounds of their variables.
void check_views(const Program& program, std::span<const View> views, std::span<const int64_t> numbers);

}  // namespace kerr::loops
