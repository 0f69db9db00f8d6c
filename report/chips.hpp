// How many chips there may be in what is counted for each.
#pragma once

#include <cstddef>

namespace kerr::report {

inline constexpr size_t kMostChips = 32;  // of a machine: emu/options.cpp

}  // namespace kerr::report
