#include "hang/noted_launches.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "emu/observe/noted_tiles.hpp"
#include "hang/scene.hpp"

namespace kerr::hang {

namespace {

using arch::note::Launched;

// Whether the instruction there is the image's: several programs may have been noted for one place. Loaders change the
// operands of some.
bool is_of_image(const arch::note::Code& code, uint32_t pc, emu::Tile& tile) {
  constexpr uint32_t kOpcode = 0x7F;
  if (pc - code.address >= code.bytes) return false;
  if (!code.image) return true;
  const std::span<const uint8_t> l1 = tile.view().l1;
  const uint32_t at = pc - code.address + code.image_address;
  for (const image::Segment& segment : code.image->segments) {
    if (at - segment.address >= segment.bytes.size() || segment.bytes.size() - (at - segment.address) < 4) continue;
    if (uint64_t{pc} + 4 > l1.size()) return false;
    uint32_t there, own;
    std::memcpy(&there, l1.data() + pc, 4);
    std::memcpy(&own, segment.bytes.data() + (at - segment.address), 4);
    return (there & kOpcode) == (own & kOpcode);
  }
  return true;
}

}  // namespace

void NotedLaunches::noted(const arch::note::Note& note) {
  if (const auto* launched = std::get_if<Launched>(&note)) open_.push_back(*launched);
  if (const auto* ended = std::get_if<arch::note::Ended>(&note))
    std::erase_if(open_, [&](const Launched& l) { return l.chip == ended->chip && l.id == ended->id; });
  if (const auto* booted = std::get_if<arch::note::Booted>(&note))
    std::erase_if(open_, [&](const Launched& l) { return l.chip == booted->chip; });
}

arch::HangQuestion NotedLaunches::question(emu::Machine& machine) const {
  arch::HangQuestion out;
  const emu::NotedTiles noted(machine.options().boards);
  std::set<emu::TileId> known;  // a core executes one program, of several the one that was launched first
  for (const Launched& launch : open_) {
    std::vector<arch::NocCoord> unfinished;
    for (const Launched::Group& group : launch.groups) {
      for (const arch::NocCoord core : group.cores) {
        const std::optional<emu::TileId> id = noted.at(launch.chip, core);
        if (!id || known.contains(*id)) continue;
        emu::TileTable& tiles = machine.chip(id->chip).tiles;
        if (!tiles.present(id->node)) continue;
        emu::Tile& tile = tiles.at_present(id->node);
        const bool here = std::ranges::any_of(group.kernels, [&](const Kernel& kernel) {
          const emu::HartState& state = tile.hart(kernel.hart).state();
          return is_of_image(kernel.code, state.pc, tile);
        });
        if (!here) continue;
        known.insert(*id);
        unfinished.push_back(core);
      }
    }
    if (!unfinished.empty()) out.programs.push_back({launch, std::move(unfinished)});
  }
  return out;
}

}  // namespace kerr::hang
