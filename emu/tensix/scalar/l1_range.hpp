#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "emu/tensix/issue.hpp"

namespace kerr::emu::tensix {

inline Issue beyond_l1(uint64_t address, unsigned bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("{} bytes at L1 address {:#x} lie beyond its end", bytes, address),
                      "L1 ends at 0x180000; address registers count units of 16 bytes.", address);
}

}  // namespace kerr::emu::tensix
