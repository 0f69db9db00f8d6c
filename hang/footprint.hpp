// What a kernel can bring to others, by its code: registers that it stores to, Tensix instructions that it pushes, and
// what its compiler has noted.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "image/image.hpp"

namespace kerr::hang {

/// Found by following constants straight through the code. What is computed at run time is not seen: an empty set does
/// not mean that the kernel does nothing of the kind.
struct Footprint {
  explicit Footprint(const image::Image& image);

  std::set<uint32_t> stores;      // addresses of registers, by stores and STOREREG
  std::set<uint32_t> buffers;     // circular buffers that the compiler has noted
  std::set<uint32_t> semaphores;  // semaphores of the program that it has noted
  uint8_t posts = 0, gets = 0;    // hardware semaphores, a bit each
  bool sends_atomics = false;     // stores into the NIU's command buffers
  bool pushes = false;            // any Tensix word

 private:
  void push(uint32_t word);
};

}  // namespace kerr::hang
