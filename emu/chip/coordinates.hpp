// Coordinates as the host writes them.   docs/hardware/host-pcie.md 6.6
#pragma once

#include <cstdint>
#include <optional>

#include "emu/agent.hpp"
#include "emu/noc/geometry.hpp"

namespace kerr::emu {

/// Translated, in the own numbering of the NoC; nothing if the pair can name no tile. Tables have 32 entries:
/// coordinates have six bits, and what silicon makes of the upper half is not known (docs/hardware/noc.md 11).
inline std::optional<arch::NocCoord> own_coordinate(const NocGeometry& geometry, int noc, uint32_t x, uint32_t y) {
  if (x > 31 || y > 31) return std::nullopt;
  const arch::NocCoord own = geometry.translation(noc).translate({static_cast<uint8_t>(x), static_cast<uint8_t>(y)});
  if (!own.on_grid()) return std::nullopt;
  return own;
}

inline std::optional<TileId> tile_at(const NocGeometry& geometry, int chip, int noc, uint32_t x, uint32_t y) {
  const auto own = own_coordinate(geometry, noc, x, y);
  if (!own) return std::nullopt;
  const arch::NocCoord raw = arch::noc_to_raw(noc, *own);
  return TileId::at(chip, raw.x, raw.y);
}

}  // namespace kerr::emu
