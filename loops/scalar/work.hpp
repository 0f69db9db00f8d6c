// How many instructions a hart needs for lines of a program, estimated.
#pragma once

#include <cstdint>
#include <functional>

#include "loops/program.hpp"

namespace kerr::loops::scalar {

/// The instructions of a line that begins or ends no block.
double instructions_of(const Instruction& i);

/// The instructions of the lines from `from` to before `to`, whose blocks all begin and end there. `turns`: how often
/// the body of the loop that begins with a line runs.
double instructions_of(const Program& program, uint32_t from, uint32_t to,
                       const std::function<double(uint32_t line)>& turns);

}  // namespace kerr::loops::scalar
