#include "arch/harvesting.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "arch/banks.hpp"
#include "arch/boards.hpp"

namespace kerr::arch {
namespace {

Harvesting with_bad_bank(int bank) {
  Harvesting h;
  if (bank >= 0) h.dram_banks = static_cast<uint8_t>(~(1u << bank));
  return h;
}

TEST(Harvesting, P100aColumnTableIsThatOfTheReference) {
  const std::vector<int> index = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
  const std::vector<int> raw_x = {1, 2, 3, 4, 6, 7, 10, 11, 12, 13, 14, 16, 5, 15};
  const auto table = tensix_column_table(kP100a.harvesting);
  for (size_t i = 0; i < index.size(); ++i) EXPECT_EQ(table[index[i]], raw_x[i]) << "translated x " << index[i];
}

TEST(Harvesting, TranslatedColumnsHaveNoHoles) {
  const auto columns = translated_columns(kP100a.harvesting);
  EXPECT_EQ(std::vector<int>(columns.begin(), columns.end()),
            (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14}));
  EXPECT_EQ(translated_columns(kP150.harvesting).size(), 14u);
}

TEST(Harvesting, ATranslatedCoordinateNamesTheSameTileOnBothNocs) {
  for (const Board& board : kBoards) {
    const auto noc0 = translation_tables(board.harvesting, 0);
    const auto noc1 = translation_tables(board.harvesting, 1);
    for (uint8_t y = 0; y < kGridRows; ++y)
      for (uint8_t x = 0; x < kGridColumns; ++x) {
        const NocCoord raw{x, y};
        const TileClass c = tile_class(raw);
        const NocCoord id = logical_id(board.harvesting, raw);
        const bool translated = id.x >= 17 || id.y >= 12 || c == TileClass::Tensix || c == TileClass::Arc;
        if (!translated) continue;
        EXPECT_EQ(raw_of(noc0, 0, id), raw) << board.name << " " << int(x) << "," << int(y);
        EXPECT_EQ(raw_of(noc1, 1, id), raw) << board.name << " " << int(x) << "," << int(y);
      }
  }
}

TEST(Harvesting, LogicalIdsAreUnique) {
  for (int bad = -1; bad < kDramBanks; ++bad) {
    Harvesting h = with_bad_bank(bad);
    h.tensix_columns = 0x3EF7;
    std::set<uint32_t> seen;
    for (uint8_t y = 0; y < kGridRows; ++y)
      for (uint8_t x = 0; x < kGridColumns; ++x) seen.insert(logical_id(h, {x, y}).packed());
    EXPECT_EQ(seen.size(), static_cast<size_t>(kGridTiles)) << "bad bank " << bad;
  }
}

TEST(Harvesting, RawRowsZeroAndOneKeepTheirColumn) {
  const auto noc0 = translation_tables(kP100a.harvesting, 0);
  EXPECT_EQ(raw_of(noc0, 0, {5, 1}), (NocCoord{5, 1}));
  const auto noc1 = translation_tables(kP100a.harvesting, 1);
  EXPECT_EQ(raw_of(noc1, 1, {8, 0}), (NocCoord{8, 0})) << "ARC lies in the middle column";
}

TEST(Harvesting, ACoordinateOfSixBitsThatNamesNoTileIsNotOnTheGrid) {
  const auto noc0 = translation_tables(kP150.harvesting, 0);
  EXPECT_FALSE(raw_of(noc0, 0, {63, 0}).on_grid());
}

TEST(Harvesting, TheBadBankIsAlwaysTheLastSlotOfColumn18) {
  for (int bad = 0; bad < kDramBanks; ++bad)
    for (int port = 0; port < kDramPorts; ++port)
      EXPECT_EQ(logical_id(with_bad_bank(bad), dram_tile(bad, port)), (NocCoord{18, static_cast<uint8_t>(21 + port)}));
}

TEST(Harvesting, EthernetSkipsOneOfEachMiddleGroup) {
  Harvesting h;
  h.ethernet = 0x3EDF;  // 5 and 8 off
  EXPECT_EQ(logical_id(h, {14, 1}), (NocCoord{14, 1})) << "E5 has no translated name";
  EXPECT_EQ(logical_id(h, {1, 1}), (NocCoord{20, 25}));
  EXPECT_EQ(logical_id(h, {4, 1}), (NocCoord{25, 25})) << "E6 moves up behind the skipped E5";
  h.ethernet = 0;
  EXPECT_EQ(logical_id(h, {4, 1}), (NocCoord{4, 1})) << "all off: 6 and 9 are skipped";
  EXPECT_EQ(logical_id(h, {12, 1}), (NocCoord{12, 1}));
}

TEST(Harvesting, BroadcastMasksCoverWhatIsNotTensix) {
  EXPECT_EQ(broadcast_masks(kP150.harvesting, 0).columns, 0x301u);
  EXPECT_EQ(broadcast_masks(kP150.harvesting, 0).rows, 0x3u);
  EXPECT_EQ(broadcast_masks(kP150.harvesting, 1).columns, 0x10180u);
  EXPECT_EQ(broadcast_masks(kP150.harvesting, 1).rows, 0xC00u);
  EXPECT_EQ(broadcast_masks(kP100a.harvesting, 0).columns, 0x301u | 1u << 15 | 1u << 5);
  EXPECT_EQ(broadcast_masks(kP100a.harvesting, 1).columns, 0x10180u | 1u << 1 | 1u << 11);
}

TEST(Harvesting, ChecksItsOwnLimits) {
  EXPECT_TRUE(is_valid(kP100a.harvesting));
  Harvesting two_banks;
  two_banks.dram_banks = 0xFC;
  EXPECT_FALSE(is_valid(two_banks));
  Harvesting no_columns;
  no_columns.tensix_columns = 0x3F;
  EXPECT_FALSE(is_valid(no_columns));
}

}  // namespace
}  // namespace kerr::arch
