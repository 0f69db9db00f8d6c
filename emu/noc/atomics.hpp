// The atomic operations of the NoC on one 16-byte line of L1.   docs/hardware/noc.md 4
#pragma once

#include <cstdint>
#include <span>

namespace kerr::emu {

/// False for opcodes that no primary source defines (increment-pointer, tile map, AMO transport, accumulate).
bool atomic_is_modelled(uint32_t fields);

/// The bytes of a line that an operation reads and writes: from the first to the last one, and what lies between.
struct AtomicBytes {
  uint32_t first = 0, count = 0;
};
/// Those of NOC_AT_LEN_BE `fields`. atomic_is_modelled(fields) holds.
AtomicBytes bytes_of_atomic(uint32_t fields);

/// Applies NOC_AT_LEN_BE `fields` with operand `data` to the line that holds the target. atomic_is_modelled(fields)
/// holds.
void apply_atomic(std::span<uint8_t, 16> line, uint32_t fields, uint32_t data);

}  // namespace kerr::emu
