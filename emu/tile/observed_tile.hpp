// A tile that tells an observer of its packets, and makes its parts tell of the rest.
// docs/architecture.md "Observing"
#pragma once

#include <memory>
#include <utility>

#include "emu/tile/tile.hpp"

namespace kerr::emu {

class ObservedTile final : public Tile {
 public:
  ObservedTile(TileId id, const NocGeometry& geometry, const Options& options, std::shared_ptr<DecodedLines> lines)
      : Tile(id, geometry, options, std::move(lines)), observer_(*options.observer) {}

 private:
  void apply(const Message& message, Cycle now) override {
    observer_.packet_arrived(message);
    Tile::apply(message, now);
  }
  uint64_t send(Message&& message) override {
    number(message);
    const int buffer = is_response(message.kind) ? Observer::kNoBuffer : niu(message.noc).issuing();
    observer_.packet_left(actor(), message, buffer);
    const uint64_t packet = message.packet;
    put(std::move(message));
    return packet;
  }

  Observer& observer_;
};

}  // namespace kerr::emu
