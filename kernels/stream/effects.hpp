// What the checks of a program count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

/// How often something is given and taken (pushed and popped, posted and got), and by which kernels.
struct EffectSum {
  uint64_t gives = 0, takes = 0;
  std::string givers, takers;

  void add(bool gives_it, uint64_t count, const std::string& who);
  bool even() const { return gives == takes; }
};

/// The tiles of a coordinate, or of a rectangle with either corner first (kernels/blocks/multicast.hpp).
std::vector<arch::NocCoord> tiles_of(uint32_t packed);

}  // namespace kerr::kernels
