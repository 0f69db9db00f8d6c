// How pages go through a circular buffer while a kernel runs.
#pragma once

#include <cstdint>

namespace kerr::kernels {

enum class Flow : uint8_t {
  Around,    // any number of pages
  Straight,  // no more pages than the buffer has: there is always room, and no pointer wraps
  Once,      // all pages are pushed once and popped once; no counter is kept
};

}  // namespace kerr::kernels
