// How a program's pages or tiles are dealt to its cores.
#pragma once

#include <cstdint>

namespace kerr::kernels {

/// Calls body(core, first, count): one run after the other, equally long but for the first ones, which have one more.
template <class Body>
void for_each_share(uint32_t all, uint32_t cores, Body&& body) {
  uint32_t first = 0;
  for (uint32_t core = 0; core < cores; ++core) {
    const uint32_t count = all / cores + (core < all % cores);
    body(core, first, count);
    first += count;
  }
}

}  // namespace kerr::kernels
