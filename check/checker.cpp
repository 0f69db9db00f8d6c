#include "check/checker.hpp"

#include <algorithm>
#include <tuple>
#include <variant>

#include "check/servers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

namespace {

constexpr size_t kPlaces = 1u << 16;

}  // namespace

struct Checker::State final : Directory {
  std::vector<std::unique_ptr<TileChecker>> tiles{kPlaces};
  std::vector<Place> made;
  Host host;
  Servers servers{*this, host};
  Kernels known_kernels;
  std::vector<Finding> of_earlier_chips;  // of tiles that are no more
  LostHistory lost;
  uint64_t accesses = 0;

  const Kernels& kernels() const override { return known_kernels; }
  const Transfers* transfers_of(Place place) const override {
    const auto& tile = tiles[place];
    return tile ? &tile->transfers() : nullptr;
  }
  void keep(const TileChecker& tile) {
    of_earlier_chips.insert(of_earlier_chips.end(), tile.log().all().begin(), tile.log().all().end());
    lost.readers += tile.lost_readers();
    lost.findings += tile.log().lost();
    accesses += tile.accesses();
  }
};

Checker::Checker() : state_(std::make_unique<State>()) {}
Checker::~Checker() = default;

void Checker::chip_made(int chip, emu::Cycle) {
  std::erase_if(state_->made, [&](Place place) {
    if (tile_of(place).chip != chip) return false;
    state_->keep(*state_->tiles[place]);
    state_->tiles[place].reset();
    return true;
  });
  state_->servers.forget(chip);
}

void Checker::tile_made(const emu::TileView& view) {
  const Place place = place_of(view.tile);
  if (state_->tiles[place]) {
    state_->keep(*state_->tiles[place]);
  } else {
    state_->made.push_back(place);
  }
  state_->tiles[place] = std::make_unique<TileChecker>(view, *state_, state_->host);
}

void Checker::retired(const emu::Actor& a, uint32_t pc, uint32_t) { state_->tiles[place_of(a.tile)]->retired(a, pc); }
void Checker::pushed(const emu::Actor& a, int thread, uint32_t, uint32_t number) {
  state_->tiles[place_of(a.tile)]->pushed(a, thread, number);
}
void Checker::issued(const emu::Actor& a, uint32_t word) { state_->tiles[place_of(a.tile)]->issued(a, word); }
void Checker::accessed(const emu::Actor& a, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  if (bytes == 0) return;
  state_->tiles[place_of(a.tile)]->accessed(a, kind, address, bytes, value);
}
void Checker::packet_left(const emu::Actor& a, const emu::Message& message, int command_buffer) {
  if (TileChecker* const tile = state_->tiles[place_of(message.source)].get()) {
    tile->packet_left(a, message, command_buffer);
  }
}
void Checker::packet_arrived(const emu::Message& message) {
  if (TileChecker* const tile = state_->tiles[place_of(message.destination)].get()) tile->packet_arrived(message);
}
void Checker::served(const emu::Message& request, emu::Cycle cycle) { state_->servers.served(request, cycle); }
void Checker::host_accessed(const emu::Actor& a, emu::AccessKind kind, uint64_t address, uint64_t bytes) {
  state_->servers.host_accessed(a, kind, address, bytes);
}
void Checker::noted(const arch::note::Note& note, emu::Cycle) {
  if (const auto* const launch = std::get_if<arch::note::Launched>(&note)) state_->known_kernels.launched(*launch);
  if (const auto* const boot = std::get_if<arch::note::Booted>(&note)) state_->known_kernels.booted(*boot);
}

Findings Checker::findings() const {
  Findings out;
  out.all = state_->of_earlier_chips;
  out.lost = state_->lost;
  out.accesses = state_->accesses;
  for (const Place place : state_->made) {
    const TileChecker& tile = *state_->tiles[place];
    out.all.insert(out.all.end(), tile.log().all().begin(), tile.log().all().end());
    out.lost.readers += tile.lost_readers();
    out.lost.findings += tile.log().lost();
    out.accesses += tile.accesses();
  }
  const FindingLog& servers = state_->servers.log();
  out.all.insert(out.all.end(), servers.all().begin(), servers.all().end());
  out.lost.readers += state_->servers.lost_readers();
  out.lost.findings += servers.lost();
  std::ranges::stable_sort(out.all, {},
                           [](const Finding& f) { return std::tuple(f.cycle, f.tile, f.agent, f.sequence); });
  return out;
}

}  // namespace kerr::check
