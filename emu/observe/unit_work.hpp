// What a unit of the coprocessor did for an instruction, and when.   docs/architecture.md "Observing"
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/cycle.hpp"

namespace kerr::emu {

/// Units as isa::tensix::Unit numbers them, where Unpack is unpacker 0; and unpacker 1.
inline constexpr size_t kUnits = 13;
inline constexpr size_t kUnpacker1 = 12;

/// What came last of what an instruction needed to start.
enum class Lacked : uint8_t { Nothing, Gate, Unit, SrcA, SrcB, Dst, LReg };

struct UnitWork {
  uint8_t unit = 0;
  Lacked lacked = Lacked::Nothing;
  Cycle came = 0;   // to the wait gate
  Cycle start = 0;  // when it could start
  Cycle until = 0;  // when its unit takes the next one
};

}  // namespace kerr::emu
