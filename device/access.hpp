// Loads, stores and fences of a hart.
#pragma once

#include "device/hart.hpp"

namespace kerr::device {

template <class T = uint32_t>
FORCE_INLINE T load(uint32_t address) {
  return *reinterpret_cast<volatile T*>(address);
}
template <class T = uint32_t>
FORCE_INLINE void store(uint32_t address, T value) {
  *reinterpret_cast<volatile T*>(address) = value;
}

// Drops what the hart's L0 data cache holds. Every loop that polls L1 has one.
// docs/hardware/tile.md 1.7, 1.8
FORCE_INLINE void fence() { asm volatile("fence" ::: "memory"); }

}  // namespace kerr::device

FORCE_INLINE void invalidate_l1_cache() { kerr::device::fence(); }
