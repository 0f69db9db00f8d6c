#include "emu/chip/tile_table.hpp"

#include <algorithm>
#include <utility>

#include "emu/tile/observed_tile.hpp"

namespace kerr::emu {

TileTable::TileTable(int chip, const NocGeometry& geometry, const Options& options, std::shared_ptr<DecodedLines> lines)
    : chip_(chip), geometry_(geometry), options_(options), lines_(std::move(lines)) {
  next_events_.fill(kNever);
}

Tile& TileTable::make(uint8_t node) {
  const TileId id{static_cast<uint8_t>(chip_), node};
  if (options_.observer) {
    tiles_[node] = std::make_unique<ObservedTile>(id, geometry_, options_, lines_);
  } else {
    tiles_[node] = std::make_unique<Tile>(id, geometry_, options_, lines_);
  }
  nodes_.insert(std::lower_bound(nodes_.begin(), nodes_.end(), node), node);
  return *tiles_[node];
}

Tile& TileTable::make_and_tell(uint8_t node) {
  Tile& tile = make(node);
  if (options_.observer) tile.tell_made(*options_.observer);
  if (options_.prints) options_.prints->tile_made(tile.view());
  return tile;
}

Tile& TileTable::at_present(uint8_t node) {
  Tile& tile = tiles_[node] ? *tiles_[node] : make_and_tell(node);
  if (tile.time() < now_ && stood_in_ != node) tile.run(now_);
  return tile;
}

std::optional<Fault> TileTable::host_read(uint8_t node, uint64_t address, std::span<uint8_t> out, HostWay way) {
  const bool done = at_present(node).host_read(address, out, way);
  return after_host(node, done);
}

std::optional<Fault> TileTable::host_write(uint8_t node, uint64_t address, std::span<const uint8_t> bytes,
                                           HostWay way) {
  const bool done = at_present(node).host_write(address, bytes, way);
  return after_host(node, done);
}

std::optional<Fault> TileTable::after_host(uint8_t node, bool done) {
  Tile& tile = *tiles_[node];
  set_next_event(node, tile.next_event());
  if (!std::exchange(is_changed_[node], true)) changed_.push_back(node);
  if (done) return std::nullopt;

  // The host's own refusal is the last one; a hart that woke up and stopped meanwhile keeps its place in the log.
  std::vector<Fault> faults = tile.faults().take();
  if (faults.empty()) return std::nullopt;
  Fault refusal = std::move(faults.back());
  faults.pop_back();
  for (Fault& fault : faults) tile.faults().report(std::move(fault));
  return refusal;
}

std::vector<uint8_t> TileTable::take_changed() {
  for (const uint8_t node : changed_) is_changed_[node] = false;
  return std::exchange(changed_, {});
}

void TileTable::deliver(Message&& message) {
  const uint8_t node = message.destination.node;
  Tile& tile = tiles_[node] ? *tiles_[node] : make_and_tell(node);
  set_next_event(node, std::min(next_events_[node], message.arrival));
  tile.inbox().push(std::move(message));
}

void TileTable::serialize(Archive& a) {
  if (a.loading()) return load(a);
  uint32_t count = static_cast<uint32_t>(nodes_.size());
  a(count);
  for (uint8_t node : nodes_) {
    Tile& tile = at_present(node);
    a(node, tile);
  }
}

void TileTable::load(Archive& a) {
  uint32_t count = 0;
  a.below(arch::kGridTiles + 1, count);
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t node = 0;
    a.below(arch::kGridTiles, node);
    a.require(present(node) && !tiles_[node], "a tile stands where none can, or twice");
    Tile& tile = make(node);
    a(tile);
    if (!options_.parks()) tile.unpark();
    a.require(tile.time() == now_, "a tile has another time than the machine");
    set_next_event(node, tile.next_event());
  }
}

}  // namespace kerr::emu
