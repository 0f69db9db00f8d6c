#include "oracle/local_tile.hpp"

#include <stdexcept>

#include "arch/boards.hpp"

namespace kerr::oracle {
namespace {

constexpr emu::Cycle kQuantum = 64;

emu::TileId first_tile(const emu::NocGeometry& geometry) {
  const arch::NocCoord raw = arch::raw_of(geometry.translation(0), 0, {1, 2});
  return emu::TileId::at(0, raw.x, raw.y);
}

}  // namespace

LocalTile::LocalTile() : geometry_(arch::kP100a.harvesting), tile_(first_tile(geometry_), geometry_) {}

void LocalTile::check() {
  if (tile_.faults().any()) throw std::runtime_error(tile_.faults().take().front().text());
}

void LocalTile::write(TileXy, uint64_t address, std::span<const uint8_t> bytes) {
  tile_.host_write(address, bytes);
  check();
}

std::vector<uint8_t> LocalTile::read(TileXy, uint64_t address, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  tile_.host_read(address, out);
  check();
  return out;
}

void LocalTile::clock(uint32_t cycles) {
  tile_.run(tile_.time() + (cycles + kQuantum - 1) / kQuantum * kQuantum);
  check();
}

}  // namespace kerr::oracle
