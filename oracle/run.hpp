// Starting programs on the harts of a tile and waiting for them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "oracle/device.hpp"
#include "oracle/program.hpp"

namespace kerr::oracle {

/// Where run_harts() puts things in L1; a test keeps its data away from 0x0AF000..0x0FFFFF.
constexpr uint32_t code_address(Hart hart) { return 0xB0000 + 0x10000 * place_of(hart); }
constexpr uint32_t done_address(Hart hart) { return 0xAF000 + 4 * place_of(hart); }

/// Loads the programs, starts their harts and those of `entries` (code that is in L1 already, at that address), and
/// clocks until each has stored 1 to its done word or `limit` cycles have passed. Then puts the harts into reset.
/// Returns the harts that had not finished, like "T0 T2 ".
std::string run_harts(Chip& device, TileXy tile, const std::map<Hart, Program>& programs,
                      const std::map<Hart, uint32_t>& entries, uint32_t limit);

/// CRC-32 as in zlib.
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace kerr::oracle
