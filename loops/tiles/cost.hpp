// Estimated times on one thread of the emulator, to choose between ways of computing the same.
#pragma once

#include <cstdint>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

inline constexpr double kNsOfInstruction = 3.4;  // by a data-movement hart
inline constexpr double kNsOfLaunch = 300'000;   // on many cores
/// Tiles are taken that take so much longer than scalar code: less than what a caller such as tinygrad needs for a launch
/// of any kind, and nothing beside the launches that take long. What runs where then does not depend on small sizes.
inline constexpr double kNsForTiles = 150'000;
/// The time of scalar code, its launch included. `bound`: without variables, but for that of a part (gather.hpp).
double scalar_nanoseconds(const Program& bound);

}  // namespace kerr::loops::tiles
