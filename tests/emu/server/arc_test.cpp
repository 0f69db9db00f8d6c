#include "emu/server/arc.hpp"

#include <array>

#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"
#include "tests/emu/server/fixture.hpp"

namespace kerr::emu {
namespace {

using Words = std::array<uint32_t, 8>;

class ArcTest : public ServerTest {
 protected:
  uint32_t scratch(uint64_t i) { return read32(arc, tile, 0x8003'0400 + 4 * i); }

  // As a driver does it: through queue `q`, following the advertised pointers only.
  Words message(uint32_t q, Words request) {
    const uint64_t control = scratch(11);
    const uint64_t base = read32(arc, tile, control);
    const uint32_t n = read32(arc, tile, control + 4) & 0xFF;
    const uint64_t queue = base + q * (32 + 2 * n * 32);
    const uint32_t w = read32(arc, tile, queue);
    for (uint32_t i = 0; i < 8; ++i) write32(arc, tile, queue + 32 + 32 * (w % n) + 4 * i, request[i]);
    write32(arc, tile, queue, (w + 1) % (2 * n));
    write32(arc, tile, 0x8003'0100, 0x10000);
    EXPECT_EQ(read32(arc, tile, 0x8003'0100) & 0xF0000, 0u);
    const uint32_t r = read32(arc, tile, queue + 4);
    EXPECT_NE(read32(arc, tile, queue + 0x14), r);
    Words response{};
    for (uint32_t i = 0; i < 8; ++i) response[i] = read32(arc, tile, queue + 32 + 32 * (n + r % n) + 4 * i);
    write32(arc, tile, queue + 4, (r + 1) % (2 * n));
    return response;
  }
  uint32_t telemetry(uint32_t tag) {
    const uint64_t table = scratch(13);
    const uint32_t count = read32(arc, tile, table + 4);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t entry = read32(arc, tile, table + 8 + 4 * i);
      EXPECT_LT(entry >> 16, count);
      if ((entry & 0xFFFF) == tag) return read32(arc, tile, scratch(12) + 4 * (entry >> 16));
    }
    return 0;
  }

  const NocGeometry geometry{arch::kP100a.harvesting};
  Arc arc{geometry, arch::kP100a};
  const TileId tile = TileId::at(0, 8, 0);
};

TEST_F(ArcTest, HasBootedWhenTheChipIsMade) {
  EXPECT_EQ(scratch(2), 5u);
  EXPECT_EQ(read32(arc, tile, 0x8003'0060), 0xC0DE0020u);
}

TEST_F(ArcTest, PublishesTheBoardInTelemetry) {
  EXPECT_EQ(telemetry(34), arch::kP100a.harvesting.tensix_columns);
  EXPECT_EQ(telemetry(36), 0xF7u);
  EXPECT_EQ(telemetry(35), 0u);
  EXPECT_EQ(telemetry(38), 1u);
  const uint64_t id = (uint64_t{telemetry(1)} << 32) | telemetry(2);
  EXPECT_EQ((id >> 36) & 0xFFFFF, 0x43u);
}

TEST_F(ArcTest, AnswersMessagesRoundTheRing) {
  for (uint32_t i = 0; i < 20; ++i) {
    const Words response = message(i % 4, {0x90, i});
    EXPECT_EQ(response[0], 0u);
    EXPECT_EQ(response[1], i + 1);
    EXPECT_EQ(response[2], i + 1);
  }
}

TEST_F(ArcTest, ClockFollowsGoBusyAndGoIdle) {
  EXPECT_EQ(telemetry(14), 800u);
  message(3, {0x52});
  EXPECT_EQ(telemetry(14), 1350u);
  EXPECT_EQ(message(3, {0x34})[1], 1350u);
  message(3, {0x54});
  EXPECT_EQ(telemetry(14), 800u);
}

TEST_F(ArcTest, AnswersUnknownCodesWith255) { EXPECT_EQ(message(0, {0xA1})[0] & 0xFF, 0xFFu); }

TEST_F(ArcTest, ToggleGddrResetKnowsTheHarvestedBank) {
  EXPECT_EQ(message(0, {0xB6, 2})[0], 0u);
  EXPECT_EQ(message(0, {0xB6, 3})[1], 2u);
  EXPECT_EQ(message(0, {0xB6, 8})[1], 1u);
}

TEST_F(ArcTest, MsiFifoRingsTheBellToo) {
  const uint64_t queue = read32(arc, tile, scratch(11));
  write32(arc, tile, queue + 32, 0x90);
  write32(arc, tile, queue, 1);
  write32(arc, tile, 0x800B'0000, 5);
  EXPECT_EQ(read32(arc, tile, queue + 0x14), 0u);
  write32(arc, tile, 0x800B'0000, 0);
  EXPECT_EQ(read32(arc, tile, queue + 0x14), 1u);
}

TEST_F(ArcTest, LeavesRequestsQueuedWhileTheResponseRingIsFull) {
  const uint64_t queue = read32(arc, tile, scratch(11));
  write32(arc, tile, queue + 4, 4);  // response read pointer: the ring looks full (0 - 4 mod 8)
  write32(arc, tile, queue, 1);
  write32(arc, tile, 0x8003'0100, 0x10000);
  EXPECT_EQ(read32(arc, tile, queue + 0x10), 0u);
}

TEST_F(ArcTest, IgnoresPointersOutOfRange) {
  const uint64_t control = scratch(11);
  const uint64_t queue = read32(arc, tile, control);
  write32(arc, tile, queue, 77);  // request write pointer beyond 2N
  write32(arc, tile, 0x8003'0100, 0x10000);
  EXPECT_EQ(read32(arc, tile, queue + 0x14), 0u);
  for (const uint32_t base : {0u, 0xFFFF'FFFFu, 0x1007'FFF0u}) {
    write32(arc, tile, control, base);
    write32(arc, tile, 0x8003'0100, 0x10000);
  }
  for (const uint32_t shape : {0u, 0x400u, 0xFFFF'FFFFu}) {
    write32(arc, tile, control + 4, shape);
    write32(arc, tile, 0x8003'0100, 0x10000);
  }
  write32(arc, tile, 0x8003'042C, 0x1008'0000);
  write32(arc, tile, 0x8003'0100, 0x10000);
  EXPECT_FALSE(faults.any());
}

TEST_F(ArcTest, EepromReadsErasedInsideItsBufferOnly) {
  const uint32_t buffer = 0x1000'0000 + (scratch(10) & 0xFF'FFFF);
  EXPECT_EQ(message(0, {0x19, 0, 64, buffer})[0], 0u);
  EXPECT_EQ(read32(arc, tile, buffer + 60), 0xFFFF'FFFFu);
  EXPECT_EQ(message(0, {0x19, 0, 0xFFFF'FFFF, buffer})[0], 2u);
  EXPECT_EQ(message(0, {0x19, 0, 4, buffer - 4})[0], 2u);
}

TEST_F(ArcTest, ReferenceClockAndHeartbeatFollowTime) {
  EXPECT_EQ(read32(arc, tile, 0x8003'00E0, 0, 1350), 50u);
  const uint64_t heartbeat = scratch(12) + 4 * 32;
  EXPECT_LT(read32(arc, tile, heartbeat, 0, 0), read32(arc, tile, heartbeat, 0, 3 * 1'350'000));
}

TEST_F(ArcTest, KnowsItselfOnBothNocs) {
  for (const uint64_t address : {uint64_t{0x8005'0044}, arch::pcie::kNocNiuBase + 0x44}) {
    EXPECT_EQ(read32(arc, tile, address, 0), 0x10611008u);
  }
  EXPECT_EQ(read32(arc, tile, 0x8005'8044), 0x006112C8u);
  EXPECT_EQ(read32(arc, tile, 0x8005'0148), 8u);
}

TEST_F(ArcTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(refused_read(arc, tile, 0x1007'FFFE, 4).category, FaultCategory::OutOfBounds);
  EXPECT_EQ(refused_read(arc, tile, 0x8003'0408, 8).category, FaultCategory::Misaligned);
  EXPECT_EQ(refused_read(arc, tile, 0x8004'0000, 4).category, FaultCategory::Unsupported);
  EXPECT_EQ(refused_write(arc, tile, 0x0, 4).category, FaultCategory::OutOfBounds);
}

}  // namespace
}  // namespace kerr::emu
