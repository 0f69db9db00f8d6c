// Where this core is in the grid of workers, which counts from 0 and leaves out columns that are harvested.
#pragma once

#include "device/access.hpp"
#include "device/entry.hpp"

namespace kerr::device {

// x, y, then both relative to the sub-device. On NCRISC behind the circular buffers, which are behind the bank tables.
FORCE_INLINE uint32_t logical_position() {
  return kHart == arch::Hart::Ncrisc ? kerr_entry.circular_buffers + arch::kCbInterfaceBytes : kAbi.my_logical;
}

}  // namespace kerr::device

FORCE_INLINE uint8_t get_absolute_logical_x() { return kerr::device::load<uint8_t>(kerr::device::logical_position()); }
FORCE_INLINE uint8_t get_absolute_logical_y() {
  return kerr::device::load<uint8_t>(kerr::device::logical_position() + 1);
}
FORCE_INLINE uint8_t get_relative_logical_x() {
  return kerr::device::load<uint8_t>(kerr::device::logical_position() + 2);
}
FORCE_INLINE uint8_t get_relative_logical_y() {
  return kerr::device::load<uint8_t>(kerr::device::logical_position() + 3);
}
