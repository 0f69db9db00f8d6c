// How pages go through a circular buffer while a kernel runs.
#pragma once

#include <cstdint>

namespace kerr::kernels {

enum class Flow : std::uint8_t {
  Around,    // any number of them
  Straight,  // no more than the buffer has: there always is room, and no end to look for
  Once,      // these all at a time, so nothing has to be remembered for the next time either
};

}  // namespace kerr::kernels
