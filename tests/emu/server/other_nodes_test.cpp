#include "arch/noc_registers.hpp"
#include "emu/server/bare_nodes.hpp"
#include "emu/server/ethernet_tiles.hpp"
#include "tests/emu/server/fixture.hpp"

namespace kerr::emu {
namespace {

class EthernetTest : public ServerTest {
 protected:
  const NocGeometry geometry{arch::kP150.harvesting};
  EthernetTiles ethernet{geometry};
  const TileId e0 = TileId::at(0, 1, 1);
  const TileId e1 = TileId::at(0, 16, 1);
  const TileId e5 = TileId::at(0, 14, 1);  // off on a P150
};

TEST_F(EthernetTest, EachHasItsOwnMemory) {
  write32(ethernet, e0, 0x1000, 1);
  write32(ethernet, e1, 0x1000, 2);
  EXPECT_EQ(read32(ethernet, e0, 0x1000), 1u);
  EXPECT_EQ(refused_write(ethernet, e0, 0x7FFFE, 4).category, FaultCategory::OutOfBounds);
}

TEST_F(EthernetTest, ReportsBootedWithThePortDownAndAMovingHeartbeat) {
  EXPECT_EQ(read32(ethernet, e0, 0x7CC00), 0xC0DEA000u);
  EXPECT_EQ(read32(ethernet, e0, 0x7CC04), 2u);
  EXPECT_NE(read32(ethernet, e0, 0x7CC70), read32(ethernet, e0, 0x7CC70));
}

TEST_F(EthernetTest, KeepsItsCoresInReset) {
  write32(ethernet, e0, 0xFFB121B0, 0x47800);
  EXPECT_EQ(read32(ethernet, e0, 0xFFB121B0), 0x1800u);
  EXPECT_EQ(refused_write(ethernet, e0, 0xFFB121B0, 4).category, FaultCategory::Unsupported);
}

TEST_F(EthernetTest, KnowsItsTranslatedName) {
  EXPECT_EQ(read32(ethernet, e0, arch::niu_base(0) + arch::niu::kIdLogical), (arch::NocCoord{20, 25}.packed()));
  EXPECT_EQ(read32(ethernet, e5, arch::niu_base(1) + arch::niu::kNodeId), arch::node_id(1, 2, 10));
  EXPECT_NE(refused_read(ethernet, e5, 0, 4).what.find("harvested"), std::string::npos);
}

class BareNodesTest : public ServerTest {
 protected:
  const NocGeometry geometry{arch::kP100a.harvesting};
  BareNodes nodes{geometry};
};

TEST_F(BareNodesTest, HarvestedTensixAnswersOnlyItsIdentification) {
  const TileId harvested = TileId::at(0, 15, 4);
  EXPECT_EQ(read32(nodes, harvested, arch::niu_base(0) + arch::niu::kNodeId), arch::node_id(0, 15, 4));
  EXPECT_EQ(read32(nodes, harvested, arch::niu_base(0) + arch::niu::kNiuCfg0) & arch::niu::kNiuCfg0TileClockOff,
            arch::niu::kNiuCfg0TileClockOff);
  const Fault fault = refused_write(nodes, harvested, 0, 4);
  EXPECT_EQ(fault.category, FaultCategory::UndefinedBehavior);
  EXPECT_NE(fault.what.find("harvested"), std::string::npos);
  EXPECT_NE(fault.what.find("(15,4)"), std::string::npos);
  EXPECT_NE(fault.what.find("(16,4)"), std::string::npos);
}

TEST_F(BareNodesTest, RoutersHoldNothing) {
  EXPECT_EQ(refused_read(nodes, TileId::at(0, 8, 4), 0, 4).category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(refused_read(nodes, TileId::at(0, 8, 3), 0, 4).category, FaultCategory::Unsupported);
  EXPECT_EQ(read32(nodes, TileId::at(0, 8, 2), 0xFFFF'FFFF'FF00'0148), (arch::NocCoord{8, 30}.packed()));
}

}  // namespace
}  // namespace kerr::emu
