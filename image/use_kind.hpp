#pragma once

#include <stdint.h>

// Shared by the headers that kernels are compiled with and by those who read the kernels.

namespace kerr::image {

/// What a compiled kernel says of itself: pairs of words, kind and value, in its section .kerr.uses (device/uses.hpp).
enum class UseKind : uint32_t {
  StartUp,         // it has start-up code, which prepares .data and .bss
  Noc,             // the NoC that it was compiled for
  CircularBuffer,  // id
  Argument,        // number of a runtime argument
  CommonArgument,  // of a common one
  Semaphore,       // id
  TileBytes,       // id | bytes << 8: what it takes a page of a circular buffer for
  Hart,            // the arch::Hart that it was compiled for
};

}  // namespace kerr::image
