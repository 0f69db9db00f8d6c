// What base firmware passed to the kernel.
#pragma once

#include "device/hart.hpp"

namespace kerr::device {

struct Entry {
  uint32_t arguments;         // L1 address of the core's own runtime arguments
  uint32_t common_arguments;  // L1 address of those that all cores share
  uint32_t semaphores;        // L1 address of semaphore 0; the others follow at multiples of 16
  uint32_t circular_buffers;  // local address of the interface of buffer 0; 0 on TRISC1
  uint32_t noc;
  uint32_t xy;  // of this tile: y << 6 | x, translated
};

}  // namespace kerr::device

// start.S fills it.
extern "C" const kerr::device::Entry kerr_entry;
