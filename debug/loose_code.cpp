// Which files' code lies in a tile's L1.
#include <algorithm>

#include "debug/machine_target.hpp"

namespace kerr::debug {

namespace {

struct Found {
  const LooseCode* code = nullptr;
  image::CodeFinder::Place at;
  bool runs = false;  // the hart is in it

  bool overlaps(const Found& other) const { return at.begin < other.at.end && other.at.begin < at.end; }
};

// Symbols and lines at the place where the code lies.
std::shared_ptr<const image::Image> moved(const LooseCode& code, uint32_t by) {
  if (by == 0) return code.image;
  image::Image image = *code.image;
  image.relocations.clear();  // a loader has done that
  return std::make_shared<const image::Image>(image.moved_by(by));
}

}  // namespace

// What the hart runs comes first. Of files that are alike at one place the most alike is taken, and each file once.
std::vector<Code> MachineTarget::found_on(const Place& place, const image::CodeFinder& finder) const {
  constexpr size_t kMost = 16;
  const emu::Tile* const made = machine_->chip(place.tile.chip).tiles.find(place.tile.node);
  const uint32_t pc = made == nullptr ? 0 : made->hart(place.hart).state().pc;
  std::vector<Found> all;
  for (const LooseCode& code : loose_) {
    if (code.hart && *code.hart != place.hart) continue;
    for (const image::CodeFinder::Place& at : finder.places(*code.image))
      all.push_back({&code, at, pc >= at.begin && pc < at.end});
  }
  std::ranges::stable_sort(
      all, [](const Found& a, const Found& b) { return a.runs != b.runs ? a.runs : a.at.likeness > b.at.likeness; });
  std::vector<Found> taken;
  for (const Found& found : all) {
    const bool is_known = std::ranges::any_of(
        taken, [&](const Found& other) { return other.code == found.code || other.overlaps(found); });
    if (!is_known && taken.size() < kMost) taken.push_back(found);
  }
  std::vector<Code> out;
  for (const Found& found : taken)
    out.push_back({place.tile, place.hart, moved(*found.code, found.at.moved), found.code->path, found.code->file});
  return out;
}

std::vector<Code> MachineTarget::found_on(const Place& place) {
  if (loose_.empty() || place.tile.y() == 1) return {};
  return found_on(place, image::CodeFinder(tile(place.tile).view().l1));
}

}  // namespace kerr::debug
