// What today's clients do through the C ABI, call by call.   docs/hardware/host-pcie.md 6.3 to 6.10, 1.7, 1.10
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "tests/bindings/library.hpp"

namespace {

using Bytes = std::vector<uint8_t>;

// The host's memory: 4 GiB of bus addresses, pages as they are touched.
class HostMemory {
 public:
  static HostMemory& the() {
    static HostMemory memory;
    return memory;
  }
  void clear() {
    pages_.clear();
    calls.clear();
  }
  uint8_t& byte(uint64_t bus) { return pages_[bus >> 12][bus & 0xFFF]; }
  static void read(uint64_t bus, void* out, uint32_t bytes) {
    the().calls.push_back({bus, bytes});
    for (uint32_t i = 0; i < bytes; ++i) static_cast<uint8_t*>(out)[i] = the().byte(bus + i);
  }
  static void write(uint64_t bus, const void* in, uint32_t bytes) {
    the().calls.push_back({bus, bytes});
    for (uint32_t i = 0; i < bytes; ++i) the().byte(bus + i) = static_cast<const uint8_t*>(in)[i];
  }
  std::vector<std::pair<uint64_t, uint32_t>> calls;

 private:
  std::map<uint64_t, std::array<uint8_t, 4096>> pages_;
};

// What tt-umd's simulator back end does before the first access, with `channels` of host memory.
void start_up(Library& library, uint64_t& bar0, int channels) {
  library.set_dma(HostMemory::read, HostMemory::write);
  library.init();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(library.config_read(0, 0) & 0xFFFF, 0x1E52u);
    EXPECT_EQ(library.config_read(0, 0) >> 16, 0xB140u);
  }
  bar0 = library.bar(0x10);
  library.bar(0x20);
  for (const uint32_t word : {0, 4, 8}) library.write32(bar0 + 0x1FC00000 + word, 0);
  for (int c = 0; c < channels; ++c) {
    const uint64_t region = library.bar(0x18) + 0x1000 + 0x200 * static_cast<uint64_t>(c);
    const auto base = static_cast<uint32_t>(c) << 30;
    const uint32_t bytes = c == 3 ? 0x3000'0000 : 0x4000'0000;
    // clang-format off
    for (const auto& [offset, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
             {0x04, 0}, {0x00, 0}, {0x08, base}, {0x0C, 0}, {0x10, base + bytes - 1}, {0x14, base}, {0x18, 0},
             {0x04, 0x8000'0000}}) {
      // clang-format on
      library.write32(region + offset, value);
    }
  }
}

constexpr uint64_t kHost = uint64_t{1} << 60;

class Client : public ::testing::Test {
 protected:
  void SetUp() override {
    HostMemory::the().clear();
    chip.library.set_dma(HostMemory::read, HostMemory::write);
  }
  // Three words of a window's entry: 43 bits of address / 2 MiB, then end, start and the rest.
  void configure(int window, uint64_t address, uint32_t x_end, uint32_t y_end, uint32_t x_start, uint32_t y_start,
                 bool multicast, int noc = 0) {
    const uint64_t low = address >> 21 | uint64_t{x_end} << 43 | uint64_t{y_end} << 49 | uint64_t{x_start} << 55 |
                         uint64_t{y_start} << 61;
    const uint32_t high = y_start >> 3 | static_cast<uint32_t>(noc) << 3 | (multicast ? 1u << 5 : 0);
    const uint64_t entry = chip.bar0 + 0x1FC00000 + 12 * static_cast<uint64_t>(window);
    chip.library.write32(entry, static_cast<uint32_t>(low));
    chip.library.write32(entry + 4, static_cast<uint32_t>(low >> 32));
    chip.library.write32(entry + 8, high);
  }
  uint64_t window(int index) const { return chip.bar0 + (static_cast<uint64_t>(index) << 21); }

  Session chip;
};

TEST_F(Client, AUnicastWindowMayHaveItsStartWhereItsEndIs) {
  configure(5, 0, 4, 6, 4, 6, false);
  chip.library.write32(window(5) + 0x3000, 77);
  EXPECT_EQ(chip.read32(4, 6, 0x3000), 77u);
  EXPECT_EQ(chip.library.read32(window(5) + 0x3000), 77u);
}

TEST_F(Client, StridedMulticastRegistersCanBeWrittenWithEveryWindow) {
  for (uint64_t i = 0; i < 32; ++i) chip.library.write32(chip.bar0 + 0x1FC009D8 + 4 * i, 0);
  configure(3, 0, 3, 3, 1, 2, true);
  chip.library.write32(window(3) + 0x3000, 5);
  chip.library.write32(chip.bar0 + 0x1FC009D8 + 4 * 3, 1 | 1 << 2);  // keep a column, skip the next
  chip.library.write32(window(3) + 0x3000, 6);
  for (uint32_t x = 1; x <= 4; ++x) {
    for (uint32_t y = 2; y <= 4; ++y) {
      const uint32_t expected = x > 3 || y > 3 ? 0 : x == 2 ? 5 : 6;
      EXPECT_EQ(chip.read32(x, y, 0x3000), expected) << x << "," << y;
    }
  }
}

TEST(ClientStartUp, RunsAsTtUmdWritesItAndChannelsAndMappedBuffersAreReached) {
  for (const int channels : {0, 1, 2, 4}) {
    HostMemory::the().clear();
    Library library;
    uint64_t bar0 = 0;
    start_up(library, bar0, channels);
    const auto host_word = [&](uint64_t offset) {
      const uint64_t at = (kHost + offset) >> 21;
      library.write32(bar0 + 0x1FC00000, static_cast<uint32_t>(at));
      library.write32(bar0 + 0x1FC00004, static_cast<uint32_t>(at >> 32) | 19 << 11 | 24 << 17);
      library.write32(bar0 + 0x1FC00008, 0);
      const uint32_t value = library.read32(bar0 + (offset & 0x1FFFFF));
      library.clock(1);
      return value;
    };
    // In each channel, at its end, and behind the last one, where mapped buffers lie and no region translates.
    for (int c = 0; c < 4; ++c) {
      for (const uint64_t offset : {uint64_t{0x10}, uint64_t{0x2FFF'FFFC}}) {
        const uint64_t at = (static_cast<uint64_t>(c) << 30) + offset;
        HostMemory::the().byte(at) = static_cast<uint8_t>(c + 1);
        EXPECT_EQ(host_word(at), static_cast<uint32_t>(c + 1)) << channels << " channels, " << at;
      }
    }
    library.exit();
  }
}

TEST_F(Client, ARegionThatMovesAddressesLeavesThoseOutsideAlone) {
  const uint64_t region = chip.library.bar(0x18) + 0x1000;
  // tt-umd on silicon enables the region first; in between it is inconsistent and nobody may mind.
  // clang-format off
  for (const auto& [offset, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
           {0x00, 0}, {0x04, 0x8000'0000}, {0x08, 0x4000'0000}, {0x0C, 0}, {0x10, 0x4000'FFFF}, {0x20, 0},
           {0x14, 0x9000}, {0x18, 1}, {0x1C, 0}}) {
    // clang-format on
    chip.library.write32(region + offset, value);
  }
  HostMemory::the().byte(0x1'0000'9020) = 3;
  HostMemory::the().byte(0x4001'0000) = 4;
  HostMemory::the().byte(0x3FFF'FFF0) = 5;
  EXPECT_EQ(chip.read32(19, 24, kHost + 0x4000'0020), 3u);
  EXPECT_EQ(chip.read32(19, 24, kHost + 0x4001'0000), 4u);
  EXPECT_EQ(chip.read32(19, 24, kHost + 0x3FFF'FFF0), 5u);
}

TEST_F(Client, HostMemoryIsCalledForInPiecesThatCrossNoPage) {
  chip.write(19, 24, kHost + 0x5'0FF0, Bytes(0x3020, 1));
  chip.read(19, 24, kHost + 0x5'0FF0, 0x3020);
  const std::vector<std::pair<uint64_t, uint32_t>> once{
      {0x5'0FF0, 0x10}, {0x5'1000, 0x1000}, {0x5'2000, 0x1000}, {0x5'3000, 0x1000}, {0x5'4000, 0x10}};
  std::vector<std::pair<uint64_t, uint32_t>> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(HostMemory::the().calls, twice);
}

TEST_F(Client, TheDmaEngineCopiesAsTtUmdAsksIt) {
  for (uint32_t i = 0; i < 0x2404; ++i) HostMemory::the().byte(0x1234'0010 + i) = static_cast<uint8_t>(i * 7);
  configure(9, 0, 17, 12, 0, 0, false);
  const uint64_t bar2 = chip.library.bar(0x18);
  // clang-format off
  for (const auto& [offset, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
           {0x188, 0x28}, {0x190, 0x2000}, {0x194, 0}, {0x1A0, 0x2004}, {0x1A4, 0}, {0x1A8, 0}, {0x100, 1},
           {0x120, 0x1234'0010}, {0x124, 0}, {0x128, 9 << 21 | 0x400}, {0x12C, 0}, {0x11C, 0x2404}, {0x104, 1}}) {
    // clang-format on
    chip.library.write32(bar2 + offset, value);
  }
  EXPECT_EQ(chip.library.read32(bar2 + 0x11C), 0u);
  const Bytes there = chip.read(17, 12, 0x400, 0x2404);
  for (uint32_t i = 0; i < there.size(); ++i) ASSERT_EQ(there[i], static_cast<uint8_t>(i * 7)) << i;
}

// addi t1, t1, 1; sw t1, 0x100(zero); jal zero, -8
constexpr std::initializer_list<uint32_t> kCount = {0x00130313, 0x10602023, 0xFF9FF06F};

TEST_F(Client, AClockRunsAWindowWhenItsTimeHasComeAndOtherwiseNothing) {
  chip.run(1, 2, kCount);
  const auto count = [&] {
    chip.point(1, 2, 0x100);
    return chip.library.read32(chip.bar0 + 0x100);
  };
  std::vector<uint32_t> counts;
  std::vector<int> ran;
  for (int i = 0; i < 1024; ++i) {
    chip.library.clock(1);
    counts.push_back(count());
    if (i > 0 && counts[static_cast<size_t>(i)] != counts[static_cast<size_t>(i) - 1]) ran.push_back(i);
  }
  EXPECT_GT(counts.front(), 0u) << "the first clock finds no window";
  EXPECT_EQ(ran, (std::vector<int>{256, 512, 768}));
}

TEST_F(Client, HowTheClocksAreSlicedChangesNothing) {
  std::vector<uint32_t> counts;
  for (const uint32_t slice : {1u, 3u, 256u, 4096u}) {
    Session other;
    other.run(1, 2, kCount);
    uint32_t left = 4096;
    while (left != 0) {
      const uint32_t now = std::min(left, slice);
      other.library.clock(now);
      left -= now;
    }
    other.point(1, 2, 0x100);
    counts.push_back(other.library.read32(other.bar0 + 0x100));
  }
  EXPECT_EQ(counts, std::vector<uint32_t>(4, counts.front()));
}

TEST_F(Client, TheBoardIsWhatTelemetrySays) {
  for (const auto& [board, columns, banks] : {std::tuple{"p150", 0x3FFFu, 0xFFu}, std::tuple{"p100a", 0u, 0xF7u}}) {
    setenv("KERR_BOARD", board, 1);
    Session own;
    unsetenv("KERR_BOARD");
    const auto telemetry = [&](uint32_t tag) -> uint32_t {
      const uint64_t table = own.read32(8, 0, 0x8003'0434);
      const uint64_t values = own.read32(8, 0, 0x8003'0430);
      const uint32_t entries = own.read32(8, 0, table + 4);
      for (uint32_t i = 0; i < entries; ++i) {
        const uint32_t entry = own.read32(8, 0, table + 8 + 4 * i);
        if ((entry & 0xFFFF) == tag) return own.read32(8, 0, values + 4 * (entry >> 16));
      }
      return ~0u;
    };
    EXPECT_EQ(telemetry(36), banks) << board;
    const uint32_t good = telemetry(34);
    EXPECT_EQ(__builtin_popcount(good), columns ? 14 : 12) << board;
    EXPECT_EQ(own.read32(8, 0, 0x8003'0408) & 0x7F, 5u) << "boot status";
  }
}

TEST_F(Client, ArcAnswersMessagesOfTheQueueOfApplications) {
  const uint64_t control = chip.read32(8, 0, 0x8003'042C);
  const uint64_t base = chip.read32(8, 0, control);
  const uint32_t entries = chip.read32(8, 0, control + 4) & 0xFF;
  const uint64_t queue = base + 3 * (32 + 2 * entries * 32);
  for (uint32_t i = 0; i < 2 * entries + 1; ++i) {
    const uint32_t slot = i % (2 * entries);
    ASSERT_EQ(chip.read32(8, 0, queue), slot);
    chip.write32(8, 0, queue + 32 + 32 * (slot % entries), 0x90);  // TEST: answers its argument plus 1
    chip.write32(8, 0, queue + 36 + 32 * (slot % entries), i);
    chip.write32(8, 0, queue, (slot + 1) % (2 * entries));
    chip.write32(8, 0, 0x8003'0100, 0x10000);
    int polls = 0;
    while (chip.read32(8, 0, queue + 0x14) == slot && ++polls < 1000) {
    }
    EXPECT_EQ(chip.read32(8, 0, queue + 32 + 32 * (entries + slot % entries)), 0u);
    EXPECT_EQ(chip.read32(8, 0, queue + 36 + 32 * (entries + slot % entries)), i + 1);
    chip.write32(8, 0, queue + 4, (slot + 1) % (2 * entries));
  }
}

// What tt-metal does to an Ethernet tile whose port is down, before its own firmware runs there.
TEST_F(Client, IdleEthernetTilesTakeFirmwareOfTheClient) {
  for (uint32_t x = 20; x < 32; ++x) {
    int polls = 0;
    while (chip.read32(x, 25, 0x7CC00) != 0xC0DEA000 && ++polls < 100) {
    }
    ASSERT_LT(polls, 100);
    EXPECT_EQ(chip.read32(x, 25, 0x7CC04), 2u) << "port down";
    EXPECT_NE(chip.read32(x, 25, 0x7CC70), chip.read32(x, 25, 0x7CC70)) << "heartbeat";
    EXPECT_EQ(chip.read32(x, 25, 0x7CFBC), 0x00010600u);
    chip.write32(x, 25, 0xFFB121B0, chip.read32(x, 25, 0xFFB121B0) | 0x47800);
    const std::array<uint32_t, 4> store42 = {0x000022B7, 0x02A00313, 0x0062A023, 0x0000006F};  // 42 to 0x2000
    for (uint32_t i = 0; i < store42.size(); ++i) chip.write32(x, 25, 0x9000 + 4 * i, store42[i]);
    for (uint32_t i = 0; i < 5; ++i) chip.write32(x, 25, 0xFFB14020 + 4 * i, 0);
    chip.write32(x, 25, 0xFFB14000, 0x9000);
    chip.write32(x, 25, 0xFFB121B0, chip.read32(x, 25, 0xFFB121B0) & ~0x800u);
    polls = 0;
    while (chip.read32(x, 25, 0x2000) != 42 && ++polls < 1000) {
    }
    EXPECT_EQ(chip.read32(x, 25, 0x2000), 42u);
  }
}

// Node id and logical id of each kind of tile by both NoCs, as tt-umd's NoC tests read them.
TEST_F(Client, TilesOfEveryKindKnowTheirNodeAndLogicalIdsOnBothNocs) {
  const auto id = [&](uint32_t x, uint32_t y, int noc, bool wide, uint32_t offset) {
    const uint64_t block = wide ? 0xFFFF'FFFF'FF00'0000 : noc ? 0xFFB3'0000 : 0xFFB2'0000;
    configure(0, block, x, y, 0, 0, false, noc);
    const uint32_t value = chip.library.read32(chip.bar0 + (block & 0x1FFFFF) + offset);
    return std::pair{value & 63, value >> 6 & 63};
  };
  struct Place {
    uint32_t x, y, raw_x, raw_y;
    bool wide;
  };
  for (const Place& p :
       {Place{1, 2, 1, 2, false}, Place{16, 11, 16, 11, false}, Place{20, 25, 1, 1, false}, Place{17, 12, 0, 0, false},
        Place{18, 23, 9, 6, false}, Place{19, 24, 2, 0, true}, Place{8, 0, 8, 0, true}}) {
    for (const int noc : {0, 1}) {
      const auto raw = noc ? std::pair{16 - p.raw_x, 11 - p.raw_y} : std::pair{p.raw_x, p.raw_y};
      EXPECT_EQ(id(p.x, p.y, noc, p.wide, 0x44), raw) << p.x << "," << p.y << " NoC " << noc;
      EXPECT_EQ(id(p.x, p.y, noc, p.wide, 0x148), (std::pair{p.x, p.y})) << p.x << "," << p.y << " NoC " << noc;
    }
  }
}

}  // namespace
