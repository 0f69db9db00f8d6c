// Loads of harts, apart from what else an observer is told at their instructions.
#pragma once

#include <cstdint>

namespace kerr::check {

/// Whether a hart's instruction loads. Else an NIU reads the source of a packet while the hart is at its store into
/// CMD_CTRL.
constexpr bool is_load(uint32_t word) {
  const uint32_t opcode = word & 0x7F;
  return opcode == 0x03 || opcode == 0x07;  // into an integer register, or a float one
}

}  // namespace kerr::check
