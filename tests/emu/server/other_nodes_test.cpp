#include "arch/noc_registers.hpp"
#include "emu/server/bare_nodes.hpp"
#include "tests/emu/server/fixture.hpp"

namespace kerr::emu {
namespace {

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

TEST_F(BareNodesTest, HarvestedEthernetAnswersOnlyItsIdentification) {
  const NocGeometry p150{arch::kP150.harvesting};
  BareNodes p150_nodes{p150};
  const TileId e5 = TileId::at(0, 14, 1);
  EXPECT_EQ(read32(p150_nodes, e5, arch::niu_base(1) + arch::niu::kNodeId), arch::node_id(1, 2, 10));
  EXPECT_NE(refused_read(p150_nodes, e5, 0, 4).what.find("harvested"), std::string::npos);
}

TEST_F(BareNodesTest, RoutersHoldNothing) {
  EXPECT_EQ(refused_read(nodes, TileId::at(0, 8, 4), 0, 4).category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(refused_read(nodes, TileId::at(0, 8, 3), 0, 4).category, FaultCategory::Unsupported);
  EXPECT_EQ(read32(nodes, TileId::at(0, 8, 2), 0xFFFF'FFFF'FF00'0148), (arch::NocCoord{8, 30}.packed()));
}

}  // namespace
}  // namespace kerr::emu
