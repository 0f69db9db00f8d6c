// Puts a program on the harts of a tile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bench/hart/programs.hpp"

namespace kerr::bench {

/// Writes to the tile's L1 and registers, as a host does.
using TileWriter = std::function<void(uint64_t address, std::span<const uint8_t> bytes)>;

/// Each of the first `harts` harts gets its own copy of the program and leaves reset there.
void start_harts(const TileWriter& write, const Bytes& program, int harts);

}  // namespace kerr::bench
