#include "emu/noc/geometry.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace kerr::emu {

bool is_enabled(const arch::Harvesting& h, arch::NocCoord raw) {
  switch (arch::tile_class(raw)) {
    case arch::TileClass::Tensix: return arch::tensix_column_good(h, raw.x);
    case arch::TileClass::Dram: return (h.dram_banks >> arch::dram_port(raw).bank) & 1;
    case arch::TileClass::Ethernet: return (h.ethernet >> arch::ethernet_index(raw)) & 1;
    default: return true;
  }
}

namespace {

bool is_present(const arch::Harvesting& h, arch::NocCoord raw) {
  switch (arch::tile_class(raw)) {
    case arch::TileClass::Tensix:
    case arch::TileClass::Dram:
    case arch::TileClass::Ethernet:
    case arch::TileClass::Arc: return is_enabled(h, raw);
    case arch::TileClass::Pcie: return raw == arch::kPcieTiles[h.pcie_instance];
    default: return false;  // L2CPU, security: not modelled; routers have nothing to serve
  }
}

}  // namespace

NocGeometry::NocGeometry(const arch::Harvesting& harvesting) : harvesting_(harvesting) {
  if (!arch::is_valid(harvesting)) {
    throw std::invalid_argument("harvesting: at most 7 Tensix columns and one DRAM bank of a chip may be off");
  }
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    translation_[noc] = arch::translation_tables(harvesting, noc);
    broadcast_[noc] = arch::broadcast_masks(harvesting, noc);
  }
  for (int node = 0; node < arch::kGridTiles; ++node) {
    const arch::NocCoord raw = raw_of(static_cast<uint8_t>(node));
    class_[node] = arch::tile_class(raw);
    present_[node] = is_present(harvesting, raw);
    if (present_[node] && class_[node] == arch::TileClass::Tensix) tensix_.push_back(static_cast<uint8_t>(node));
  }
}

std::string NocGeometry::describe(TileId tile) const {
  const arch::NocCoord raw{static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())};
  if (!raw.on_grid()) return fmt::format("no tile at raw ({},{})", raw.x, raw.y);
  const arch::NocCoord logical = arch::logical_id(harvesting_, raw);
  const char* off = present_[tile.node] ? "" : class_[tile.node] == arch::TileClass::Tensix ? "harvested " : "absent ";
  return fmt::format("{}{} tile ({},{}), raw ({},{})", off, arch::name_of(class_[tile.node]), logical.x, logical.y,
                     raw.x, raw.y);
}

}  // namespace kerr::emu
