// Estimated times on one thread of the emulator, to choose between ways of computing the same.
#pragma once

#include <cstdint>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

inline constexpr double kNsOfInstruction = 3.4;  // by a data-movement hart
inline constexpr double kNsOfLaunch = 300'000;   // on many cores
/// The time of scalar code, its launch included. `bound`: without variables, but for that of a part (gather.hpp).
double scalar_nanoseconds(const Program& bound);

}  // namespace kerr::loops::tiles
