// How far apart in memory the loads of values are from one iteration to another.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

/// Lines of loops, the outermost first, whose iterations have one number together.
using Axes = std::array<std::vector<uint32_t>, 3>;

/// The median, over some iterations, of the bytes that the addresses of loads are apart when the number of `axis` is
/// larger by `step`; of several loads that the values depend on the largest. Loads whose gates are closed, and those
/// whose addresses depend on memory, do not count; 0 if there are no others.
uint64_t bytes_of_step(const Program& bound, const std::vector<Operand>& values, const Axes& axes, size_t axis,
                       uint64_t step);

}  // namespace kerr::loops::tiles
