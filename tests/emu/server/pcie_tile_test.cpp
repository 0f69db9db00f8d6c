#include "emu/server/pcie_tile.hpp"

#include <utility>

#include "arch/noc_registers.hpp"
#include "tests/emu/server/fixture.hpp"

namespace kerr::emu {
namespace {

// A host that offers [0x10000, 0x30000) and remembers how it was asked.
class FakeHost : public HostMemory {
 public:
  bool read(uint64_t bus, std::span<uint8_t> out) override {
    calls.push_back({bus, out.size()});
    if (!offers(bus, out.size())) return false;
    std::memcpy(out.data(), bytes.data() + (bus - kBase), out.size());
    return true;
  }
  bool write(uint64_t bus, std::span<const uint8_t> in) override {
    calls.push_back({bus, in.size()});
    if (!offers(bus, in.size())) return false;
    std::memcpy(bytes.data() + (bus - kBase), in.data(), in.size());
    return true;
  }
  bool offers(uint64_t bus, size_t n) const {
    return bus >= kBase && bus - kBase <= bytes.size() && n <= bytes.size() - (bus - kBase);
  }

  static constexpr uint64_t kBase = 0x10000;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x20000);
  std::vector<std::pair<uint64_t, size_t>> calls;
};

class PcieTileTest : public ServerTest {
 protected:
  void region(uint32_t r, uint32_t base, uint32_t limit, uint32_t target) {
    const uint32_t at = r * arch::pcie::kIatuRegionStride;
    pcie.iatu().write(at + arch::pcie::kIatuCtrl2, arch::pcie::kIatuCtrl2Enable);
    pcie.iatu().write(at + arch::pcie::kIatuLowerBase, base);
    pcie.iatu().write(at + arch::pcie::kIatuLowerLimit, limit);
    pcie.iatu().write(at + arch::pcie::kIatuLowerTarget, target);
  }

  const NocGeometry geometry{arch::kP100a.harvesting};
  FakeHost memory;
  PcieTile pcie{geometry, &memory, timing::kBlackhole};
  const TileId tile = TileId::at(0, 2, 0);
  static constexpr uint64_t kHost = arch::pcie::kNocHostBase;
};

TEST_F(PcieTileTest, PassesAddressesOutsideAllRegionsUnchanged) {
  write32(pcie, tile, kHost + 0x10040, 7);
  EXPECT_EQ(memory.bytes[0x40], 7);
  EXPECT_EQ(read32(pcie, tile, kHost + 0x10040), 7u);
  EXPECT_EQ(read32(pcie, tile, 0x10040), 7u);  // window 0 does not go through the iATU at all
}

TEST_F(PcieTileTest, TranslatesWhatARegionHoldsEntirely) {
  region(0, 0, 0xFFFF, 0x20000);
  write32(pcie, tile, kHost + 0x100, 9);
  EXPECT_EQ(memory.bytes[0x10100], 9);
  // Straddles the region's end: not translated.
  std::vector<uint8_t> out(4);
  EXPECT_FALSE(pcie.read(host(tile, kHost + 0xFFFE), out));
  EXPECT_EQ(memory.calls.back().first, 0xFFFEu);
  faults.take();
}

TEST_F(PcieTileTest, SplitsAtPagesOfTheHost) {
  std::vector<uint8_t> bytes(0x3000, 5);
  ASSERT_TRUE(pcie.write(host(tile, kHost + 0x10F80), bytes));
  const std::vector<std::pair<uint64_t, size_t>> expected{
      {0x10F80, 0x80}, {0x11000, 0x1000}, {0x12000, 0x1000}, {0x13000, 0xF80}};
  EXPECT_EQ(memory.calls, expected);
}

TEST_F(PcieTileTest, RefusesWhatTheHostDoesNotOffer) {
  EXPECT_EQ(refused_read(pcie, tile, kHost + 0x2FFFC, 8).category, FaultCategory::OutOfBounds);
  EXPECT_EQ(refused_write(pcie, tile, kHost, 4).category, FaultCategory::OutOfBounds);
  EXPECT_EQ(refused_read(pcie, tile, uint64_t{8} << 58, 4).category, FaultCategory::Unsupported);
  EXPECT_EQ(refused_read(pcie, tile, (uint64_t{5} << 58) - 2, 4).category, FaultCategory::OutOfBounds);
}

TEST_F(PcieTileTest, RefusesTwoMatchingRegions) {
  region(0, 0x10000, 0x1FFFF, 0x10000);
  region(1, 0x18000, 0x1FFFF, 0x10000);
  EXPECT_EQ(refused_read(pcie, tile, kHost + 0x18000, 4).category, FaultCategory::UndefinedBehavior);
  EXPECT_EQ(read32(pcie, tile, kHost + 0x10000), 0u);
}

TEST_F(PcieTileTest, KnowsItselfOnBothNocs) {
  EXPECT_EQ(read32(pcie, tile, arch::pcie::kNocNiuBase + arch::niu::kNodeId, 0), 0x10611002u);
  EXPECT_EQ(read32(pcie, tile, arch::pcie::kNocNiuBase + arch::niu::kNodeId, 1), 0x006112CEu);
  EXPECT_EQ(read32(pcie, tile, arch::pcie::kNocNiuBase + arch::niu::kIdLogical, 1), 0x613u);
}

TEST_F(PcieTileTest, KeepsDeviceControlInTheDbiWindow) {
  write32(pcie, tile, arch::pcie::kNocDbiBase + 0x78, 0x5020);
  EXPECT_EQ(read32(pcie, tile, arch::pcie::kNocDbiBase + 0x78), 0x5020u);
}

// Round trips as published contain the NoC's ways; the messages here have none (timing.md 10).
TEST_F(PcieTileTest, TakesWhatIsLeftOfThePublishedRoundTripsWithoutTheNoc) {
  const timing::Parameters& p = timing::kBlackhole;
  constexpr Cycle kRead = 1080 - 297, kAck = 500 - 297;  // 800 and 370 ns, of which 220 ns are the NoC's
  EXPECT_EQ(p.pcie_read, kRead);
  EXPECT_EQ(p.pcie_write_ack, kAck);
  pcie.receive(write_request(tile, kHost + 0x10000, std::vector<uint8_t>(64), 300));
  const std::vector<Message> acks = serve(pcie, 512);
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_EQ(acks[0].sent, 300 + kAck + 1);
  pcie.receive(read_request(tile, kHost + 0x10000, 64, 2000));
  const std::vector<Message> data = serve(pcie, 2048);
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data[0].sent, 2000 + kRead + 4 - 1 + 2) << "64 bytes at 18.2 a cycle, of which one passes with its flit";
}

TEST_F(PcieTileTest, WithoutAHostRefuses) {
  PcieTile alone{geometry, nullptr, timing::kBlackhole};
  EXPECT_EQ(refused_read(alone, tile, kHost + 0x10000, 4).category, FaultCategory::OutOfBounds);
}

}  // namespace
}  // namespace kerr::emu
