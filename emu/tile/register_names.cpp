#include "emu/tile/register_names.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/noc/niu.hpp"
#include "emu/tile/stream_registers.hpp"

namespace kerr::emu {

std::string register_name(uint32_t address, uint8_t seen_by) {
  if (const arch::TileRegister* row = arch::find_tile_register(address))
    return fmt::format("{} ({:#010x})", row->name, address);
  if (address >= arch::kNiuBase && address < arch::kOverlayBase) {
    const int noc = address >= arch::niu_base(1);
    const std::string name = niu_register_name(address - arch::niu_base(noc));
    if (!name.empty()) return fmt::format("NIU {} {} ({:#010x})", noc, name, address);
  }
  if (address >= arch::kOverlayBase && address < arch::kMopConfigBase)
    return StreamRegisters::name(address - arch::kOverlayBase);
  for (const arch::Region& region : arch::kTensixRegions) {
    if ((region.accessors & seen_by) && address - region.base < region.bytes) {
      return fmt::format("{:#010x} ({})", address, region.name);
    }
  }
  return fmt::format("{:#010x}", address);
}

std::string nearest_region(uint32_t address) {
  const auto distance = [address](const arch::Region& region) {
    const uint32_t last = region.base + region.bytes - 1;
    return address < region.base ? region.base - address : address > last ? address - last : 0;
  };
  const arch::Region* nearest = nullptr;
  for (const arch::Region& region : arch::kTensixRegions) {
    if (!nearest || distance(region) < distance(*nearest)) nearest = &region;
  }
  return fmt::format("nearest known window: {} ({:#010x} to {:#010x})", nearest->name, nearest->base,
                     nearest->base + nearest->bytes - 1);
}

std::string nearest_register(uint32_t address) {
  const arch::TileRegister* nearest = nullptr;
  const auto distance = [address](const arch::TileRegister& row) {
    return std::abs(static_cast<int64_t>(row.address) - static_cast<int64_t>(address));
  };
  for (const arch::TileRegister& row : arch::kTileRegisters) {
    if (!nearest || distance(row) < distance(*nearest)) nearest = &row;
  }
  return fmt::format("nearest known register: {} ({:#010x})", nearest->name, nearest->address);
}

}  // namespace kerr::emu
