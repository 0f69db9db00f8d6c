#include "arch/grid.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kerr::arch {
namespace {

TEST(Grid, HasTheTilesOfTheChip) {
  std::map<TileClass, int> count;
  for (uint8_t y = 0; y < kGridRows; ++y)
    for (uint8_t x = 0; x < kGridColumns; ++x) ++count[tile_class({x, y})];
  EXPECT_EQ(count[TileClass::Tensix], 140);
  EXPECT_EQ(count[TileClass::Ethernet], 14);
  EXPECT_EQ(count[TileClass::Dram], 24);
  EXPECT_EQ(count[TileClass::Pcie], 2);
  EXPECT_EQ(count[TileClass::Arc], 1);
  EXPECT_EQ(count[TileClass::Security], 1);
  EXPECT_EQ(count[TileClass::L2Cpu], 4);
}

TEST(Grid, Noc1IsTheMirrorImage) {
  EXPECT_EQ(mirror({1, 2}), (NocCoord{15, 9}));
  EXPECT_EQ(mirror(mirror({5, 7})), (NocCoord{5, 7}));
  EXPECT_EQ(noc_to_raw(1, raw_to_noc(1, {3, 4})), (NocCoord{3, 4}));
}

TEST(Grid, EveryDramTileBelongsToOnePortOfOneBank) {
  for (int bank = 0; bank < kDramBanks; ++bank)
    for (int port = 0; port < kDramPorts; ++port) {
      const DramPort found = dram_port(dram_tile(bank, port));
      EXPECT_EQ(found.bank, bank);
      EXPECT_EQ(found.port, port);
    }
  EXPECT_EQ(dram_tile(0, 2), (NocCoord{0, 11}));
  EXPECT_EQ(dram_tile(6, 1), (NocCoord{9, 4}));
}

TEST(Grid, PackedCoordinateIsYThenX) {
  EXPECT_EQ((NocCoord{19, 24}.packed()), 0x613u);
  EXPECT_EQ(NocCoord::unpack(0x391), (NocCoord{17, 14}));
}

}  // namespace
}  // namespace kerr::arch
