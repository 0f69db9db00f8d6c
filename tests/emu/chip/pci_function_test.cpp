// One chip without time: what the host reaches through its PCI function.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "arch/bytes.hpp"
#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"
#include "arch/tile_registers.hpp"
#include "emu/chip/chip.hpp"
#include "emu/chip/coordinates.hpp"

namespace kerr::emu {
namespace {

namespace pcie = arch::pcie;

// Offers one page at 0x5000.
class OnePage : public HostMemory {
 public:
  bool read(uint64_t bus, std::span<uint8_t> out) override {
    if (bus < 0x5000 || bus + out.size() > 0x6000) return false;
    std::memcpy(out.data(), bytes.data() + (bus - 0x5000), out.size());
    return true;
  }
  bool write(uint64_t bus, std::span<const uint8_t> in) override {
    if (bus < 0x5000 || bus + in.size() > 0x6000) return false;
    std::memcpy(bytes.data() + (bus - 0x5000), in.data(), in.size());
    return true;
  }
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x1000);
};

class PciFunctionTest : public ::testing::Test {
 protected:
  void configure(int window, const pcie::TlbEntry& entry) {
    const pcie::TlbWords words = pcie::encode(pcie::tlb_format(window), entry);
    uint32_t at = pcie::tlb_config_address(window);
    for (const uint32_t word : {words.low, words.mid, words.high}) {
      put(Bar::k0, at, word);
      at += 4;
    }
  }
  void point(int window, uint8_t x, uint8_t y, uint64_t address, uint8_t noc = 0) {
    configure(window, {.local_offset = address / pcie::window_bytes(window), .x_end = x, .y_end = y, .noc = noc});
  }
  uint32_t get(Bar bar, uint64_t offset) {
    uint32_t value = 0;
    const auto fault = function.read(bar, offset, arch::as_uint8(value));
    EXPECT_FALSE(fault) << fault->text();
    return value;
  }
  void put(Bar bar, uint64_t offset, uint32_t value) {
    const auto fault = function.write(bar, offset, arch::as_uint8(value));
    EXPECT_FALSE(fault) << fault->text();
  }
  std::optional<Fault> read(Bar bar, uint64_t offset, size_t bytes) {
    std::vector<uint8_t> out(bytes, 0);
    const auto fault = function.read(bar, offset, out);
    if (fault) {
      EXPECT_EQ(out, std::vector<uint8_t>(bytes, 0xFF));
    }
    return fault;
  }
  std::optional<Fault> write(Bar bar, uint64_t offset, size_t bytes) {
    return function.write(bar, offset, std::vector<uint8_t>(bytes));
  }
  static uint64_t at(int window, uint64_t offset = 0) {
    return static_cast<uint64_t>(window) * pcie::kSmallWindowBytes + offset;
  }

  OnePage page;
  Chip chip{0, kUsualOptions, {}, &page};
  PciFunction& function = chip.function;
};

TEST_F(PciFunctionTest, WindowsReachL1AtAnySizeAndAlignment) {
  point(3, 2, 5, 0);
  std::vector<uint8_t> data(100'001);
  std::iota(data.begin(), data.end(), uint8_t{1});
  ASSERT_FALSE(function.write(Bar::k0, at(3, 0x1003), data));
  std::vector<uint8_t> back(data.size());
  ASSERT_FALSE(function.read(Bar::k0, at(3, 0x1003), back));
  EXPECT_EQ(back, data);
}

TEST_F(PciFunctionTest, TheSameTileByBothNocs) {
  point(0, 5, 4, 0, 0);
  point(1, 5, 4, 0, 1);
  put(Bar::k0, at(0, 0x100), 77);
  EXPECT_EQ(get(Bar::k0, at(1, 0x100)), 77u);
}

TEST_F(PciFunctionTest, TranslatedCoordinatesSkipHarvestedColumns) {
  point(0, 14, 2, 0xFFB2'0000);
  const uint64_t offset = 0xFFB2'0000 % pcie::kSmallWindowBytes;
  EXPECT_EQ(get(Bar::k0, at(0, offset + arch::niu::kIdLogical)), (arch::NocCoord{14, 2}.packed()));
  EXPECT_EQ(get(Bar::k0, at(0, offset + arch::niu::kNodeId)), arch::node_id(0, 16, 2));
  point(0, 16, 2, 0);
  EXPECT_EQ(write(Bar::k0, at(0), 4)->category, FaultCategory::UndefinedBehavior);
}

TEST_F(PciFunctionTest, UnicastIgnoresTheStartCorner) {
  configure(0, {.x_end = 1, .y_end = 2, .x_start = 1, .y_start = 2});
  put(Bar::k0, at(0), 5);
  configure(1, {.x_end = 1, .y_end = 2, .x_start = 63, .y_start = 63});
  EXPECT_EQ(get(Bar::k0, at(1)), 5u);
}

TEST_F(PciFunctionTest, TheAllZeroEntryIsADramTile) {
  put(Bar::k0, at(0, 0x40), 1);
  point(1, 0, 0, 0);
  EXPECT_EQ(get(Bar::k0, at(1, 0x40)), 1u);
}

TEST_F(PciFunctionTest, AnAccessGoesOnInTheNextWindow) {
  point(0, 17, 12, 0);
  point(1, 17, 15, 0);
  std::vector<uint8_t> data(16, 9);
  ASSERT_FALSE(function.write(Bar::k0, at(1) - 8, data));
  EXPECT_EQ(get(Bar::k0, at(1)), 0x09090909u);
  EXPECT_EQ(get(Bar::k0, at(1) - 4), 0x09090909u);
}

TEST_F(PciFunctionTest, LargeWindowsReachAWholeBank) {
  point(205, 17, 13, 0);
  const uint64_t base = 3 * pcie::kLargeWindowBytes;
  put(Bar::k4, base + 0xFEFF'FFFC, 3);
  EXPECT_EQ(get(Bar::k4, base + 0xFEFF'FFFC), 3u);
  EXPECT_EQ(get(Bar::k4, base + 0xFFB2'0044), arch::node_id(0, 9, 1));  // with bank 3 off, x = 17 is the east side
}

TEST_F(PciFunctionTest, EntriesReadBackAsWritten) {
  put(Bar::k0, pcie::tlb_config_address(7) + 8, 0xFFFF'FFFF);
  EXPECT_EQ(get(Bar::k0, pcie::tlb_config_address(7) + 8), 0xFFFF'FFFFu);
  put(Bar::k0, pcie::kStridedConfigBase + 4 * 31, 0xE000'0000);
  EXPECT_EQ(get(Bar::k0, pcie::kStridedConfigBase + 4 * 31), 0xE000'0000u);
}

TEST_F(PciFunctionTest, MulticastWritesEveryWorkingTensixTileOfTheRectangle) {
  configure(0, {.x_end = 14, .y_end = 11, .x_start = 1, .y_start = 2, .multicast = true});
  put(Bar::k0, at(0, 0x200), 11);
  EXPECT_EQ(chip.tiles.nodes().size(), 120u);
  point(1, 14, 11, 0);
  EXPECT_EQ(get(Bar::k0, at(1, 0x200)), 11u);

  configure(0, {.x_end = 3, .y_end = 4, .x_start = 2, .y_start = 3, .multicast = true});
  put(Bar::k0, at(0, 0x200), 12);
  for (uint8_t x : {1, 2, 3, 4}) {
    for (uint8_t y : {2, 3, 4, 5}) {
      point(1, x, y, 0);
      EXPECT_EQ(get(Bar::k0, at(1, 0x200)), x >= 2 && x <= 3 && y >= 3 && y <= 4 ? 12u : 11u);
    }
  }
}

TEST_F(PciFunctionTest, OnNoc1AMulticastSwapsItsCorners) {
  configure(0, {.x_end = 2, .y_end = 3, .x_start = 3, .y_start = 4, .noc = 1, .multicast = true});
  put(Bar::k0, at(0, 0x200), 12);
  EXPECT_EQ(chip.tiles.nodes().size(), 4u);
}

TEST_F(PciFunctionTest, StridedMulticastLeavesColumnsOut) {
  put(Bar::k0, pcie::kStridedConfigBase, 1 | (1 << 2));  // keep one column, skip one
  configure(0, {.x_end = 4, .y_end = 2, .x_start = 1, .y_start = 2, .multicast = true});
  put(Bar::k0, at(0, 0x200), 1);
  EXPECT_EQ(chip.tiles.nodes().size(), 2u);
}

TEST_F(PciFunctionTest, MulticastReadsAreRefusedAndReadAllOnes) {
  configure(0, {.x_end = 16, .y_end = 11, .x_start = 1, .y_start = 2, .multicast = true});
  EXPECT_EQ(read(Bar::k0, at(0), 4)->category, FaultCategory::UndefinedBehavior);
}

TEST_F(PciFunctionTest, ReachesHostMemoryBehindThePcieTile) {
  point(0, 19, 24, pcie::kNocHostBase);
  page.bytes[8] = 5;
  EXPECT_EQ(get(Bar::k0, at(0, 0x5008)), 5u);
  point(0, 2, 0, pcie::kNocHostBase);
  EXPECT_EQ(get(Bar::k0, at(0, 0x5008)), 5u);
  EXPECT_EQ(read(Bar::k0, at(0, 0x7000), 4)->category, FaultCategory::OutOfBounds);
}

TEST_F(PciFunctionTest, IatuRegistersAreInBar2) {
  put(Bar::k2, 0x1000 + 0x04, 0x8000'0000);
  put(Bar::k2, 0x1000 + 0x10, 0xFFF);
  put(Bar::k2, 0x1000 + 0x14, 0x5000);
  EXPECT_EQ(get(Bar::k2, 0x1000 + 0x10), 0xFFFu);
  page.bytes[0] = 6;
  point(0, 19, 24, pcie::kNocHostBase);
  EXPECT_EQ(get(Bar::k0, at(0)), 6u);
}

TEST_F(PciFunctionTest, DmaCopiesFromTheHostIntoAWindow) {
  std::iota(page.bytes.begin(), page.bytes.end(), uint8_t{0});
  point(4, 1, 2, 0);
  put(Bar::k2, 0x188, 0x28);
  put(Bar::k2, 0x100, 1);
  put(Bar::k2, 0x120, 0x5010);
  put(Bar::k2, 0x128, static_cast<uint32_t>(at(4, 0x400)));
  put(Bar::k2, 0x11C, 0x100);
  put(Bar::k2, 0x104, 1);
  EXPECT_EQ(get(Bar::k2, 0x11C), 0u);
  EXPECT_EQ(get(Bar::k0, at(4, 0x400)), 0x13121110u);
  EXPECT_EQ(get(Bar::k0, at(4, 0x4FC)), 0x0F0E0D0Cu);
}

TEST_F(PciFunctionTest, DmaRefusesOddSizesForeignMemoryAndOtherTargets) {
  const auto start = [&](uint32_t from, uint32_t to, uint32_t bytes) {
    put(Bar::k2, 0x120, from);
    put(Bar::k2, 0x128, to);
    put(Bar::k2, 0x11C, bytes);
    const uint32_t one = 1;
    return function.write(Bar::k2, 0x104, arch::as_uint8(one));
  };
  EXPECT_EQ(start(0x5000, 0, 6)->category, FaultCategory::Misaligned);
  EXPECT_EQ(start(0x5000, 0, 0)->category, FaultCategory::Misaligned);
  EXPECT_EQ(start(0x5000, 0x1FC0'0000, 4)->category, FaultCategory::OutOfBounds);
  EXPECT_EQ(start(0x5FF0, 0, 0x20)->category, FaultCategory::OutOfBounds);
}

TEST_F(PciFunctionTest, KnowsThePcieTileItIs) {
  EXPECT_EQ(get(Bar::k0, pcie::kNiu0Base + arch::niu::kNodeId), 0x10611002u);
  EXPECT_EQ(get(Bar::k0, pcie::kNiu1Base + arch::niu::kNodeId), 0x006112CEu);
  EXPECT_NE(get(Bar::k0, pcie::kNiu0Base + arch::niu::kNiuCfg0) & 0x4000, 0u);
}

TEST_F(PciFunctionTest, ArcIsInBar0OnlyBehindPcieTileOne) {
  EXPECT_EQ(read(Bar::k0, 0x1FF3'0408, 4)->category, FaultCategory::Unsupported);
  arch::Board board = arch::kP100a;
  board.harvesting.pcie_instance = 1;
  const Options options{.boards = {board}};
  Chip other(0, options, {}, nullptr);
  uint32_t status = 0;
  ASSERT_FALSE(other.function.read(Bar::k0, 0x1FF3'0408, arch::as_uint8(status)));
  EXPECT_EQ(status, 5u);
}

TEST_F(PciFunctionTest, RefusesWhatLeavesABarOrIsNoWord) {
  EXPECT_EQ(read(Bar::k0, pcie::kBar0Bytes - 2, 4)->category, FaultCategory::HostError);
  EXPECT_EQ(read(Bar::k4, ~uint64_t{0}, 4)->category, FaultCategory::HostError);
  EXPECT_EQ(read(Bar::k0, 0, 0)->category, FaultCategory::HostError);
  EXPECT_EQ(write(Bar::k2, 0x1002, 4)->category, FaultCategory::Misaligned);
  EXPECT_EQ(write(Bar::k0, pcie::kTlbConfigBase, 2)->category, FaultCategory::Misaligned);
  EXPECT_EQ(write(Bar::k0, 0x1A00'0000, 4)->category, FaultCategory::Unsupported);
  point(0, 31, 31, 0);
  EXPECT_TRUE(write(Bar::k0, at(0), 4));
  point(0, 1, 2, 0x18'0000);
  EXPECT_TRUE(write(Bar::k0, at(0, 0x18'0000), 4));
  point(0, 1, 2, uint64_t{1} << 32);
  EXPECT_TRUE(write(Bar::k0, at(0), 4));
}

// What the NIUs of (2, 5) have counted: [NoC][slave counter].
class HostAccessCounts : public PciFunctionTest {
 protected:
  static constexpr int kFirst = arch::niu::kSlvAtomicRespSent, kCount = 14;
  std::vector<uint32_t> counted(int noc, arch::NocCoord tile = {2, 5}) {
    std::vector<uint32_t> counters;
    const auto id = tile_at(chip.geometry, 0, 0, tile.x, tile.y);
    const Niu& niu = chip.tiles.at_present(id->node).niu(noc);
    for (int n = 0; n < kCount; ++n) counters.push_back(niu.counter(kFirst + n));
    return counters;
  }
  /// Counters that are not 0.
  static std::vector<uint32_t> with(std::initializer_list<std::pair<int, uint32_t>> values) {
    std::vector<uint32_t> counters(kCount, 0);
    for (const auto& [index, value] : values) counters[static_cast<size_t>(index - kFirst)] = value;
    return counters;
  }
};

TEST_F(HostAccessCounts, AWriteIsAPacketAndAcknowledgedUnlessPosted) {
  using namespace arch::niu;
  for (const auto ordering :
       {pcie::Ordering::Relaxed, pcie::Ordering::Strict, pcie::Ordering::Posted, pcie::Ordering::Counted}) {
    for (const uint8_t noc : {0, 1}) {
      const auto before = counted(noc), other = counted(1 - noc);
      configure(0, {.x_end = 2, .y_end = 5, .noc = noc, .ordering = ordering});
      put(Bar::k0, at(0, 0x100), 1);
      EXPECT_FALSE(write(Bar::k0, at(0, 0x1000), 200));
      auto moved = counted(noc);
      for (size_t n = 0; n < moved.size(); ++n) moved[n] -= before[n];
      const bool posted = ordering >= pcie::Ordering::Posted;
      EXPECT_EQ(
          moved,
          posted
              ? with({{kSlvPostedWrReqStarted, 2}, {kSlvPostedWrDataWordReceived, 1 + 4}, {kSlvPostedWrReqReceived, 2}})
              : with({{kSlvNonpostedWrReqStarted, 2},
                      {kSlvNonpostedWrDataWordReceived, 1 + 4},
                      {kSlvNonpostedWrReqReceived, 2},
                      {kSlvWrAckSent, 2}}))
          << static_cast<int>(ordering) << " on NoC " << int{noc};
      EXPECT_EQ(counted(1 - noc), other);
    }
  }
}

TEST_F(HostAccessCounts, AReadCountsARequestAndItsAnswer) {
  using namespace arch::niu;
  point(0, 2, 5, 0, 1);
  EXPECT_FALSE(read(Bar::k0, at(0, 0x1001), 65));
  EXPECT_EQ(counted(1),
            with({{kSlvReqAccepted, 1}, {kSlvRdReqReceived, 1}, {kSlvRdRespSent, 1}, {kSlvRdDataWordSent, 2}}));
  EXPECT_EQ(counted(0), with({}));
}

TEST_F(HostAccessCounts, EachRegisterIsARequestOfItsOwn) {
  using namespace arch::niu;
  point(0, 2, 5, arch::kTrisc0ResetPc);
  EXPECT_FALSE(write(Bar::k0, at(0, arch::kTrisc0ResetPc % pcie::kSmallWindowBytes), 12));
  EXPECT_EQ(counted(0), with({{kSlvNonpostedWrReqStarted, 3},
                              {kSlvNonpostedWrDataWordReceived, 3},
                              {kSlvNonpostedWrReqReceived, 3},
                              {kSlvWrAckSent, 3}}));
}

TEST_F(HostAccessCounts, EveryReceiverOfAMulticastCountsButNoRefusal) {
  using namespace arch::niu;
  configure(
      0, {.x_end = 3, .y_end = 6, .x_start = 2, .y_start = 5, .multicast = true, .ordering = pcie::Ordering::Posted});
  put(Bar::k0, at(0, 0x100), 1);
  const auto one = with({{kSlvPostedWrReqStarted, 1}, {kSlvPostedWrDataWordReceived, 1}, {kSlvPostedWrReqReceived, 1}});
  EXPECT_EQ(counted(0, {2, 5}), one);
  EXPECT_EQ(counted(0, {3, 6}), one);
  EXPECT_EQ(counted(0, {4, 6}), with({}));
  point(0, 2, 5, 0xFFB1'0000);
  EXPECT_TRUE(write(Bar::k0, at(0, 0x12002), 4));
  EXPECT_EQ(counted(0, {2, 5}), one);
}

TEST(ConfigSpace, AnswersBeforeAnyWrite) {
  const ConfigSpace config(0);
  EXPECT_EQ(config.read(0x00), 0xB1401E52u);
  EXPECT_EQ(config.read(0x04), 0u);
  EXPECT_EQ(config.read(0x08), 0x12000000u);
  EXPECT_EQ(config.read(0x10), 0x4u);
  EXPECT_EQ(config.read(0x14), 0x1u);
  EXPECT_EQ(config.read(0x18), 0x20000004u);
  EXPECT_EQ(config.read(0x24), 0x8u);
  EXPECT_EQ(config.read(0x3C), 0xFFu);
  EXPECT_EQ(config.read(0x500), 0u);
  EXPECT_EQ(ConfigSpace(2).read(0x14), 0x21u);
}

TEST(ConfigSpace, SizesBars) {
  ConfigSpace config(0);
  const std::map<uint32_t, uint32_t> sizes{{0x10, 0xE0000004}, {0x14, 0xFFFFFFFF}, {0x18, 0xFFF00004},
                                           {0x1C, 0xFFFFFFFF}, {0x20, 0x00000004}, {0x24, 0xFFFFFFF8}};
  for (const auto& [offset, size] : sizes) {
    const uint32_t before = config.read(offset);
    config.write(offset, 0xFFFF'FFFF);
    EXPECT_EQ(config.read(offset), size) << offset;
    config.write(offset, before);
    EXPECT_EQ(config.read(offset), before) << offset;
  }
}

TEST(ConfigSpace, OnlyTheInterfaceTimerAsksForAReset) {
  ConfigSpace config(0);
  EXPECT_FALSE(config.write(0x930, 0x11));
  EXPECT_FALSE(config.write(0x934, 1));
  EXPECT_TRUE(config.write(0x930, 0x11));
  EXPECT_FALSE(config.write(0x04, 0xFFFF'FFFF));
  EXPECT_EQ(config.read(0x04), 0xFFFFu);
  EXPECT_FALSE(config.write(0x00, 0));
  EXPECT_EQ(config.read(0x00), 0xB1401E52u);
}

}  // namespace
}  // namespace kerr::emu
