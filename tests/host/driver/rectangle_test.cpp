#include "host/driver/rectangle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "arch/banks.hpp"
#include "arch/boards.hpp"

namespace kerr::host {
namespace {

TEST(Rectangles, WorkersOfAP100aAreThreeRectanglesWithTheDispatchPairCutOut) {
  const auto workers = arch::worker_tiles(arch::kP100a.harvesting);
  const auto rectangles = cover({workers.begin(), workers.end()});
  ASSERT_EQ(rectangles.size(), 3u);
  EXPECT_EQ(rectangles[0], (Rectangle{{1, 2}, {7, 11}}));
  EXPECT_EQ(rectangles[1], (Rectangle{{10, 2}, {13, 11}}));
  EXPECT_EQ(rectangles[2], (Rectangle{{14, 4}, {14, 11}}));
  EXPECT_EQ(rectangles[0].tiles() + rectangles[1].tiles() + rectangles[2].tiles(), 118u);
}

TEST(Rectangles, AMulticastMaySpanTheColumnsWithoutTensixTiles) {
  const auto workers = arch::worker_tiles(arch::kP100a.harvesting);
  const auto rectangles = cover({workers.begin(), workers.end()}, Gap::IsSpanned);
  ASSERT_EQ(rectangles.size(), 2u);
  EXPECT_EQ(rectangles[0], (Rectangle{{1, 2}, {13, 11}}));
  EXPECT_EQ(rectangles[0].tiles(), 110u);
  EXPECT_EQ(rectangles[1], (Rectangle{{14, 4}, {14, 11}}));
}

RC_GTEST_PROP(Rectangles, HoldExactlyTheGivenTilesOnce, ()) {
  const auto all = arch::tensix_tiles(arch::kP150.harvesting);
  std::vector<arch::NocCoord> chosen;
  for (arch::NocCoord tile : all) {
    if (*rc::gen::inRange(0, 3) != 0) chosen.push_back(tile);
  }
  std::set<arch::NocCoord> covered;
  size_t tiles = 0, counted = 0;
  for (const Rectangle& r : cover(chosen, *rc::gen::element(Gap::Splits, Gap::IsSpanned))) {
    counted += r.tiles();
    for (int y = r.first.y; y <= r.last.y; ++y) {
      for (int x = r.first.x; x <= r.last.x; ++x) {
        if (x == 8 || x == 9) continue;
        covered.insert({static_cast<uint8_t>(x), static_cast<uint8_t>(y)});
        ++tiles;
      }
    }
  }
  RC_ASSERT(tiles == chosen.size());
  RC_ASSERT(counted == chosen.size());
  RC_ASSERT((covered == std::set<arch::NocCoord>(chosen.begin(), chosen.end())));
}

RC_GTEST_PROP(Rectangles, LargeOnesAndTheOtherTilesAreTheGivenTiles, ()) {
  const auto all = arch::tensix_tiles(arch::kP150.harvesting);
  std::vector<arch::NocCoord> chosen;
  for (arch::NocCoord tile : all) {
    if (*rc::gen::inRange(0, 8) != 0) chosen.push_back(tile);
  }
  const auto first = *rc::gen::inRange<uint32_t>(0, 40), next = *rc::gen::inRange<uint32_t>(0, 40);
  const LargeRectangles large = large_rectangles(chosen, first, next);
  std::set<arch::NocCoord> reached(large.others.begin(), large.others.end());
  size_t tiles = reached.size();
  RC_ASSERT(tiles == large.others.size());
  for (const Rectangle& r : large.rectangles) {
    RC_ASSERT(r.tiles() >= (tiles == large.others.size() ? first : next));
    tiles += r.tiles();
    for (arch::NocCoord tile : all) {
      if (tile.x >= r.first.x && tile.x <= r.last.x && tile.y >= r.first.y && tile.y <= r.last.y) reached.insert(tile);
    }
  }
  RC_ASSERT(tiles == chosen.size());
  RC_ASSERT((reached == std::set<arch::NocCoord>(chosen.begin(), chosen.end())));
}

}  // namespace
}  // namespace kerr::host
