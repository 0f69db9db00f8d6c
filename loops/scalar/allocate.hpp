// Registers for the virtual registers of a Machine, by linear scan.
#pragma once

#include <cstdint>
#include <vector>

#include "loops/scalar/machine.hpp"

namespace kerr::loops::scalar {

/// Where a virtual register lives.
struct Place {
  enum class Kind : uint8_t { Unused, Register, Slot, Constant };
  Kind kind = Kind::Unused;
  uint32_t number = 0;  // register 0 to 63; slot
  int32_t value = 0;    // Constant: made where it is used
};

struct Allocation {
  std::vector<Place> places;  // of the virtual registers in their order
  uint32_t slots = 0;         // words
  Place of(RegId reg) const {
    if (reg < kFirstVirtual) return {Place::Kind::Register, reg, 0};
    return places[reg - kFirstVirtual];
  }
};

/// Takes O(steps * registers of a hart). Removes steps whose results nobody uses before.
Allocation allocate(Machine& machine);

}  // namespace kerr::loops::scalar
