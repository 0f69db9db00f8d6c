// How much L1 a tile has.   docs/hardware/tile.md 6, noc.md 9
#pragma once

#include <cstdint>

#include "arch/memory_map.hpp"
#include "emu/agent.hpp"
#include "emu/memory/l1.hpp"

namespace kerr::emu {

/// All that class L1 has; less in an Ethernet tile. Those are in row 1.
constexpr uint32_t l1_bytes(TileId tile) { return tile.y() == 1 ? arch::kEthernetL1Bytes : L1::kBytes; }

constexpr bool in_l1(TileId tile, uint64_t address, uint64_t bytes) {
  return address <= l1_bytes(tile) && bytes <= l1_bytes(tile) - address;
}

}  // namespace kerr::emu
