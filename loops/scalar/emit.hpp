// Steps with registers chosen, as instructions.
#pragma once

#include <cstdint>
#include <string>

#include "isa/assembler.hpp"
#include "loops/scalar/allocate.hpp"
#include "loops/scalar/memory.hpp"
#include "loops/scalar/routines.hpp"

namespace kerr::loops::scalar {

/// Slots in local RAM; those beyond lie in the work area.
inline constexpr uint32_t kLocalSlots = 1024;

struct EmitOptions {
  std::string source;           // what lines are lines of
  uint32_t more_slots = 0;      // where in the work area the other slots lie
};

/// Steps that are seldom executed come behind all others.
void emit(isa::Assembler& assembler, const Machine& machine, const Allocation& allocation, Routines& routines,
          MemoryRoutines& memory, const EmitOptions& options);

}  // namespace kerr::loops::scalar
