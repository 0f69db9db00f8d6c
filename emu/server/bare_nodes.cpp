#include "emu/server/bare_nodes.hpp"

#include "emu/noc/id_registers.hpp"

namespace kerr::emu {

bool BareNodes::read(const ServerAccess& access, std::span<uint8_t> out) {
  return read_id_register(access, out) || nothing_here(access, "read", out.size());
}

bool BareNodes::write(const ServerAccess& access, std::span<const uint8_t> bytes) {
  return nothing_here(access, "write", bytes.size());
}

bool BareNodes::nothing_here(const ServerAccess& access, const char* verb, size_t bytes) {
  const arch::NocCoord raw = NocGeometry::raw_of(access.target.node);
  if (!is_enabled(geometry_.harvesting(), raw)) {
    return refuse(access, FaultCategory::UndefinedBehavior, verb, bytes,
                  "the tile is harvested: its clock is off and it never answers",
                  "Use translated coordinates, which name working tiles first.");
  }
  const arch::TileClass kind = arch::tile_class(raw);
  if (kind == arch::TileClass::Router) {
    return refuse(access, FaultCategory::UndefinedBehavior, verb, bytes, "nothing but a router stands there");
  }
  return refuse(access, FaultCategory::Unsupported, verb, bytes,
                "of this tile only the NIU's identification registers are modelled");
}

}  // namespace kerr::emu
