#include "host/rectangle.hpp"

#include <set>

namespace kerr::host {

std::vector<Rectangle> cover(std::span<const arch::NocCoord> tiles, Gap gap) {
  std::set<arch::NocCoord> left(tiles.begin(), tiles.end());
  const auto next = [gap](uint8_t x) { return static_cast<uint8_t>(gap == Gap::kIsSpanned && x == 7 ? 10 : x + 1); };
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

}  // namespace kerr::host
