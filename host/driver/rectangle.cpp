#include "host/driver/rectangle.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kerr::host {

std::vector<Rectangle> cover(std::span<const arch::NocCoord> tiles, Gap gap) {
  std::set<arch::NocCoord> left(tiles.begin(), tiles.end());
  const auto next = [gap](uint8_t x) { return static_cast<uint8_t>(gap == Gap::IsSpanned && x == 7 ? 10 : x + 1); };
  auto row_is_left = [&](uint8_t y, uint8_t first_x, uint8_t last_x) {
    for (uint8_t x = first_x; x <= last_x; x = next(x)) {
      if (!left.contains({x, y})) return false;
    }
    return true;
  };
  std::vector<Rectangle> rectangles;
  while (!left.empty()) {
    const arch::NocCoord first = *left.begin();
    arch::NocCoord last = first;
    while (left.contains({next(last.x), first.y})) last.x = next(last.x);
    while (row_is_left(last.y + 1, first.x, last.x)) ++last.y;
    for (uint8_t y = first.y; y <= last.y; ++y) {
      for (uint8_t x = first.x; x <= last.x; ++x) left.erase({x, y});
    }
    rectangles.push_back({first, last});
  }
  return rectangles;
}

LargeRectangles large_rectangles(std::span<const arch::NocCoord> tiles, uint32_t fewest_of_first,
                                 uint32_t fewest_of_next) {
  std::vector<Rectangle> all = cover(tiles, Gap::IsSpanned);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.tiles() > b.tiles(); });
  size_t large = 0;
  while (large < all.size() && all[large].tiles() >= (large == 0 ? fewest_of_first : fewest_of_next)) ++large;
  all.resize(large);
  LargeRectangles out{std::move(all), {}};
  for (const arch::NocCoord tile : tiles) {
    const auto holds = [tile](const Rectangle& r) {
      return tile.x >= r.first.x && tile.x <= r.last.x && tile.y >= r.first.y && tile.y <= r.last.y;
    };
    if (std::none_of(out.rectangles.begin(), out.rectangles.end(), holds)) out.others.push_back(tile);
  }
  return out;
}

}  // namespace kerr::host
