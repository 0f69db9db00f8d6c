#include "emu/chip/chip.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "emu/chip/coordinates.hpp"

namespace kerr::emu {

Chip::Chip(int chip_index, const Options& options, std::shared_ptr<DecodedLines> lines, HostMemory* host)
    : index(chip_index),
      board(options.boards[static_cast<size_t>(chip_index)]),
      geometry(board.harvesting),
      tiles(index, geometry, options, std::move(lines)),
      pcie(geometry, host, options.parameters),
      arc(geometry, board),
      bare(geometry),
      function(*this),
      observer_(options.observer) {
  for (int bank = 0; bank < arch::kDramBanks; ++bank) {
    dram[static_cast<size_t>(bank)] = std::make_unique<DramBank>(geometry, bank, options.parameters);
    servers_.push_back(dram[static_cast<size_t>(bank)].get());
  }
  for (Server* server : std::initializer_list<Server*>{&pcie, &arc, &bare}) servers_.push_back(server);
}

void Chip::attach(uint8_t node, std::unique_ptr<Server> server) {
  std::erase(servers_, attached_[node].get());
  servers_.push_back(server.get());
  attached_[node] = std::move(server);
}

Server& Chip::server_at(uint8_t node) {
  if (const auto attached = attached_.find(node); attached != attached_.end()) return *attached->second;
  const arch::NocCoord raw = NocGeometry::raw_of(node);
  switch (geometry.class_of(node)) {
    case arch::TileClass::Dram: return *dram[static_cast<size_t>(arch::dram_port(raw).bank)];
    case arch::TileClass::Arc: return arc;
    case arch::TileClass::Pcie:
      if (raw == arch::kPcieTiles[board.harvesting.pcie_instance]) return pcie;
      return bare;
    default: return bare;
  }
}

void Chip::set_time(Cycle cycle) {
  now = cycle;
  tiles.set_time(cycle);
}

std::optional<Fault> Chip::read_tile(int noc, TileId tile, uint64_t address, std::span<uint8_t> out) {
  if (tiles.present(tile.node)) return tiles.host_read(tile.node, address, out, {.noc = noc});
  FaultLog faults;
  if (!server_at(tile.node).read({faults, tile, noc, address, now, tile, Agent::Host}, out)) {
    return faults.take().front();
  }
  tell(AccessKind::Load, tile, address, out.size());
  return std::nullopt;
}

std::optional<Fault> Chip::write_tile(HostWay way, TileId tile, uint64_t address, std::span<const uint8_t> bytes) {
  if (tiles.present(tile.node)) return tiles.host_write(tile.node, address, bytes, way);
  FaultLog faults;
  if (!server_at(tile.node).write({faults, tile, way.noc, address, now, tile, Agent::Host}, bytes)) {
    return faults.take().front();
  }
  tell(AccessKind::Store, tile, address, bytes.size());
  if (debugger_) debugger_->host_wrote(tile, address, bytes.size());
  return std::nullopt;
}

void Chip::tell(AccessKind kind, TileId tile, uint64_t address, size_t bytes) const {
  if (observer_) observer_->host_accessed({.tile = tile, .cycle = now}, kind, address, bytes);
}

Fault Chip::no_such_tile(uint32_t x, uint32_t y, uint64_t address) const {
  return {.category = FaultCategory::HostError,
          .cycle = now,
          .address = address,
          .what = fmt::format("The host named tile ({},{}), which does not exist.", x, y),
          .advice = ""};
}

std::optional<Fault> Chip::read_coordinate(uint32_t x, uint32_t y, uint64_t address, std::span<uint8_t> out) {
  const auto tile = tile_at(geometry, index, 0, x, y);
  return tile ? read_tile(0, *tile, address, out) : no_such_tile(x, y, address);
}

std::optional<Fault> Chip::write_coordinate(uint32_t x, uint32_t y, uint64_t address, std::span<const uint8_t> bytes) {
  const auto tile = tile_at(geometry, index, 0, x, y);
  return tile ? write_tile({}, *tile, address, bytes) : no_such_tile(x, y, address);
}

void Chip::serialize(Archive& a) {
  a(tiles, function);
  for (auto& bank : dram) a(*bank);
  a(pcie, arc, bare);
  for (auto& [node, end] : attached_) a(*end);
  if (!a.loading()) return;
  for (Server* server : servers_) {
    for (const Message& message : server->inbox().messages())
      a.require(message.destination.chip == index && !tiles.present(message.destination.node) &&
                    &server_at(message.destination.node) == server,
                "a request waits where it was not sent to");
  }
}

}  // namespace kerr::emu
