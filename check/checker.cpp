#include "check/checker.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "check/declarations.hpp"
#include "check/servers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

namespace {

constexpr size_t kPlaces = 1u << 16;
constexpr uint64_t kServedPerTidy = 4096;  // old transfers are forgotten whenever servers have done so many requests

}  // namespace

struct Checker::State final : Directory {
  State(const std::vector<arch::Board>& boards, const std::vector<Annotation>& annotations,
        std::shared_ptr<const CodeLibrary> code)
      : noted(boards, annotations),
        declarations(annotations),
        library(std::move(code)),
        given(std::max<size_t>(1, boards.size())) {}

  std::vector<std::unique_ptr<TileChecker>> tiles{kPlaces};
  std::vector<Place> made;
  Host host;
  Names noted;
  Declarations declarations;
  const std::shared_ptr<const CodeLibrary> library;
  std::vector<DeviceMemory> given;  // of each chip
  std::map<int, emu::Cycle> began;  // chips: when what is known of them begins
  Servers servers{*this, host};
  Findings of_earlier_chips;  // of tiles that are no more
  uint64_t served = 0;

  const Names& names() const override { return noted; }
  std::shared_ptr<const CodeLibrary> code() const override { return library; }
  const DeviceMemory& memory(int chip) const override { return given[static_cast<size_t>(chip)]; }
  bool saw_all(int chip) const override {
    const auto found = began.find(chip);
    return found != began.end() && found->second == 0;
  }
  const KnownLaunch* launch_of(Place place, emu::Agent agent) const override {
    const auto& tile = tiles[place];
    return tile ? tile->launch_of(agent) : nullptr;
  }
  const Transfers* transfers_of(Place place) const override {
    const auto& tile = tiles[place];
    return tile ? &tile->transfers() : nullptr;
  }
  void declare(int chip, arch::NocCoord at, const arch::note::Code& code) {
    const std::optional<emu::TileId> id = noted.tile_at(chip, at);
    TileChecker* const tile = id ? tiles[place_of(*id)].get() : nullptr;
    if (tile == nullptr) return;
    for (const Declarations::Range& range : declarations.of(code)) tile->declare(range);
  }
  void declare(const arch::note::Note& note) {
    if (const auto* const boot = std::get_if<arch::note::Booted>(&note)) {
      for (const arch::NocCoord at : boot->tiles)
        for (const arch::note::Code& code : boot->firmware) declare(boot->chip, at, code);
    }
    if (const auto* const launch = std::get_if<arch::note::Launched>(&note)) {
      for (const auto& group : launch->groups)
        for (const arch::NocCoord at : group.cores)
          for (const auto& kernel : group.kernels) declare(launch->chip, at, kernel.code);
    }
  }
  void forget_old_transfers() {
    for (const Place place : made) tiles[place]->forget_old_transfers();
  }
  static void add(Findings& to, const FindingLog& log, const LostHistory& lost, uint64_t accesses) {
    to.all.insert(to.all.end(), log.all().begin(), log.all().end());
    to.lost.readers += lost.readers;
    to.lost.transfers += lost.transfers;
    to.lost.findings += lost.findings;
    to.accesses += accesses;
  }
  static void add(Findings& to, const TileChecker& tile) { add(to, tile.log(), tile.lost(), tile.accesses()); }
  // What the notes do not name, by the launches of the tiles.
  void name(Findings& findings) const {
    const auto name_site = [&](Site& site) {
      if (const auto& tile = tiles[place_of(site.tile)]) tile->launched_code().name(site);
    };
    for (Finding& f : findings.all) {
      if (f.first) name_site(*f.first);
      name_site(f.then);
    }
  }
};

Checker::Checker(const std::vector<arch::Board>& boards, const std::vector<Annotation>& annotations,
                 std::shared_ptr<const CodeLibrary> code)
    : state_(std::make_unique<State>(boards, annotations, std::move(code))) {}
Checker::~Checker() = default;

void Checker::chip_made(int chip, emu::Cycle now) {
  state_->began[chip] = now;
  const auto is_of_chip = [&](Place place) { return tile_of(place).chip == chip; };
  for (const Place place : state_->made) {
    if (is_of_chip(place)) State::add(state_->of_earlier_chips, *state_->tiles[place]);
  }
  state_->name(state_->of_earlier_chips);
  std::erase_if(state_->made, [&](Place place) {
    if (is_of_chip(place)) state_->tiles[place].reset();
    return is_of_chip(place);
  });
  state_->servers.forget(chip);
}

void Checker::tile_made(const emu::TileView& view) {
  const Place place = place_of(view.tile);
  if (state_->tiles[place]) {
    State::add(state_->of_earlier_chips, *state_->tiles[place]);
  } else {
    state_->made.push_back(place);
  }
  state_->tiles[place] = std::make_unique<TileChecker>(view, *state_, state_->host);
  for (const Declarations::Range& range : state_->declarations.everywhere())
    state_->tiles[place_of(view.tile)]->declare(range);
}

const bool& Checker::wants_all_retired(emu::TileId tile) const {
  return state_->tiles[place_of(tile)]->wants_all_retired();
}
void Checker::retired(const emu::Actor& a, uint32_t pc, uint32_t word) {
  state_->tiles[place_of(a.tile)]->retired(a, pc, word);
}
void Checker::pushed(const emu::Actor& a, int thread, uint32_t word, uint32_t number) {
  state_->tiles[place_of(a.tile)]->pushed(a, thread, word, number);
}
void Checker::touched(const emu::Actor& a, const emu::Footprint& footprint) {
  state_->tiles[place_of(a.tile)]->touched(a, footprint);
}
void Checker::issued(const emu::Actor& a, uint32_t word) { state_->tiles[place_of(a.tile)]->issued(a, word); }
void Checker::accessed(const emu::Actor& a, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  if (bytes == 0) return;
  TileChecker& tile = *state_->tiles[place_of(a.tile)];
  if (is_hart(a.agent) && tile.own_access(a, kind, address, bytes)) return;
  tile.accessed(a, kind, address, bytes, value);
}
void Checker::packet_left(const emu::Actor& a, const emu::Message& message, int command_buffer) {
  if (TileChecker* const tile = state_->tiles[place_of(message.source)].get()) {
    tile->packet_left(a, message, command_buffer);
  }
}
void Checker::packet_arrived(const emu::Message& message) {
  if (TileChecker* const tile = state_->tiles[place_of(message.destination)].get()) tile->packet_arrived(message);
}
void Checker::served(const emu::Message& request, emu::Cycle cycle) {
  state_->servers.served(request, cycle);
  if (++state_->served % kServedPerTidy == 0) state_->forget_old_transfers();
}
void Checker::host_accessed(const emu::Actor& a, emu::AccessKind kind, uint64_t address, uint64_t bytes) {
  state_->servers.host_accessed(a, kind, address, bytes);
}
void Checker::noted(const arch::note::Note& note, emu::Cycle cycle) {
  state_->noted.noted(note, cycle);
  if (state_->declarations.has_symbols()) state_->declare(note);
  if (const size_t chip = arch::note::chip_of(note); chip < state_->given.size())
    state_->given[chip].noted(note, cycle);
  if (std::holds_alternative<arch::note::Launched>(note)) state_->forget_old_transfers();
}

void Checker::combined(bool on) { state_->host.combines = on; }
void Checker::flushed() { state_->host.flushed(); }

Findings Checker::findings() const {
  Findings out = state_->of_earlier_chips;
  for (const Place place : state_->made) State::add(out, *state_->tiles[place]);
  State::add(out, state_->servers.log(), state_->servers.lost(), 0);
  out.unknown_symbols = state_->declarations.unknown();
  state_->name(out);
  std::ranges::stable_sort(out.all, {},
                           [](const Finding& f) { return std::tuple(f.cycle, f.tile, f.agent, f.sequence); });
  return out;
}

}  // namespace kerr::check
