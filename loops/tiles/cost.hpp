// Estimated times on one thread of the emulator, to choose between ways of computing the same.
#pragma once

#include <cstdint>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

inline constexpr double kNsOfInstruction = 3.4;  // by a data-movement hart
inline constexpr double kNsOfLaunch = 300'000;   // on many cores
/// Tiles are taken where they take up to this much longer than scalar code: it is less than a caller such as tinygrad
/// needs for any launch. Which path a program takes then does not change with the size while it is small.
inline constexpr double kNsForTiles = 150'000;
/// The time of scalar code, its launch included. `bound`: without variables, but for that of a part (gather.hpp).
double scalar_nanoseconds(const Program& bound);

}  // namespace kerr::loops::tiles
